// Reduction of a column by one operation into lanes: element i of a chunk is folded into lane i modulo the number of lanes.
//
// The lanes fill 256 bytes in every instruction set, so that a float sum has the same bits on every processor. Blocks before
// the last must be multiples of 64 elements (the lanes of an f32); for integers the order does not matter.
#pragma once

#include <stdint.h>

#include "cpu/loops/monoid.h"

namespace wf::cpu::simd {

constexpr int fold_bytes = 256;
constexpr int few_across = 4, many_across = 8;  // columns, for which Across is unrolled

// Long rows are folded in segments, whose totals are combined from the left. A row that has several segments has at least two whole ones.
constexpr int64_t shortest_in_segments = 1 << 11, longest_segment = 1 << 14;
constexpr int64_t segment_of(int64_t n) {
  if (n < shortest_in_segments) return longest_segment;
  const int64_t half = int64_t(1) << (62 - __builtin_clzll(uint64_t(n)));
  return half < longest_segment ? half : longest_segment;
}

struct FoldTable {
  // lanes[k] = lanes[k] op x[k] op x[k + L] ...; x need not be aligned and is not read past n.
  using Fold = void(const void* x, int64_t n, void* lanes);
  // The same with the identity in place of each x[i] whose mask[i] is 0.
  using FoldMasked = void(const void* x, const uint8_t* mask, int64_t n, void* lanes, uint64_t identity);
  // Reduces all lanes to one value, by halving, always in the same order.
  using Join = uint64_t(const void* lanes);

  // join of the identity's lanes after fold(x, n), without lanes in memory. x is read to the next multiple of 64 elements past n.
  using Total = uint64_t(const void* x, int64_t n, uint64_t identity);

  // out[r] = total(x + first[r], n[r], identity), in segments, for r < count, a multiple of 64, and n[r] > 0. The identity is neutral, bit for bit.
  // Rows are fetched from memory in order, unless they are in a cache. x[0] to x[63] are readable.
  using Totals = void(const void* x, bool in_cache, const int64_t* first, const int64_t* n, int64_t count, uint64_t identity, void* out);

  // out[r] = start op total(x + distance * r, n, identity), in segments, for r < count. n is at most longest_segment. A row of at most fold_bytes
  // is read to the next multiple of 64 bytes.
  using Rows = void(const void* x, int64_t distance, int64_t n, int64_t count, uint64_t identity, uint64_t start, void* out);

  // Rows r < 64 are the elements offset + first[r] to offset + first[r] + n[r] - 1. A sum of their parts wraps.
  // Makes outside[r] negative unless they are among the first limit[r] elements, or n[r] is 0 and they follow one of these.
  using MarkOutside = void(const int64_t* first, int64_t offset, const int64_t* limit, const int64_t* n, int64_t* outside);
  // n[r] = 0 if outside[r] is negative. Returns true if some is.
  using LeaveOut = bool(const int64_t* outside, int64_t* n);
  // The first elements of the rows; 0 for rows without elements.
  using Place = void(const int64_t* first, int64_t offset, const int64_t* n, int64_t* begin);

  // out[i] = total[i] op x[0][i] op ... op x[count - 1][i] for i < n, of fold_bytes or a multiple of them. total may be out; the first elements
  // need not be copied there. Neither total nor any x[k] need be aligned.
  using Across = void(const void* total, const void* const* x, int count, int64_t n, void* out);

  // out[i] = total[i] op x[i] op x[n + i] ... op x[(count - 1) * n + i] for i < n, as in Across. x is read in order and prefetched.
  // out is in the L1 cache meanwhile, or in registers. total may be out, and count is at least 1.
  using Runs = void(const void* total, const void* x, int64_t count, int64_t n, void* out);

  // out[i] = (x[0][i] op x[1][i]) op (x[2][i] op x[3][i]) ..., a balanced tree of `count` = 2, 4 or 8 values, for i < n, a multiple of 64.
  using Tree = void(const void* const* x, int count, int64_t n, void* out);

  Fold* fold[monoid_count][type_count];  // null if the operation does not take the type
  FoldMasked* masked[monoid_count][type_count];
  Join* join[monoid_count][type_count];
  Total* total[monoid_count][type_count];
  Totals* totals[monoid_count][type_count];
  Rows* rows[monoid_count][type_count];
  Across* across[monoid_count][type_count];
  Runs* runs[monoid_count][type_count];
  Tree* tree[monoid_count][type_count];
  MarkOutside* mark_outside;
  LeaveOut* leave_out;
  Place* place;
};

extern const FoldTable folds_baseline, folds_avx2, folds_avx512;

}  // namespace wf::cpu::simd
