// mcss: the maximum contiguous subsequence sum, a reduction by a function of four sums that does not commute. 4 bytes per element are read.

#include <algorithm>

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

// Sums of a stretch of numbers: the largest sum of any part (best), of a part at the left end (prefix) and at the right end (suffix), and of
// all numbers (total).
template <class T> struct Stretch { T best, prefix, suffix, total; };

static float largest_sum(const Seq<float>& s) {
  auto single = map(
      [](auto x) {
        auto gain = max(x, 0.0f);
        return Stretch<decltype(x)>{gain, gain, gain, x};
      },
      s);
  auto join = []<class S>(S left, S right) {
    return S{max(max(left.best, right.best), left.suffix + right.prefix), max(left.prefix, left.total + right.prefix),
             max(right.suffix, left.suffix + right.total), left.total + right.total};
  };
  return warpfold::reduce(join, {0, 0, 0, 0}, single).get().best;
}

void mcss(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  // The values are -1 and 1. Sums of floats are exact up to 2^24, and a random walk of 2^34 steps stays below that.
  Seq<float> s(Array<float>(n, [](int64_t i) { return random_bits(uint64_t(i)) & 1 ? 1.0f : -1.0f; }).view(), context);
  std::span<const float> input = s.span();
  const float expected = loop::largest_sum(input);
  float best = 0;
  auto right = [&] { return best == expected; };
  Race race(bench, {"mcss", "f32", n, 4 * n, read_limit(s.data(), 4 * n)});
  race.enter_warpfold([&] { best = largest_sum(s); }, right);
  race.enter(
      "loop", [&] { best = loop::largest_sum(input); }, right);
  race.enter(
      "threads, in lanes", [&] { best = threads::largest_sum(input); }, right);
  race.enter_gpu_peers(input.data(), [&](double value) { return value == expected; });
  race.finish();
}

}  // namespace bench
