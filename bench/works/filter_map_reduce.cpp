// filter_map_reduce: the sum of 3 x + 1 modulo 2^32 over the even ones of random numbers. Nothing is compacted: 4 bytes per element are read once.

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

static uint32_t filter_map_sum(const Seq<int32_t>& s) {
  auto even = filter([](auto x) { return (x & 1) == 0; }, s);
  auto mapped = map([](auto x) { return 3 * x + 1; }, even);
  return uint32_t(reduce(warpfold::plus, 0, mapped).get());
}

void filter_map_reduce(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<int32_t> s(Array<int32_t>(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) >> 32); }).view(), context);
  std::span<const int32_t> input = s.span();
  uint32_t sum = 0, expected = loop::filter_map_sum(input);
  auto right = [&] { return sum == expected; };

  Race race(bench, {"filter_map_reduce", "i32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { sum = filter_map_sum(s); }, right);
  race.enter(
      "loop", [&] { sum = loop::filter_map_sum(input); }, right);
  race.enter(
      "threads, one pass", [&] { sum = threads::filter_map_sum(input); }, right);
  race.enter(
      "std::par transform_reduce", [&] { sum = standard::filter_map_sum(input); }, right);
  race.enter_gpu_peers(input.data(), [&](double value) { return uint32_t(int32_t(value)) == expected; });
  race.finish();
}

}  // namespace bench
