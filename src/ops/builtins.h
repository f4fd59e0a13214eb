// The qualifiers of functions that are compiled for the CPU and by NVRTC, and the builtins that kernels without mathematical functions need.
#pragma once

#ifdef __CUDACC__
#define WF_FN __device__ __forceinline__
#define WF_MEMBER __device__ __forceinline__
#define WF_RARE static __device__ __noinline__
#define WF_GENERAL WF_RARE
#else
#define WF_FN static inline __attribute__((always_inline, unused))
#define WF_MEMBER inline __attribute__((always_inline))
#define WF_RARE static __attribute__((noinline, unused))
#define WF_GENERAL WF_FN
#endif

namespace wf {
namespace meaning {

WF_FN float float_abs(float x) { return __builtin_fabsf(x); }
WF_FN double float_abs(double x) { return __builtin_fabs(x); }
WF_FN float root(float x) { return __builtin_sqrtf(x); }
WF_FN double root(double x) { return __builtin_sqrt(x); }

}  // namespace meaning
}  // namespace wf
