// Compaction: the elements of a column whose mask is 1, stored contiguously.
#pragma once

#include <stdint.h>

namespace wf::cpu::simd {

struct CompressTable {
  // Writes the x[i] with mask[i] = 1 to `to`, in order, and returns their number. May overwrite up to 64 bytes after the last one,
  // but nothing from to + n elements, rounded up to 64 bytes, on. x and mask are not read past n.
  using Compress = int64_t(const void* x, const uint8_t* mask, int64_t n, void* to);
  Compress* compress1;  // by element size in bytes
  Compress* compress4;
  Compress* compress8;
  // The number of 1s among n bytes that are 0 or 1.
  int64_t (*count)(const uint8_t* mask, int64_t n);

  Compress* of_size(int64_t bytes) const { return bytes == 1 ? compress1 : bytes == 4 ? compress4 : compress8; }
};

extern const CompressTable compresses_baseline, compresses_avx2, compresses_avx512;

}  // namespace wf::cpu::simd
