// filter: the even ones of random numbers, in order: half of them. 4 bytes per element are read and 2 written.

#include "complete.h"
#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void filter(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<int32_t> s(Array<int32_t>(n, [](int64_t i) { return int32_t(random_bits(uint64_t(i)) >> 32); }).view(), context), kept;
  std::span<const int32_t> input = s.span();
  Array<int32_t> expected(n + 1), out(n + 1);
  int64_t expected_count = loop::filter(input, expected.data()), count = 0;
  auto right = [&] { return all_equal(out.view().first(size_t(count)), expected.view().first(size_t(expected_count))); };

  Race race(bench, {"filter", "i32", n, 6 * n, copy_limit(s.data(), out.data(), 4 * n)});
  race.enter_warpfold([&] { kept = complete(filter([](auto x) { return (x & 1) == 0; }, s)); },
                      [&] { return all_equal(kept.span(), expected.view().first(size_t(expected_count))); });
  race.enter(
      "loop", [&] { count = loop::filter(input, out.data()); }, right);
  race.enter(
      "threads, two passes", [&] { count = threads::filter(input, out.data()); }, right);
  race.enter(
      "std::par copy_if", [&] { count = standard::filter(input, out.data()); }, right);
  race.enter_gpu_peers(input.data(), out.data(), [&](int64_t kept_count) { return count = kept_count, right(); });
  race.finish();
}

}  // namespace bench
