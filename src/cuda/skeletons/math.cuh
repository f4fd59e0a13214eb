// The builtins that src/ops calls, mapped to CUDA's functions of the same meaning, which need no header.
#pragma once

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
