// map8_reduce: eight maps x * 1.0001 + 0.5, one after another, then the sum. Fused, it reads 4 bytes per element and stores nothing. The time
// should hardly depend on the number of maps, so map1_reduce to map8_reduce are rows, too, if there are many elements.

#include <functional>
#include <string>

#include <tbb/parallel_reduce.h>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static warpfold::Scalar<float> map_sum(Seq<float> s, int maps) {
  for (int k = 0; k < maps; ++k) s = map([](auto x) { return x * 1.0001f + 0.5f; }, s);
  return reduce(warpfold::plus, 0.0f, s);
}

// The sum in double precision.
static double exact_sum(std::span<const float> input, int maps) {
  return tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, input.size()), 0.0,
      [&](const auto& range, double sum) {
        for (size_t i = range.begin(); i < range.end(); ++i) {
          double y = input[i];
          for (int k = 0; k < maps; ++k) y = y * 1.0001 + 0.5;
          sum += y;
        }
        return sum;
      },
      std::plus());
}

void map8_reduce(Bench& bench, int64_t n) {
  // After eight maps the values are about symmetric around 0, so a sum in float is accurate in any order.
  warpfold::Context context(bench.options().context);
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -5, -3); }).view(), context);
  std::span<const float> input = s.span();
  float sum = 0;
  auto right_for = [&](int maps) { return [&, mean = exact_sum(input, maps) / double(n)] { return close(sum / double(n), mean, 1e-5); }; };

  const int step = bench.options().quick ? 4 : 1;
  for (int maps = step; maps < 8 && n >= 1 << 24; maps += step) {
    Race race(bench, {"map" + std::to_string(maps) + "_reduce", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
    race.enter_warpfold([&] { sum = map_sum(s, maps).get(); }, right_for(maps));
    race.enter(
        "threads, one pass", [&] { sum = threads::map_sum(input, maps); }, right_for(maps));
    race.finish();
  }

  auto right = right_for(8);
  Race race(bench, {"map8_reduce", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { sum = map_sum(s, 8).get(); }, right);
  const auto traced = warpfold::jit([](const Seq<float>& x) { return map_sum(x, 8); });
  race.enter(
      by_jit, [&] { sum = traced(s).get(); }, right);
  race.enter(
      "loop", [&] { sum = loop::map_sum(input, 8); }, right);
  race.enter(
      "threads, one pass", [&] { sum = threads::map_sum(input, 8); }, right);
  race.enter(
      "std::par transform_reduce", [&] { sum = standard::map_sum(input, 8); }, right);
  race.enter(
      "Eigen", [&] { sum = eigen::map8_sum(input); }, right);
  race.enter(
      "Eigen, threads", [&] { sum = eigen::map8_sum_threads(input); }, right);
  race.enter_gpu_peers(input.data(),
                       [&, mean = exact_sum(input, 8) / double(n)](double value) { return close(value / double(n), mean, 1e-5); });
  race.finish();
}

}  // namespace bench
