// scan_square_reduce: the sum of the squares of prefix sums, modulo 2^32. No law applies: the prefixes are computed, but not stored.
// 4 bytes per element are read.

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void scan_square_reduce(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<int32_t> s(Array<int32_t>(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) % 100) - 50; }).view(), context);
  std::span<const int32_t> input = s.span();
  Array<int32_t> prefixes(n);
  const uint32_t expected = loop::prefix_square_sum(input);
  uint32_t sum = 0;
  auto right = [&] { return sum == expected; };
  Race race(bench, {"scan_square_reduce", "i32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold(
      [&] { sum = uint32_t(reduce(warpfold::plus, 0, map([](auto x) { return x * x; }, scan_incl(warpfold::plus, 0, s))).get()); }, right);
  race.enter(
      "loop", [&] { sum = loop::prefix_square_sum(input); }, right);
  race.enter(
      "std::par scan + reduce", [&] { sum = standard::prefix_square_sum(input, prefixes.data()); }, right);
  race.enter_gpu_peers(input.data(), [&](double value) { return uint32_t(int32_t(value)) == expected; });
  race.finish();
}

}  // namespace bench
