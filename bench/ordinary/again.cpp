// Sequences that are asked for again: several reductions of one delayed map, one after another, and a loop of map and reduce.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

namespace {

float costly(float x) { return std::exp(std::sin(x)); }

// start, y[0], y[1], ... combined by op, on threads; the parts are combined by `join`.
template <class Op, class Join> double folded(const std::vector<float>& y, float start, Op op, Join join) {
  std::mutex mutex;
  double all = start;
  in_parts(int64_t(y.size()), [&](int64_t begin, int64_t end) {
    float part = start;
    for (int64_t k = begin; k < end; k++) part = op(part, y[size_t(k)]);
    std::lock_guard lock(mutex);
    all = join(all, double(part));
  });
  return all;
}

}  // namespace

void again(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const Array<float> input(std::max<int64_t>(1, n / 16), [](int64_t i) { return float(random_bits(uint64_t(i)) % 1000) / 100; });
  const int64_t m = input.size();
  const Seq<float> x(input.view(), context);

  std::vector<float> y(static_cast<size_t>(m));
  std::array<double, 4> ours{}, theirs{};
  const auto is_right = [&](const std::array<double, 4>& found) {
    double sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    for (float e : input.view()) {
      const double z = costly(e);
      sum += z, squares += z * z, least = std::min(least, z), most = std::max(most, z);
    }
    const double right[] = {sum, squares, least, most};
    for (size_t k = 0; k < 4; k++)
      if (!(std::abs(found[k] - right[k]) <= 1e-3 * std::abs(right[k]))) return false;
    return true;
  };
  Race race(bench, {"four reductions of a map", "f32, one after another", m, 4 * m});
  race.enter_warpfold(
      [&] {
        const Seq<float> mapped = map([](auto e) { return exp(sin(e)); }, x);
        ours[0] = sum(mapped).get();
        ours[1] = sum(map([](auto e) { return e * e; }, mapped)).get();
        ours[2] = reduce(warpfold::min, mapped).get();
        ours[3] = reduce(warpfold::max, mapped).get();
      },
      [&] { return is_right(ours); });
  race.enter(
      "a stored map and loops on threads",
      [&] {
        in_parts(m, [&](int64_t begin, int64_t end) {
          std::transform(&input[begin], &input[begin] + (end - begin), &y[size_t(begin)], costly);
        });
        const auto least = [](auto a, auto b) { return std::min(a, b); };
        const auto most = [](auto a, auto b) { return std::max(a, b); };
        theirs[0] = folded(y, 0, std::plus<>(), std::plus<>());
        theirs[1] = folded(
            y, 0, [](float a, float b) { return a + b * b; }, std::plus<>());
        theirs[2] = folded(y, INFINITY, least, least);
        theirs[3] = folded(y, -INFINITY, most, most);
      },
      [&] { return is_right(theirs); });
  race.finish();

  // A sequence that each step maps and reduces, and never forces.
  const int64_t steps[] = {64, 128, 256};
  const Seq<float> first(std::span(input.view()).first(size_t(std::min<int64_t>(m, 1 << 16))), context);
  fit(bench, "steps of map and reduce", steps, [&](int64_t count) {
    return [&, count] {
      Seq<float> s = first;
      double total = 0;
      for (int64_t k = 0; k < count; k++) {
        s = map([](auto e) { return e * 0.5f + 0.25f; }, s);
        total += sum(s).get();
      }
    };
  });
}

}  // namespace bench::ordinary
