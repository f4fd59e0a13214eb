// The numbers of segments that contain positions. The offsets at which segments begin are 0 first and do not descend.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wf::cpu {

// The last k < segments with offsets[k] <= position.
inline int64_t segment_of(const int64_t* offsets, int64_t segments, int64_t position) {
  return std::upper_bound(offsets, offsets + segments, position) - offsets - 1;
}

// out[p - begin] = segment_of(p) for p in [begin, end), which is not empty; k is the first of them. Returns the last one. Costs a store per
// element and a branch per segment.
template <class T> int64_t number_positions(const int64_t* offsets, int64_t segments, int64_t k, int64_t begin, int64_t end, T* out) {
  constexpr int64_t stored_at_once = 8;
  out -= begin;
  for (int64_t p = begin;; k++) {
    const int64_t next = k + 1 < segments ? std::min(offsets[k + 1], end) : end;
    // Stores of a fixed size are one instruction or two. Those after the segment's end are overwritten by later segments.
    for (; p < next && end - p >= stored_at_once; p += stored_at_once)
      for (int64_t j = 0; j < stored_at_once; j++) out[p + j] = T(k);
    for (; p < next; p++) out[p] = T(k);
    p = next;
    if (p == end) return k;
  }
}

}  // namespace wf::cpu
