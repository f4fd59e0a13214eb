// primes [N]: the number of primes below N, and the last of them, by the sieve of Eratosthenes. All multiples of all primes up to the root of N
// are marked by one scatter.
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// The primes below n.
static Seq<int> primes(int64_t n) {
  if (n <= 2) return Seq<int>{};
  const auto small = primes(static_cast<int64_t>(std::sqrt(static_cast<double>(n - 1))) + 1);
  // p p, p (p + 1), ... below n, for each small prime p.
  const auto lengths = map([=](auto p) { return (n - 1) / p - p + 1; }, small);
  const int64_t marks = sum(lengths).get();
  const auto multiples = Segments<int64_t>::of_lengths(iota(marks), lengths);
  const auto marked = map(
      [&](auto k, auto which) {
        const auto p = small[which];
        return cast<int>((k - multiples.offsets()[which] + p) * p);
      },
      multiples.values(), segment_ids(multiples));
  const auto composite = scatter(logical_or, fill(false, n), marked, fill(true, marks));
  return map([](auto i) { return cast<int>(i); },
             filter_idx([](auto i, auto) { return i >= 2; }, pack_index([](auto c) { return !c; }, composite)));
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 10000000;
  if (n > INT32_MAX) return std::cerr << "usage: primes [N], with N below 2^31\n", 2;
  const Timing timing;
  const auto all = primes(n);
  const int64_t count = all.size();
  timing.report(static_cast<double>(n), "numbers");
  std::cout << count << " primes below " << n;
  if (count > 0) std::cout << "; the last is " << all[count - 1];
  std::cout << "\n";
} catch (const Error& error) {
  std::cerr << "primes: " << error.what() << "\n";
  return 2;
}
