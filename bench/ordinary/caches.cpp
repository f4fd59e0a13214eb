// Works on elements that fit in the caches, where a call, a thread's waking and each further pass over the elements count.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include <tbb/info.h>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {

using warpfold::Seq;

namespace {

// Calls f(part, begin, end) for as many equal parts of [0, n) as there are cores.
template <class F> void on_cores(int64_t n, F f) {
  static const int64_t cores = tbb::info::default_concurrency();
  tbb::parallel_for(
      int64_t(0), cores, [&](int64_t k) { f(size_t(k), n * k / cores, n * (k + 1) / cores); }, tbb::static_partitioner());
}
size_t parts() { return size_t(tbb::info::default_concurrency()); }

// The inputs of the works of one size, and the memory of the loops' results.
struct Inputs {
  explicit Inputs(int64_t n_)
      : n(n_),
        ints(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) >> 40); }),
        x(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }),
        y(n, [](int64_t i) { return random_float(uint64_t(i) + 77, -1, 1); }),
        text(n, [](int64_t i) { return uint8_t(random_bits(uint64_t(i)) % 64 + 32); }),
        out(2 * n),
        floats(n) {}
  int64_t n;
  Array<int32_t> ints;
  Array<float> x, y;
  Array<uint8_t> text;
  Array<int32_t> out;
  Array<float> floats;
};

// Enters warpfold's call, and loop(part, begin, end) for all elements and for one part per core. `right` tests the elements of a result.
template <class T, class Call, class Loop, class Right>
void race_of_stores(Bench& bench, Spec spec, Array<T>& out, Call call, const char* name, Loop loop, Right right) {
  Seq<T> result;
  Race race(bench, std::move(spec));
  race.enter_warpfold([&] { result = complete(call()); }, [&] { return right(result.span()); });
  race.enter(
      name, [&] { loop(size_t(0), int64_t(0), out.size()); }, [&] { return right(out.view()); });
  race.enter(
      std::string(name) + " on threads", [&] { on_cores(out.size(), loop); }, [&] { return right(out.view()); });
  race.finish();
}

void copies(Bench& bench, Inputs& in, const warpfold::Context& context) {
  const int64_t n = in.n;
  const Seq<int32_t> s(in.ints.view(), context);
  const int32_t* x = in.ints.data();
  race_of_stores(
      bench, {"append", "i32, two", 2 * n, 16 * n}, in.out, [&] { return append(s, s); }, "memcpy",
      [&](size_t, int64_t begin, int64_t end) {
        const int64_t middle = std::clamp(n, begin, end);
        std::memcpy(in.out.data() + begin, x + begin, size_t(middle - begin) * sizeof(int32_t));
        std::memcpy(in.out.data() + middle, x + middle - n, size_t(end - middle) * sizeof(int32_t));
      },
      [&](std::span<const int32_t> r) {
        return all_equal(r.first(size_t(n)), in.ints.view()) && all_equal(r.last(size_t(n)), in.ints.view());
      });
  Array<int32_t> out(n), reversed(n, [&](int64_t i) { return x[n - 1 - i]; });
  race_of_stores(
      bench, {"rev", "i32", n, 8 * n}, out, [&] { return rev(s); }, "std::reverse_copy",
      [&](size_t, int64_t begin, int64_t end) { std::reverse_copy(x + begin, x + end, out.data() + n - end); },
      [&](std::span<const int32_t> r) { return all_equal(r, reversed.view()); });
}

void maps(Bench& bench, Inputs& in, const warpfold::Context& context) {
  const int64_t n = in.n;
  const Seq<float> sx(in.x.view(), context), sy(in.y.view(), context);
  const float *x = in.x.data(), *y = in.y.data();
  float* out = in.floats.data();
  auto right = [&](auto f) {
    return [=](std::span<const float> r) {
      for (int64_t i = 0; i < n; i++)
        if (!close(r[size_t(i)], f(i), 1e-5)) return false;
      return true;
    };
  };
  race_of_stores(
      bench, {"saxpy", "f32", n, 12 * n}, in.floats, [&] { return map([](auto a, auto b) { return 2.5f * a + b; }, sx, sy); }, "loop",
      [&](size_t, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) out[i] = 2.5f * x[i] + y[i];
      },
      right([=](int64_t i) { return 2.5f * x[i] + y[i]; }));
  auto at = [=](int64_t i) { return (x[std::max<int64_t>(i - 1, 0)] + x[i] + x[std::min(i + 1, n - 1)]) * 0.25f; };
  race_of_stores(
      bench, {"stencil", "f32", n, 8 * n}, in.floats,
      [&] { return tabulate([&](auto i) { return (sx[max(i - 1, 0)] + sx[i] + sx[min(i + 1, n - 1)]) * 0.25f; }, n, context); }, "loop",
      [&](size_t, int64_t begin, int64_t end) {
        if (begin == 0) out[0] = at(0);
        for (int64_t i = std::max<int64_t>(begin, 1); i < std::min(end, n - 1); i++) out[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.25f;
        if (end == n) out[n - 1] = at(n - 1);
      },
      right(at));
}

void chains(Bench& bench, Inputs& in, const warpfold::Context& context) {
  const int64_t n = in.n;
  const Seq<int32_t> s(in.ints.view(), context);
  const int32_t* x = in.ints.data();
  int32_t* out = in.out.data();
  std::vector<int32_t> expected;
  Seq<int32_t> result;
  auto right = [&] { return all_equal(result.span(), expected); };
  auto loop_is_right = [&] { return all_equal({out, expected.size()}, expected); };
  auto is_even = [](auto v) { return (v & 1) == 0; };
  std::vector<int64_t> counts(parts() + 1);
  std::inclusive_scan(in.ints.view().begin(), in.ints.view().end(), std::back_inserter(expected));
  Race scan(bench, {"scan", "i32", n, 8 * n});
  scan.enter_warpfold([&] { result = complete(scan_incl(warpfold::plus, 0, s)); }, right);
  scan.enter(
      "std::inclusive_scan", [&] { std::inclusive_scan(x, x + n, out); }, loop_is_right);
  scan.enter(
      "loop on threads, twice",
      [&] {
        on_cores(n, [&](size_t k, int64_t begin, int64_t end) { counts[k + 1] = std::accumulate(x + begin, x + end, 0); });
        std::inclusive_scan(counts.begin(), counts.end(), counts.begin());
        on_cores(n, [&](size_t k, int64_t begin, int64_t end) {
          std::inclusive_scan(x + begin, x + end, out + begin, std::plus<>(), int32_t(counts[k]));
        });
      },
      loop_is_right);
  scan.finish();

  expected.clear();
  std::copy_if(x, x + n, std::back_inserter(expected), is_even);
  auto keep = [&](int64_t begin, int64_t end, int64_t to) {
    for (int64_t i = begin; i < end; i++) out[to] = x[i], to += is_even(x[i]);
  };
  counts[0] = 0;
  Race filtered(bench, {"filter", "i32, half", n, 6 * n});
  filtered.enter_warpfold([&] { result = complete(filter(is_even, s)); }, right);
  filtered.enter(
      "loop", [&] { keep(0, n, 0); }, loop_is_right);
  filtered.enter(
      "loop on threads, twice",
      [&] {
        on_cores(n, [&](size_t k, int64_t begin, int64_t end) { counts[k + 1] = std::count_if(x + begin, x + end, is_even); });
        std::inclusive_scan(counts.begin(), counts.end(), counts.begin());
        on_cores(n, [&](size_t k, int64_t begin, int64_t end) { keep(begin, end, counts[k]); });
      },
      loop_is_right);
  filtered.finish();
}

// One number for all elements: loop(begin, end) for the whole, and for parts that join(a, b) combines.
template <class R, class Call, class Loop, class Join> void race_of_folds(Bench& bench, Spec spec, Call call, Loop loop, Join join) {
  const int64_t n = spec.n;
  const R expected = loop(int64_t(0), n);
  R result{};
  std::vector<R> partial(parts());
  auto right = [&] { return close(double(result), double(expected), 1e-3); };
  Race race(bench, std::move(spec));
  race.enter_warpfold([&] { result = call(); }, right);
  race.enter(
      "loop", [&] { result = loop(int64_t(0), n); }, right);
  race.enter(
      "loop on threads",
      [&] {
        on_cores(n, [&](size_t k, int64_t begin, int64_t end) { partial[k] = loop(begin, end); });
        result = std::accumulate(partial.begin() + 1, partial.end(), partial[0], join);
      },
      right);
  race.finish();
}

void folds(Bench& bench, Inputs& in, const warpfold::Context& context) {
  const int64_t n = in.n;
  const Seq<float> sx(in.x.view(), context);
  const Seq<uint8_t> text(in.text.view(), context);
  const float* x = in.x.data();
  const uint8_t* c = in.text.data();
  race_of_folds<float>(
      bench, {"moments", "f32", n, 4 * n},
      [&] {
        const auto sum = reduce(warpfold::plus, 0.0f, sx), squares = reduce(warpfold::plus, 0.0f, map([](auto v) { return v * v; }, sx));
        warpfold::force(sum, squares);
        return squares.get() - sum.get();
      },
      [&](int64_t begin, int64_t end) {
        float sums[64] = {}, squares[64] = {}, result = 0;
        for (int64_t i = begin; i + 64 <= end; i += 64)
          for (int64_t k = 0; k < 64; k++) sums[k] += x[i + k], squares[k] += x[i + k] * x[i + k];
        for (int64_t k = 0; k < 64; k++) result += squares[k] - sums[k];
        for (int64_t i = end - (end - begin) % 64; i < end; i++) result += x[i] * x[i] - x[i];
        return result;
      },
      std::plus<float>());
  race_of_folds<int64_t>(
      bench, {"count", "u8", n, n}, [&] { return reduce(warpfold::plus, 0, map([](auto v) { return cast<int>(v == 'A'); }, text)).get(); },
      [&](int64_t begin, int64_t end) { return std::count(c + begin, c + end, uint8_t('A')); }, std::plus<int64_t>());
  auto brackets = [&] {
    const auto [depth, total] =
        scan_incl_total(warpfold::plus, 0, map([](auto v) { return cast<int>(v == '(') - cast<int>(v == ')'); }, text));
    const auto lowest = reduce(warpfold::min, 0, depth);
    warpfold::force(total, lowest);
    return int64_t(total.get()) << 32 | uint32_t(lowest.get());
  };
  race_of_folds<int64_t>(
      bench, {"brackets", "u8", n, n}, brackets,
      [&](int64_t begin, int64_t end) {
        int32_t depth = 0, lowest = 0;
        for (int64_t i = begin; i < end; i++) depth += (c[i] == '(') - (c[i] == ')'), lowest = std::min(lowest, depth);
        return int64_t(depth) << 32 | uint32_t(lowest);
      },
      [](int64_t a, int64_t b) {
        const auto total = int32_t(a >> 32), lowest = std::min(int32_t(a), total + int32_t(b));
        return int64_t(total + int32_t(b >> 32)) << 32 | uint32_t(lowest);
      });
}

}  // namespace

void caches(Bench& bench, int64_t n) {
  const warpfold::Context context(bench.options().context);
  for (const int64_t most : {int64_t(1) << 16, int64_t(1) << 17, int64_t(1) << 20}) {
    const int64_t size = std::min(most, n);
    if (size < most && most > int64_t(1) << 16) break;
    Inputs inputs(size);
    for (auto* works : {copies, maps, chains, folds}) works(bench, inputs, context);
  }
}

}  // namespace bench::ordinary
