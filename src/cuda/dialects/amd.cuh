// CUDA's dialect for AMD's GPUs: what hipRTC, which includes HIP's header first, lacks of it or defines otherwise. A warp is a wavefront of 32 threads, or
// half of one of 64. Kernels compile; none ran yet.
#pragma once

#define __grid_constant__
#define WF_DYNAMIC_SHARED(alignment, name) \
  extern __shared__ __align__(alignment)   \
  unsigned char name[]

WF_CUDA void __syncwarp(unsigned = ~0u) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

// The thread's place in its wavefront.
WF_CUDA unsigned wf_place() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
WF_CUDA unsigned wf_lane() { return wf_place() & 31; }
WF_CUDA unsigned wf_shuffle(unsigned x, unsigned lane) {
  return unsigned(__builtin_amdgcn_ds_bpermute(int(((wf_place() & ~31u) | lane) << 2), int(x)));
}
WF_CUDA unsigned __ballot_sync(unsigned, bool x) { return unsigned(__ballot64(x) >> (wf_place() & 32)); }

// HIP has these for other types than long long.
template <class T> WF_CUDA T atomicMin(T* at, T x) { return __hip_atomic_fetch_min(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
template <class T> WF_CUDA T atomicMax(T* at, T x) { return __hip_atomic_fetch_max(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#define WF_REDUCTION(name) \
  template <class T, class X> WF_CUDA void reduce##name(T* at, X x) { atomic##name(at, T(x)); }
WF_REDUCTION(Add)
WF_REDUCTION(Min)
WF_REDUCTION(Max)
WF_REDUCTION(And)
WF_REDUCTION(Or)
WF_REDUCTION(Xor)

#define __ldg(from) (*(from))
#define __fsqrt_rn(x) __builtin_sqrtf(x)  // HIP's function is not correctly rounded

namespace wf {

WF_CUDA unsigned long long load_relaxed(const unsigned long long* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
WF_CUDA void store_relaxed(unsigned long long* p, unsigned long long x) {
  __hip_atomic_store(p, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

}  // namespace wf
