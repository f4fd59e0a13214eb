// Ordinary code next to the loop, or the function of the standard library, that does the same on as many threads. Each file enters the works of one
// kind as races, whose contestants other than warpfold are the peers. The work `ordinary` runs all of them and prints one table of ratios.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <tbb/parallel_for.h>

#include "complete.h"
#include "harness.h"

namespace bench::ordinary {

// n is the number of elements of the largest works; others have fewer.
void pieces(Bench& bench, int64_t n);
void numbers(Bench& bench, int64_t n);
void updates(Bench& bench, int64_t n);
void selection(Bench& bench, int64_t n);
void groups(Bench& bench, int64_t n);
void again(Bench& bench, int64_t n);
void shapes(Bench& bench, int64_t n);
void axes(Bench& bench, int64_t n);
void loops(Bench& bench, int64_t n);
void caches(Bench& bench, int64_t n);

// Prints the exponent e of the least squares fit of seconds = c * size^e, where make(size) returns the call to time. A cost that grows with the size alone has
// an exponent of at most 1 if the sizes do not cross a cache.
void fit(Bench& bench, const std::string& work, std::span<const int64_t> sizes, const std::function<std::function<void()>(int64_t)>& make);

// Calls f(begin, end) for equal parts of [0, n), on all cores.
template <class F> void in_parts(int64_t n, F f) {
  const int64_t parts = std::max<int64_t>(1, std::min<int64_t>(64, n >> 14));
  tbb::parallel_for(int64_t(0), parts, [&](int64_t k) { f(n * k / parts, n * (k + 1) / parts); });
}

}  // namespace bench::ordinary
