// Philox4x32-10, a random number generator without state: a block of four words is a bijection of a 128-bit counter under a 64-bit key.
//
// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
//
// The counter's low half is the number of a block in a stream, its high half the stream. 32-bit words use streams below 2^63 and 64-bit words
// the others, so the two never share a block.
#pragma once

#include "ops/builtins.h"

namespace wf {
namespace meaning {

constexpr unsigned philox_factor[] = {0xd2511f53u, 0xcd9e8d57u}, philox_step[] = {0x9e3779b9u, 0xbb67ae85u};
constexpr int philox_rounds = 10;
constexpr unsigned long long philox_wide_streams = 1ull << 63;

struct PhiloxBlock {
  unsigned word[4];
};

// Without the addition of zero with which NVRTC expands a product of 64 bits.
WF_FN unsigned long long wide_product(unsigned a, unsigned b) {
#ifdef __CUDACC__
  return (unsigned long long)__umulhi(a, b) << 32 | a * b;
#else
  return (unsigned long long)a * b;
#endif
}

WF_FN PhiloxBlock philox_block(unsigned long long key, unsigned long long number, unsigned long long stream) {
  constexpr unsigned factor_0 = philox_factor[0], factor_1 = philox_factor[1], step_0 = philox_step[0], step_1 = philox_step[1];
  unsigned x0 = unsigned(number), x1 = unsigned(number >> 32), x2 = unsigned(stream), x3 = unsigned(stream >> 32);
  unsigned key_0 = unsigned(key), key_1 = unsigned(key >> 32);
#ifdef __CUDACC__
#pragma unroll
#endif
  for (int round = 0; round < philox_rounds; round++, key_0 += step_0, key_1 += step_1) {
    unsigned long long even = wide_product(x0, factor_0), odd = wide_product(x2, factor_1);
    unsigned y0 = unsigned(odd >> 32) ^ x1 ^ key_0, y2 = unsigned(even >> 32) ^ x3 ^ key_1;
    x0 = y0, x1 = unsigned(odd), x2 = y2, x3 = unsigned(even);
  }
  return {{x0, x1, x2, x3}};
}

// Word counter mod 4 of block counter div 4. Neighbours share a block, which compilers compute once if they know counter mod 4.
WF_FN unsigned philox_word(unsigned long long key, unsigned long long counter, unsigned long long stream) {
  const PhiloxBlock block = philox_block(key, counter >> 2, stream & ~philox_wide_streams);
  const unsigned low = counter & 1 ? block.word[1] : block.word[0], high = counter & 1 ? block.word[3] : block.word[2];
  return counter & 2 ? high : low;
}
// Words 2 (counter mod 2) and the next of block counter div 2, the first in the low half.
WF_FN unsigned long long philox_wide_word(unsigned long long key, unsigned long long counter, unsigned long long stream) {
  const PhiloxBlock block = philox_block(key, counter >> 1, stream | philox_wide_streams);
  const unsigned low = counter & 1 ? block.word[2] : block.word[0], high = counter & 1 ? block.word[3] : block.word[1];
  return (unsigned long long)high << 32 | low;
}

}  // namespace meaning
}  // namespace wf
