// Loops inside functions, next to the same values written as reductions: numbers of smaller elements, and forces between bodies on a line.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

namespace {

float force_between(float x, float y) { return (y - x) / ((y - x) * (y - x) + 1.0f); }

// by_loop(i) and by_reduce(i) compute the element that `right` computes.
template <class T, class ByLoop, class ByReduce, class Right>
void race_loops(Bench& bench, const Spec& spec, const warpfold::Context& context, const ByLoop& by_loop, const ByReduce& by_reduce,
                const Right& right) {
  Seq<T> ours, reduced;
  std::vector<T> out(static_cast<size_t>(spec.n));
  const auto is_right = [&](std::span<const T> found) {
    bool equal = int64_t(found.size()) == spec.n;
    for (int64_t i = 0; equal && i < spec.n; i++) equal = std::abs(double(found[size_t(i)]) - double(right(i))) <= 1e-3 * spec.n;
    return equal;
  };
  Race race(bench, spec);
  race.enter_warpfold([&] { ours = complete(warpfold::tabulate(by_loop, spec.n, context)); }, [&] { return is_right(ours.span()); });
  race.enter(
      "by reduce", [&] { reduced = complete(warpfold::tabulate(by_reduce, spec.n, context)); }, [&] { return is_right(reduced.span()); });
  race.enter(
      "loop on threads", [&] { tbb::parallel_for(int64_t(0), spec.n, [&](int64_t i) { out[size_t(i)] = right(i); }); },
      [&] { return is_right(out); });
  race.finish();
}

}  // namespace

void loops(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  const int64_t m = std::min<int64_t>(n, 2048);
  const Array<int32_t> keys(m, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) % 1000); });
  const Array<float> places(m, [](int64_t i) { return float(random_bits(uint64_t(i)) % 1000) / 10; });
  const Seq<int32_t> k(keys.view(), context);
  const Seq<float> x(places.view(), context);
  const auto steps = [&](auto start, const auto& value) {
    return std::get<1>(warpfold::loop(
        std::tuple(int64_t(0), start), [&](auto j, auto) { return j < m; },
        [&](auto j, auto s) { return std::tuple(j + 1, s + value(j)); }));
  };
  const auto is_less = [&](auto i) { return [&k, i](auto j) { return where(k[j] < k[i], 1, 0); }; };
  const auto force = [&](auto i) {
    return [&x, i](auto j) {
      const auto d = x[j] - x[i];
      return d / (d * d + 1.0f);
    };
  };
  race_loops<int32_t>(
      bench, {"ranks by a loop", "i32", m, 8 * m}, context, [&](auto i) { return steps(int32_t(0), is_less(i)); },
      [&](auto i) { return sum(warpfold::tabulate(is_less(i), m)); },
      [&](int64_t i) {
        int32_t count = 0;
        for (int64_t j = 0; j < m; j++) count += keys[j] < keys[i];
        return count;
      });
  race_loops<float>(
      bench, {"forces by a loop", "f32", m, 8 * m}, context, [&](auto i) { return steps(0.0f, force(i)); },
      [&](auto i) { return sum(warpfold::tabulate(force(i), m)); },
      [&](int64_t i) {
        float sum = 0;
        for (int64_t j = 0; j < m; j++) sum += force_between(places[i], places[j]);
        return sum;
      });
}

}  // namespace bench::ordinary
