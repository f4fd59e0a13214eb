// The cost of calls with little to compute: from C++ to the value, with a new graph each time.
//   small       map and reduce; the kernel is in the cache
//   small_sum   a sum, and nothing else
//   small_map   a map that is stored
//   small_often the same after thousands of calls: by then a GPU has compiled the kernel, which it interprets at first
//   changing_constant, changing_scalar   the same with a captured number, or a new Scalar, that differs at each call
//   descent     a step of gradient descent for a linear regression with one weight, a captured number that differs at each step
//   new_kernel  map and reduce with a function of sixteen steps whose structure is new at each call
//   new_large_map, new_large_sum   such a function over 2^20 elements (2^24 on a GPU): stored, then summed by a known kernel; and summed at
//               once
//   new_large_scan, new_large_filter   the same, with the prefixes or the kept half stored

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static float map_sum(const Seq<float>& s) {
  return reduce(warpfold::plus, 0.0f, map([](auto x) { return x * 1.0001f + 0.5f; }, s)).get();
}

static void race_small(Bench& bench, const char* work, int64_t n, int calls_before) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  float sum = 0;
  auto right = [&] { return close(sum, loop::map_sum(input.view(), 1)); };

  for (int k = 0; k < calls_before; ++k) sum = map_sum(s);
  Race race(bench, {work, "f32", n, 4 * n});
  race.enter_warpfold([&] { sum = map_sum(s); }, right);
  race.enter(
      "loop", [&] { sum = loop::map_sum(input.view(), 1); }, right);
  race.enter(
      "std::par transform_reduce", [&] { sum = standard::map_sum(input.view(), 1); }, right);
  race.enter_gpu_peers(input.data(), [&](double value) { return close(value, loop::map_sum(input.view(), 1)); });
  race.finish();
}

void small(Bench& bench, int64_t n) { race_small(bench, "small", n, 0); }

void small_sum(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  float sum = 0;
  auto right = [&] { return close(sum, loop::sum(input.view())); };
  Race race(bench, {"small_sum", "f32", n, 4 * n});
  race.enter_warpfold([&] { sum = reduce(warpfold::plus, 0.0f, s).get(); }, right);
  race.enter(
      "loop", [&] { sum = loop::sum(input.view()); }, right);
  race.finish();
}

// The peer allocates its result, as warpfold does.
void small_map(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context), mapped;
  std::vector<float> out;
  auto right = [&](std::span<const float> y) { return std::abs(y[0] - (input.view()[0] * 1.0001f + 0.5f)) < 1e-5f; };
  Race race(bench, {"small_map", "f32", n, 8 * n});
  race.enter_warpfold([&] { mapped = map([](auto x) { return x * 1.0001f + 0.5f; }, s).force(); }, [&] { return right(mapped.span()); });
  race.enter(
      "loop", [&] { out = loop::map(input.view()); }, [&] { return right(out); });
  race.finish();
}

// Each run uses the next of the factors 1.0001, 1.0002, ...; the sum for the last factor is checked.
static void race_changing(Bench& bench, const char* work, int64_t n, auto map_sum_by) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  warpfold::ContextScope scope(context);
  Seq<float> s(input.view(), context);
  float sum = 0, factor = 1;
  auto next = [&] { factor = factor < 2 ? factor + 0.0001f : 1.0001f; };
  auto by_loop = [&] {
    float total = 0;
    for (float x : input.view()) total += x * factor + 0.5f;
    return total;
  };
  Race race(bench, {work, "f32", n, 4 * n});
  race.enter_warpfold([&] { next(), sum = map_sum_by(factor, s); }, [&] { return close(sum, by_loop()); });
  race.enter(
      "loop", [&] { next(), sum = by_loop(); }, [&] { return close(sum, by_loop()); });
  race.finish();
}

void changing_constant(Bench& bench, int64_t n) {
  race_changing(bench, "changing_constant", n, [](float factor, const Seq<float>& s) {
    return reduce(warpfold::plus, 0.0f, map([=](auto x) { return x * factor + 0.5f; }, s)).get();
  });
}
void changing_scalar(Bench& bench, int64_t n) {
  race_changing(bench, "changing_scalar", n, [](float value, const Seq<float>& s) {
    const warpfold::Scalar<float> factor = value;
    return reduce(warpfold::plus, 0.0f, map([=](auto x) { return x * factor + 0.5f; }, s)).get();
  });
}

// The data are y = 3 x: w approaches 3, and is then reset to 0.
void descent(Bench& bench, int64_t n) {
  Array<float> x(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  Array<float> y(n, [&](int64_t i) { return 3 * x.view()[size_t(i)]; });
  warpfold::Context context(bench.options().context);
  Seq<float> xs(x.view(), context), ys(y.view(), context);
  float before = 0, w = 0;
  auto step = [&](float gradient) { before = w, w = std::abs(w - 3) < 0.01f ? 0 : w - 0.1f * gradient / float(n); };
  auto by_loop = [&](float weight) {
    float total = 0;
    for (size_t i = 0; i < size_t(n); ++i) total += (x.view()[i] * weight - y.view()[i]) * x.view()[i];
    return total;
  };
  auto right = [&] { return std::abs(before - 3) < 0.01f || close(w, before - 0.1f * by_loop(before) / float(n)); };
  Race race(bench, {"descent", "f32", n, 8 * n});
  race.enter_warpfold([&] { step(reduce(warpfold::plus, 0.0f, map([w](auto a, auto b) { return (a * w - b) * a; }, xs, ys)).get()); },
                      right);
  race.enter(
      "loop", [&] { step(by_loop(w)); }, right);
  race.finish();
}

void small_often(Bench& bench, int64_t n) { race_small(bench, "small_often", n, 10000); }

// Sixteen steps; a bit of `code` selects each from two. So each code is a function of another structure.
template <class X> static X coded_steps(X x, uint32_t code) {
  for (int k = 0; k < 16; ++k) {
    if (code >> k & 1) x = x * 1.0001f + 0.5f;
    else x = x / (x * x + 1.5f);
  }
  return x;
}

static bool is_any(float) { return true; }

// Each run maps a new function. `compute` returns the sum of those results for which `counts` is true.
static void race_new_kernels(Bench& bench, const char* work, int64_t n, auto compute, bool (*counts)(float) = is_any) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); });
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  double sum = 0;
  uint32_t code = 0;
  auto expected = [&] {
    double total = 0;
    for (float x : input.view())
      if (float y = coded_steps(x, code); counts(y)) total += y;
    return total;
  };
  Race race(bench, {work, "f32", n, 4 * n});
  race.enter_warpfold([&] { ++code, sum = compute(map([&](auto x) { return coded_steps(x, code); }, s)); },
                      [&] { return close(sum, expected()); });
  race.finish();
}

static double sum_of(const Seq<float>& s) { return reduce(warpfold::plus, 0.0f, s).get(); }

void new_kernel(Bench& bench, int64_t n) { race_new_kernels(bench, "new_kernel", n, sum_of); }
void new_large_sum(Bench& bench, int64_t n) { race_new_kernels(bench, "new_large_sum", n, sum_of); }
void new_large_map(Bench& bench, int64_t n) {
  race_new_kernels(bench, "new_large_map", n, [](const Seq<float>& mapped) {
    force(mapped);
    return sum_of(mapped);
  });
}
void new_large_scan(Bench& bench, int64_t n) {
  race_new_kernels(bench, "new_large_scan", n, [](const Seq<float>& mapped) {
    auto [prefixes, total] = scan(warpfold::plus, 0.0f, mapped);
    force(prefixes, total);
    return total.get();
  });
}
void new_large_filter(Bench& bench, int64_t n) {
  auto filtered = [](const Seq<float>& mapped) {
    Seq<float> kept = filter([](auto y) { return y > 0.0f; }, mapped);
    force(kept);
    return sum_of(kept);
  };
  race_new_kernels(bench, "new_large_filter", n, filtered, [](float y) { return y > 0; });
}

}  // namespace bench
