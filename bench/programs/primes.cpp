// primes: the primes below n by the sieve of Eratosthenes. Bytes: the primes, written once.

#include <cmath>

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

// All multiples of all primes up to the root of n are marked by one scatter.
Seq<int> sieve(int64_t n, const Context& context) {
  if (n <= 2) return Seq<int>(std::span<const int>{}, context);
  const auto small = sieve(int64_t(std::sqrt(double(n - 1))) + 1, context);
  // p p, p (p + 1), ... below n, for each small prime p.
  const auto lengths = map([=](auto p) { return (n - 1) / p - p + 1; }, small);
  const int64_t marks = sum(lengths).get();
  const auto multiples = Segments<int64_t>::of_lengths(iota(marks, context), lengths);
  const auto marked = map(
      [&](auto k, auto which) {
        const auto p = small[which];
        return cast<int>((k - multiples.offsets()[which] + p) * p);
      },
      multiples.values(), segment_ids(multiples));
  const auto composite = scatter(logical_or, fill(false, n, context), marked, fill(true, marks, context));
  return map([](auto i) { return cast<int>(i); },
             filter_idx([](auto i, auto) { return i >= 2; }, pack_index([](auto c) { return !c; }, composite)));
}

}  // namespace

void primes(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  const std::vector<int32_t> expected = threads::primes(n);
  Seq<int> found;
  std::vector<int32_t> other;
  Race race(bench, {"primes", "i32", n, int64_t(4 * expected.size())});
  race.enter_warpfold([&] { found = sieve(n, context).force(); }, [&] { return std::ranges::equal(found.span(), expected); });
  race.enter(
      "threads: segments in cache", [&] { other = threads::primes(n); }, [&] { return other == expected; });
  race.enter(
      "std::par for_each, copy_if", [&] { other = standard::primes(n); }, [&] { return other == expected; });
  race.finish();
}

}  // namespace bench
