// CUDA's dialect for clang, as far as kernels use it, and what cuda.cuh defines for NVIDIA: clang compiles kernels as HIP. spirv.cuh and amd.cuh define
// what differs between devices: indices, barriers, shuffles within 32 threads, atomic operations.
#pragma once

#undef __x86_64__  // the host's macros, which HIP defines, too
#define __FMA__ 1
#define WF_CUDA static __device__ __forceinline__

#ifdef __AMDGCN__
#include "cuda/dialects/amd.cuh"
#else
#include "cuda/dialects/spirv.cuh"
#endif

// Lanes exchange values within segments of `width` lanes, a power of two. Masks are those of whole segments.
WF_CUDA unsigned __shfl_sync(unsigned, unsigned x, int lane, int width = 32) {
  return wf_shuffle(x, (wf_lane() & ~unsigned(width - 1)) | (unsigned(lane) & unsigned(width - 1)));
}
WF_CUDA unsigned __shfl_down_sync(unsigned, unsigned x, int distance, int width = 32) {
  const unsigned place = (wf_lane() & unsigned(width - 1)) + unsigned(distance);
  return wf_shuffle(x, place < unsigned(width) ? wf_lane() + unsigned(distance) : wf_lane());
}
WF_CUDA unsigned __shfl_up_sync(unsigned, unsigned x, int distance) {
  return wf_shuffle(x, wf_lane() >= unsigned(distance) ? wf_lane() - unsigned(distance) : wf_lane());
}
template <class T> WF_CUDA T __shfl_xor_sync(unsigned, T x, int mask) {
  return __builtin_bit_cast(T, wf_shuffle(__builtin_bit_cast(unsigned, x), wf_lane() ^ unsigned(mask)));
}
WF_CUDA bool __all_sync(unsigned lanes, bool x) { return __ballot_sync(lanes, !x) == 0; }

template <class T> WF_CUDA T __ldcs(const T* from) { return *from; }
template <class T> WF_CUDA void __stcs(T* to, T x) { *to = x; }
#define memcpy(to, from, bytes) __builtin_memcpy(to, from, bytes)
#define fabsf(x) __builtin_fabsf(x)
#define fminf(x, y) __builtin_fminf(x, y)
#define fmaxf(x, y) __builtin_fmaxf(x, y)
#define fmin(x, y) __builtin_fmin(x, y)
#define fmax(x, y) __builtin_fmax(x, y)

#pragma clang force_cuda_host_device begin  // functions without qualifiers are the device's
#include "ops/builtins.h"

namespace wf {

constexpr bool blocks_start_in_order = false;  // a block may start after one with a higher number ended

WF_FN void prefetch(const void*) {}
template <class T> WF_FN T load_if(bool is_there, const T* from) { return is_there ? *from : T(0); }
WF_FN bool look_if(bool is_there, const bool* from, bool otherwise) { return is_there ? *from : otherwise; }

WF_FN unsigned long long load_acquire(const unsigned long long* p) {
  const unsigned long long x = load_relaxed(p);
  __threadfence();
  return x;
}
WF_FN void store_release(unsigned long long* p, unsigned long long x) {
  __threadfence();
  store_relaxed(p, x);
}
WF_FN void store_release_to_host(unsigned long long* p, unsigned long long x) {
  __threadfence_system();
  store_relaxed(p, x);
}

WF_FN float again(float x) { return x; }
WF_FN int again(int x) { return x; }
WF_FN float approximate_reciprocal(float x) { return 1 / x; }
WF_FN float approximate_reciprocal_root(float x) { return 1 / __builtin_sqrtf(x); }
WF_FN int dot_of_bytes(unsigned x, unsigned y, int sum) {
  for (int k = 0; k < 32; k += 8) sum += int((signed char)(x >> k)) * int((signed char)(y >> k));
  return sum;
}

}  // namespace wf
