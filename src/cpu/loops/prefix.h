// Prefixes of a column by one operation, in registers: log2(width) shifts compute the prefixes of one vector, and one more step
// combines them with the carry of all vectors before. So vectors depend on each other by a single operation.
//
// Prefixes that begin again at flags, as those of rows of few elements, take as many steps: a step combines the lanes that have no flag between them and their
// partner (the segmented scan of Blelloch, Prefix sums and their applications, 1990).
#pragma once

#include <stdint.h>

#include "cpu/loops/monoid.h"

namespace wf::cpu::simd {

struct PrefixTable {
  // exclusive[i] = carry op x[0] op ... op x[i-1], inclusive[i] = exclusive[i] op x[i]; either may be null. *carry (one element)
  // becomes the prefix after x[n-1]. `identity` is the operation's. Nothing is read or written past n.
  // Nothing precedes the elements whose flag, of `flags` of 0 and 1, is 1: their inclusive prefix is x[i]. The identity must leave NaN then.
  using Prefix = void(const void* x, const uint8_t* flags, int64_t n, uint64_t identity, void* carry, void* exclusive, void* inclusive);
  Prefix* prefix[monoid_count][type_count];  // null if the operation does not take the type

  // The same along an axis: n elements of arrays of `length` rows of `inner` elements, from element `at` of an array on. An element is combined with the
  // one above it: inclusive[i] = exclusive[i] op x[i], and exclusive[i] = inclusive[i - inner]. carries: the latest prefix of each of the `inner` columns,
  // which an array's first row begins with `start`.
  struct Along {
    int64_t length, inner, at;
    uint64_t start, identity;
  };
  using PrefixAlong = void(const void* x, int64_t n, const Along& along, void* carries, void* exclusive, void* inclusive);
  PrefixAlong* along[monoid_count][type_count];

  // Only the extremes of sums are kept, not the sums: for each inclusive (or exclusive) prefix p, low = min(low, p) and
  // high = max(high, p). A NaN may be missed; it always appears in *carry.
  using Bounds = void(const void* x, int64_t n, bool inclusive, void* carry, void* low, void* high);
  Bounds* sum_bounds[type_count];
};

extern const PrefixTable prefixes_baseline, prefixes_avx2, prefixes_avx512;

}  // namespace wf::cpu::simd
