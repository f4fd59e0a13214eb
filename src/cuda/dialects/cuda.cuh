// CUDA's dialect, which NVRTC compiles: what the skeletons need besides CUDA's functions, most of it in PTX. hip.cuh defines the same, and
// CUDA's functions, for other devices.
#pragma once

// The builtins that src/ops calls, mapped to CUDA's functions of the same meaning, which need no header.
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#define __builtin_fabsf(x) fabsf(x)
#define __builtin_fabs(x) fabs(x)
#define __builtin_fmodf(x, y) fmodf(x, y)
#define __builtin_fmod(x, y) fmod(x, y)
#define __builtin_fmaf(x, y, z) __fmaf_rn(x, y, z)
#define __builtin_fma(x, y, z) __fma_rn(x, y, z)
#define __builtin_sqrtf(x) __fsqrt_rn(x)
#define __builtin_sqrt(x) __dsqrt_rn(x)

#ifndef WF_WITHOUT_MATH
#define __builtin_copysignf(x, y) copysignf(x, y)
#define __builtin_copysign(x, y) copysign(x, y)
#define __builtin_floorf(x) floorf(x)
#define __builtin_floor(x) floor(x)
#define __builtin_ceilf(x) ceilf(x)
#define __builtin_ceil(x) ceil(x)
#define __builtin_roundf(x) roundf(x)
#define __builtin_round(x) round(x)
#define __builtin_truncf(x) truncf(x)
#define __builtin_trunc(x) trunc(x)
#endif

#include "ops/builtins.h"

// Declares a block's shared memory, whose size the launch defines.
#define WF_DYNAMIC_SHARED(alignment, name) \
  extern __shared__ __align__(alignment)   \
  unsigned char name[]

namespace wf {

// Blocks start in the order of their numbers.
constexpr bool blocks_start_in_order = true;

// ---- loads and stores ----------------------------------------------------------------------------------------------------------

// Begins to load the address's 32 bytes into the L2 cache.
WF_FN void prefetch(const void* from) { asm volatile("prefetch.global.L2 [%0];" ::"l"(from)); }

// Returns *from, or 0 if `is_there` is false. No branch: the compiler makes branches of plain conditional loads, and each then waits for the one before.
template <class T> WF_FN T load_if(bool is_there, const T* from) {
  const int there = is_there;
  T x;
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\tmov.u64 %0, 0;\n\t@p ld.global.nc.u64 %0, [%1];\n\t}"
        : "=l"(word)
        : "l"(from), "r"(there));
    memcpy(&x, &word, sizeof(T));
  } else {
    static_assert(sizeof(T) == 1 || sizeof(T) == 4);
    unsigned word;
    if constexpr (sizeof(T) == 1)
      asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\tmov.u32 %0, 0;\n\t@p ld.global.nc.u8 %0, [%1];\n\t}"
          : "=r"(word)
          : "l"(from), "r"(there));
    else
      asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\tmov.u32 %0, 0;\n\t@p ld.global.nc.u32 %0, [%1];\n\t}"
          : "=r"(word)
          : "l"(from), "r"(there));
    memcpy(&x, &word, sizeof(T));
  }
  return x;
}
// Returns *from, which threads change at any time, or `otherwise` if `is_there` is false. As in load_if, there is no branch.
WF_FN bool look_if(bool is_there, const bool* from, bool otherwise) {
  unsigned word = otherwise;
  asm("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p ld.global.u8 %0, [%1];\n\t}" : "+r"(word) : "l"(from), "r"(int(is_there)));
  return word != 0;
}

// Ordered accesses to words that blocks exchange.
WF_FN unsigned long long load_relaxed(const unsigned long long* p) {
  unsigned long long x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
WF_FN void store_relaxed(unsigned long long* p, unsigned long long x) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
WF_FN unsigned long long load_acquire(const unsigned long long* p) {
  unsigned long long x;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
WF_FN void store_release(unsigned long long* p, unsigned long long x) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
// The same for a word that the host reads.
WF_FN void store_release_to_host(unsigned long long* p, unsigned long long x) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}

// Atomic operations without a result. The instruction is named: in a kernel that records faults, the compiler would choose one with a result for
// CUDA's functions, which takes 1.4 times as long (bench/results/gpu_rows.md).
#define WF_REDUCTION(name, T, instruction, letter)                                                                              \
  WF_FN void name(T* at, T x) {                                                                                                 \
    asm volatile("red.relaxed.gpu.global." instruction " [%0], %1;" ::"l"(__cvta_generic_to_global(at)), letter(x) : "memory"); \
  }
#define WF_REDUCTION_OF_BITS(name, operation)       \
  WF_REDUCTION(name, unsigned, operation "32", "r") \
  WF_REDUCTION(name, unsigned long long, operation "64", "l")
#define WF_REDUCTION_OF_NUMBERS(name, operation) \
  WF_REDUCTION_OF_BITS(name, operation "u")      \
  WF_REDUCTION(name, int, operation "s32", "r")  \
  WF_REDUCTION(name, long long, operation "s64", "l")
WF_REDUCTION_OF_BITS(reduceAdd, "add.u")
WF_REDUCTION_OF_NUMBERS(reduceMin, "min.")
WF_REDUCTION_OF_NUMBERS(reduceMax, "max.")
WF_REDUCTION_OF_BITS(reduceAnd, "and.b")
WF_REDUCTION_OF_BITS(reduceOr, "or.b")
WF_REDUCTION_OF_BITS(reduceXor, "xor.b")

// ---- arithmetic ----------------------------------------------------------------------------------------------------------------

// Returns x. The compiler does not know that, so it does not compute what depends on the result where x is used.
WF_FN float again(float x) {
  asm volatile("" : "+f"(x));
  return x;
}
WF_FN int again(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

// Approximations of 1/x and x^(-1/2). Subnormal operands are 0.
WF_FN float approximate_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
WF_FN float approximate_reciprocal_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Returns sum plus the dot product of the signed bytes of x and y.
WF_FN int dot_of_bytes(unsigned x, unsigned y, int sum) {
  int r;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));
  return r;
}

}  // namespace wf
