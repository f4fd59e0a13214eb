// reduce: the sum of integers and of floats, 4 bytes per element.

#include <numeric>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void reduce(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  {
    Seq<int32_t> s(Array<int32_t>(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) % 1000) - 500; }).view(), context);
    std::span<const int32_t> input = s.span();
    const auto expected = int32_t(std::accumulate(input.begin(), input.end(), uint32_t(0)));
    int32_t sum = 0;
    Race race(bench, {"reduce", "i32", n, 4 * n, read_limit(s.data(), 4 * n)});
    race.enter_warpfold([&] { sum = warpfold::reduce(warpfold::plus, 0, s).get(); }, [&] { return sum == expected; });
    race.enter(
        "std::par reduce", [&] { sum = standard::sum(input); }, [&] { return sum == expected; });
    race.enter_gpu_peers(input.data(), [&](double value) { return int32_t(value) == expected; });
    race.finish();
  }
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), 0, 1); }).view(), context);
  std::span<const float> input = s.span();
  const double expected = std::accumulate(input.begin(), input.end(), 0.0);
  float sum = 0;
  Race race(bench, {"reduce", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { sum = warpfold::reduce(warpfold::plus, 0.0f, s).get(); }, [&] { return close(sum / expected, 1); });
  race.enter(
      "threads, one pass", [&] { sum = threads::sum(input); }, [&] { return close(sum / expected, 1); });
  race.enter(
      "std::par reduce", [&] { sum = standard::sum(input); }, [&] { return close(sum / expected, 1); });
  race.enter_gpu_peers(input.data(), [&](double value) { return close(value / expected, 1); });
  race.finish();
}

}  // namespace bench
