// A zero for instructions that compress.
#pragma once

#include <immintrin.h>

namespace wf::cpu {

// Returns a zero whose value the compiler does not know. A compress instruction that writes zeros where nothing is left waits for the former value of its
// target on Zen 5, 5 cycles. One that merges into a zero does not and takes 1; but compilers turn it into the first if they see the zero.
__attribute__((target("avx512f"), always_inline)) inline __m512i opaque_zero() {
  __m512i zero = _mm512_setzero_si512();
  asm("" : "+v"(zero));
  return zero;
}

}  // namespace wf::cpu
