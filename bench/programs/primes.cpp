// primes: the primes below n by the sieve of Eratosthenes. Bytes: the primes, written once.

#include <algorithm>
#include <cmath>
#include <vector>

#include "../complete.h"
#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

// The primes from low to high - 1. One scatter marks the multiples of all primes up to the root of high: p q, p (q + 1), ... for each p, from
// the first that is neither below low nor below p p.
Seq<int> sieved(int64_t low, int64_t high, const Seq<int>& small) {
  const Context context = small.context();
  const auto first = map([=](auto p) { return max(cast<int64_t>(p), (low + p - 1) / p); }, small);
  const auto lengths = map([=](auto p, auto q) { return max((high - 1) / p - q + 1, 0); }, small, first);
  const int64_t marks = sum(lengths).get();
  const auto multiples = Segments<int64_t>::of_lengths(iota(marks, context), lengths);
  const auto origin = map([=](auto p, auto q, auto offset) { return cast<int>((q - offset) * p - low); }, small, first,
                          take(multiples.offsets(), small.size()));
  const auto marked =
      map([=](auto k, auto which) { return cast<int>(k) * small[which] + origin[which]; }, multiples.values(), segment_ids(multiples));
  const auto composite = scatter(logical_or, fill(false, high - low, context), marked, fill(true, marks, context));
  return map([=](auto i) { return cast<int>(i + low); }, pack_index([](auto c) { return !c; }, composite));
}

// The primes below n, which are few.
std::vector<int> few_primes(int n) {
  std::vector<int> primes;
  std::vector<bool> composite(size_t(n), false);
  for (int p = 2; p < n; p++) {
    if (composite[size_t(p)]) continue;
    primes.push_back(p);
    for (int multiple = 2 * p; multiple < n; multiple += p) composite[size_t(multiple)] = true;
  }
  return primes;
}

// Blocks of numbers, so that the marks fit into a processor's caches. A loop finds the primes up to the root.
Seq<int> sieve(int64_t n, const Context& context) {
  if (n <= 2) return Seq<int>(std::span<const int>{}, context);
  const Seq<int> small(few_primes(int(std::sqrt(double(n - 1))) + 1), context);
  const int64_t block = context.name() == "cpu" ? 1 << 20 : 1 << 25;
  std::vector<Seq<int>> parts;
  for (int64_t low = 2; low < n; low += block) parts.push_back(sieved(low, std::min(n, low + block), small).force());
  return append(parts);
}

}  // namespace

void primes(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  const std::vector<int32_t> expected = threads::primes(n);
  Seq<int> found;
  std::vector<int32_t> other(expected.size());
  Race race(bench, {"primes", "i32", n, int64_t(4 * expected.size())});
  race.enter_warpfold([&] { found = complete(sieve(n, context)); }, [&] { return std::ranges::equal(found.span(), expected); });
  race.enter(
      "threads: segments in cache", [&] { other = threads::primes(n); }, [&] { return other == expected; });
  race.enter(
      "std::par for_each, copy_if", [&] { other = standard::primes(n); }, [&] { return other == expected; });
  race.enter_gpu_peers(nullptr, other.data(), [&](int64_t count) { return size_t(count) == expected.size() && other == expected; });
  race.finish();
}

}  // namespace bench
