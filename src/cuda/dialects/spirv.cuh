// CUDA's dialect for SPIR-V, of OpenCL devices. A warp is a sub-group of 32 work-items. Measured on Intel's CPU runtime 2026.2 with clang 22; the comments
// name what these two miss.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __grid_constant__
#define __launch_bounds__(...) __attribute__((intel_reqd_sub_group_size(32)))
// SPIR-V has no memory whose size a launch defines, so whoever compiles a kernel defines WF_SHARED_BYTES.
#define WF_DYNAMIC_SHARED(alignment, name) \
  __shared__ __align__(alignment)          \
  unsigned char name[WF_SHARED_BYTES]

#define WF_CUDA static __device__ __forceinline__

using size_t = __SIZE_TYPE__;
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
WF_CUDA uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

// ---- indices and barriers ------------------------------------------------------------------------------------------------------
//
// OpenCL's functions, which clang names in SPIR-V. A sub-group has 32 consecutive work-items of its group. The number of a thread is made of numbers of
// 32 bits: LLVM 22 loses the truncation in unsigned(get_local_id(0)) & 31, so that the mask has operands of two types, which Intel's runtime rejects
// or computes wrongly.

__device__ unsigned get_sub_group_local_id() __attribute__((const));
__device__ unsigned get_sub_group_id() __attribute__((const));
__device__ size_t get_group_id(unsigned) __attribute__((const));
__device__ size_t get_local_size(unsigned) __attribute__((const));
__device__ size_t get_num_groups(unsigned) __attribute__((const));
struct wf_index {
  unsigned x;
};
#define threadIdx (wf_index{get_sub_group_id() * 32 + get_sub_group_local_id()})
#define blockIdx (wf_index{unsigned(get_group_id(0))})
#define blockDim (wf_index{unsigned(get_local_size(0))})
#define gridDim (wf_index{unsigned(get_num_groups(0))})

// Scopes are the device (1) and the work-group (2). 0x308 is acquire and release of the work-group's and the device's memory.
__device__ void __spirv_ControlBarrier(int execution, int memory, int semantics) __attribute__((convergent));
__device__ void __spirv_MemoryBarrier(int scope, int semantics);
WF_CUDA void __threadfence() { __spirv_MemoryBarrier(1, 0x308); }
WF_CUDA void __threadfence_system() { __threadfence(); }
WF_CUDA void __syncthreads() { __spirv_ControlBarrier(2, 2, 0x308); }
// Work-items of a sub-group run in lockstep. Intel's runtime translates a barrier of a sub-group wrongly if only one sub-group reaches it.
WF_CUDA void __syncwarp(unsigned = ~0u) { __spirv_MemoryBarrier(2, 0x308); }
WF_CUDA int __syncthreads_or(int x) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (x) *(volatile int*)&any = 1;
  __syncthreads();
  const int result = any;
  __syncthreads();
  return result;
}
WF_CUDA int __syncthreads_and(int x) { return !__syncthreads_or(!x); }

// ---- warps: Intel's runtime does not vectorize kernels with ballots, so these are made of shuffles ----------------------------------

WF_CUDA unsigned wf_lane() { return get_sub_group_local_id(); }
WF_CUDA unsigned wf_shuffle(unsigned x, unsigned lane) { return __builtin_spirv_subgroup_shuffle(x, lane); }
WF_CUDA unsigned __ballot_sync(unsigned, bool x) {
  unsigned bits = unsigned(x) << wf_lane();
#pragma unroll
  for (int distance = 1; distance < 32; distance <<= 1) bits |= wf_shuffle(bits, wf_lane() ^ unsigned(distance));
  return bits;
}

// ---- atomic operations ---------------------------------------------------------------------------------------------------------
//
// Intel's runtime has no atomic operations on pointers of no address space, and on its CPUs all address spaces are one.

#define WF_ADDRESS(p) ((__attribute__((address_space(1))) __typeof__(*(p))*)(p))
template <class T> struct wf_same { using type = T; };
#define WF_ATOMIC(name, builtin)                                                  \
  template <class T> WF_CUDA T atomic##name(T* at, typename wf_same<T>::type x) { \
    return builtin(WF_ADDRESS(at), x, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);   \
  }                                                                               \
  template <class T> WF_CUDA void reduce##name(T* at, typename wf_same<T>::type x) { atomic##name(at, x); }
WF_ATOMIC(Add, __scoped_atomic_fetch_add)
WF_ATOMIC(Min, __scoped_atomic_fetch_min)
WF_ATOMIC(Max, __scoped_atomic_fetch_max)
WF_ATOMIC(And, __scoped_atomic_fetch_and)
WF_ATOMIC(Or, __scoped_atomic_fetch_or)
WF_ATOMIC(Xor, __scoped_atomic_fetch_xor)
WF_ATOMIC(Exch, __scoped_atomic_exchange_n)
template <class T> WF_CUDA T atomicCAS(T* at, typename wf_same<T>::type known, typename wf_same<T>::type x) {
  __scoped_atomic_compare_exchange_n(WF_ADDRESS(at), &known, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  return known;
}

// ---- memory, bits and arithmetic -----------------------------------------------------------------------------------------------

template <class T> WF_CUDA T __ldg(const T* from) { return *from; }
WF_CUDA float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WF_CUDA float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WF_CUDA double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WF_CUDA int __popc(unsigned x) { return __builtin_popcount(x); }
WF_CUDA int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
WF_CUDA int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
WF_CUDA int __ffs(int x) { return x == 0 ? 0 : __builtin_ctz(unsigned(x)) + 1; }
WF_CUDA unsigned __funnelshift_r(unsigned low, unsigned high, unsigned count) {
  return unsigned(((unsigned long long)high << 32 | low) >> (count & 31));
}

WF_CUDA float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
WF_CUDA float __fmul_rn(float x, float y) { return x * y; }
WF_CUDA float __fdiv_rn(float x, float y) { return x / y; }
WF_CUDA float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
template <class T> WF_CUDA T min(T x, T y) { return y < x ? y : x; }
template <class T> WF_CUDA T max(T x, T y) { return x < y ? y : x; }

namespace wf {

// Intel's runtime does not vectorize atomic loads and stores. A volatile word is read and written at once.
WF_CUDA unsigned long long load_relaxed(const unsigned long long* p) { return *(const volatile unsigned long long*)p; }
WF_CUDA void store_relaxed(unsigned long long* p, unsigned long long x) { *(volatile unsigned long long*)p = x; }

}  // namespace wf
