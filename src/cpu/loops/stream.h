// Movement of whole blocks: past the caches, and between interleaved and separate neighbours.
#pragma once

#include <stdint.h>

namespace wf::cpu::simd {

struct StreamTable {
  // memcpy that writes whole 64-byte lines to memory without reading them into the caches first, for results larger than the
  // caches. Call fence() before another thread may read.
  void (*copy)(const void* from, void* to, int64_t bytes);
  void (*fence)();

  // even[i] = x[2 i], odd[i] = x[2 i + 1] for i < pairs; `size`, the bytes per element, is 1, 4 or 8.
  void (*split)(int64_t size, const void* x, int64_t pairs, void* even, void* odd);
  // x[2 i] = even[i], x[2 i + 1] = odd[i].
  void (*join)(int64_t size, const void* even, const void* odd, int64_t pairs, void* x);

  // to[c * to_stride + r] = from[r * stride + c] for c < columns and as many rows as a line of 64 bytes has elements, and no more than columns;
  // `size` is 4 or 8. Aligned lines are streamed if that is asked for.
  void (*transpose)(int64_t size, const void* from, int64_t stride, void* to, int64_t to_stride, int64_t columns, bool streams);
};

extern const StreamTable streams_baseline, streams_avx2, streams_avx512;

}  // namespace wf::cpu::simd
