// The helper functions that ops.def's meanings call: plain C++ that gcc vectorises and NVRTC compiles. It includes nothing,
// so that files compiled for one instruction set can include it without leaking code to another.
#pragma once

#ifdef __CUDACC__
#define WF_FN __device__ __forceinline__
#define WF_MEMBER __device__ __forceinline__
#else
#define WF_FN static inline __attribute__((always_inline, unused))
#define WF_MEMBER inline __attribute__((always_inline))
#endif

namespace wf {
namespace meaning {

// U: the unsigned type in which T wraps, at least 32 bits wide; T itself for floats.
template <class T> struct Wrap { using type = T; };
template <> struct Wrap<signed char> { using type = unsigned; };
template <> struct Wrap<unsigned char> { using type = unsigned; };
template <> struct Wrap<int> { using type = unsigned; };
template <> struct Wrap<unsigned> { using type = unsigned; };
template <> struct Wrap<long> { using type = unsigned long; };
template <> struct Wrap<unsigned long> { using type = unsigned long; };
template <> struct Wrap<long long> { using type = unsigned long long; };
template <> struct Wrap<unsigned long long> { using type = unsigned long long; };

template <class T> struct IsFloat { static constexpr bool value = false; };
template <> struct IsFloat<float> { static constexpr bool value = true; };
template <> struct IsFloat<double> { static constexpr bool value = true; };

// Integers: x / 0 = x % 0 = 0, smallest / -1 wraps. Floats: IEEE division, remainder with the sign of x.
template <class T> WF_FN T divide(T x, T y) {
  if constexpr (IsFloat<T>::value) {
    return x / y;
  } else {
    using U = typename Wrap<T>::type;
    if (y == T(0)) return T(0);
    if constexpr (T(-1) < T(0)) {
      if (y == T(-1)) return T(U(0) - U(x));
    }
    return T(x / y);
  }
}
WF_FN float float_remainder(float x, float y) { return __builtin_fmodf(x, y); }
WF_FN double float_remainder(double x, double y) { return __builtin_fmod(x, y); }
template <class T> WF_FN T remainder(T x, T y) {
  if constexpr (IsFloat<T>::value) {
    return float_remainder(x, y);
  } else {
    if (y == T(0)) return T(0);
    if constexpr (T(-1) < T(0)) {
      if (y == T(-1)) return T(0);
    }
    return T(x % y);
  }
}

// min and max ignore a NaN if the other operand is a number, and return the first of equal operands (0 and -0).
template <class T> WF_FN T lesser(T x, T y) {
  if constexpr (IsFloat<T>::value) return ((y < x) | (x != x)) ? y : x;
  else return y < x ? y : x;
}
template <class T> WF_FN T greater(T x, T y) {
  if constexpr (IsFloat<T>::value) return ((x < y) | (x != x)) ? y : x;
  else return x < y ? y : x;
}

template <class T> WF_FN T negate(T x) {
  if constexpr (IsFloat<T>::value) return -x;
  else return T(typename Wrap<T>::type(0) - typename Wrap<T>::type(x));
}
WF_FN float float_abs(float x) { return __builtin_fabsf(x); }
WF_FN double float_abs(double x) { return __builtin_fabs(x); }
template <class T> WF_FN T magnitude(T x) {
  if constexpr (IsFloat<T>::value) return float_abs(x);
  else return x < T(0) ? negate(x) : x;
}
// -1, 0 or 1; NaN stays NaN, and a zero keeps its sign.
template <class T> WF_FN T signum(T x) {
  if constexpr (IsFloat<T>::value) return x > T(0) ? T(1) : x < T(0) ? T(-1) : x;
  else return T((x > T(0)) - (x < T(0)));
}

WF_FN bool complement(bool x) { return !x; }
template <class T> WF_FN T complement(T x) { return T(~x); }

// The count is taken modulo the width; shr of a signed type copies the sign.
template <class T> WF_FN T shift_left(T x, T n) {
  using U = typename Wrap<T>::type;
  return T(U(x) << (unsigned(n) & (8 * sizeof(T) - 1)));
}
template <class T> WF_FN T shift_right(T x, T n) { return T(x >> (unsigned(n) & (8 * sizeof(T) - 1))); }

// Bit counts by arithmetic alone, so that every compiler vectorises them.
WF_FN unsigned count32(unsigned v) {
  v = v - ((v >> 1) & 0x55555555u);
  v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
  return (((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}
WF_FN unsigned long long count64(unsigned long long v) {
  v = v - ((v >> 1) & 0x5555555555555555ull);
  v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);
  return (((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull) >> 56;
}
template <class T> WF_FN T population(T x) {
  if constexpr (sizeof(T) == 1) return T(count32(unsigned(x) & 0xffu));
  else if constexpr (sizeof(T) == 4) return T(count32(unsigned(x)));
  else return T(count64((unsigned long long)x));
}
// The width for x = 0.
template <class T> WF_FN T leading_zeros(T x) {
  if constexpr (sizeof(T) <= 4) {
    unsigned v = sizeof(T) == 1 ? unsigned(x) & 0xffu : unsigned(x);
    v |= v >> 1, v |= v >> 2, v |= v >> 4, v |= v >> 8, v |= v >> 16;
    return T(8 * sizeof(T) - count32(v));
  } else {
    unsigned long long v = (unsigned long long)x;
    v |= v >> 1, v |= v >> 2, v |= v >> 4, v |= v >> 8, v |= v >> 16, v |= v >> 32;
    return T(64 - count64(v));
  }
}

WF_FN float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WF_FN double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
WF_FN float root(float x) { return __builtin_sqrtf(x); }
WF_FN double root(double x) { return __builtin_sqrt(x); }
// Both roundings of 1 / sqrt(x) together stay within 1 ULP in f64; f32 is computed in f64.
#ifdef __CUDACC__
WF_FN float reciprocal_root(float x) { return rsqrtf(x); }  // within 2 ULP
#else
WF_FN float reciprocal_root(float x) { return float(1.0 / __builtin_sqrt(double(x))); }
#endif
WF_FN double reciprocal_root(double x) { return 1.0 / __builtin_sqrt(x); }
template <class T> WF_FN bool infinite(T x) { return float_abs(x) == T(__builtin_inf()); }
template <class T> WF_FN bool finite(T x) { return float_abs(x) < T(__builtin_inf()); }

#ifndef WF_WITHOUT_MATH
#define WF_MATH1(name)                                                \
  WF_FN float math_##name(float x) { return __builtin_##name##f(x); } \
  WF_FN double math_##name(double x) { return __builtin_##name(x); }
#define WF_MATH2(name)                                                            \
  WF_FN float math_##name(float x, float y) { return __builtin_##name##f(x, y); } \
  WF_FN double math_##name(double x, double y) { return __builtin_##name(x, y); }
// Functions whose f32 form in libm exceeds 2 ULP are rounded from f64.
#define WF_MATH1_BY_F64(name)                                                     \
  WF_FN float math_##name(float x) { return float(__builtin_##name(double(x))); } \
  WF_FN double math_##name(double x) { return __builtin_##name(x); }

WF_MATH1(exp)
WF_MATH1(exp2)
WF_MATH1(expm1)
WF_MATH1(log)
WF_MATH1(log2)
WF_MATH1(log10)
WF_MATH1(log1p)
WF_MATH1(sin)
WF_MATH1(cos)
WF_MATH1(tan)
WF_MATH1(asin)
WF_MATH1(acos)
WF_MATH1(atan)
WF_MATH1(sinh)
WF_MATH1(cosh)
WF_MATH1(asinh)
WF_MATH1(acosh)
WF_MATH1(atanh)
WF_MATH1(erf)
WF_MATH1_BY_F64(erfc)
WF_MATH1(floor)
WF_MATH1(ceil)
WF_MATH1(round)
WF_MATH1(trunc)
WF_MATH2(pow)
WF_MATH2(hypot)
WF_MATH2(atan2)
WF_MATH2(copysign)
WF_FN float math_cbrt(float x) { return __builtin_cbrtf(x); }
// libm's cbrt may be 4 ULP off; one Newton step with an exact residual brings it within 1.
WF_FN double math_cbrt(double x) {
  double y = __builtin_cbrt(x);
  if (x == 0 || !finite(x)) return y;
  double square = y * y, error = __builtin_fma(y, y, -square);
  double residual = __builtin_fma(square, y, -x) + error * y;
  return y - residual / (3 * square);
}
// libm's tanh may be 2.1 ULP off below 1. There tanh x = t / (t + 2) for t = expm1(2x), x > 0, which reduces t's own error;
// the rounding errors of the sum and the quotient are added back.
WF_FN double math_tanh(double x) {
  if (!(float_abs(x) < 1)) return __builtin_tanh(x);
  double t = __builtin_expm1(2 * float_abs(x)), sum = t + 2, part = sum - t;
  double error = (t - (sum - part)) + (2 - part), quotient = t / sum;
  return __builtin_copysign(quotient + (__builtin_fma(-quotient, sum, t) - quotient * error) / sum, x);
}
WF_FN float math_tanh(float x) { return float(__builtin_tanh(double(x))); }
#undef WF_MATH1
#undef WF_MATH2
#undef WF_MATH1_BY_F64
#endif

// Float to integer saturates and NaN becomes 0; to bool is x != 0; everything else is a C++ cast.
template <class To, class From> struct Convert {
  static WF_MEMBER To of(From x) {
    if constexpr (IsFloat<From>::value && !IsFloat<To>::value) {
      constexpr bool is_signed = To(-1) < To(0);
      constexpr To high = is_signed ? To(~(1ull << (8 * sizeof(To) - 1))) : To(~0ull);
      constexpr To low = is_signed ? To(1ull << (8 * sizeof(To) - 1)) : To(0);
      constexpr From limit = From(1ull << (8 * sizeof(To) - (is_signed ? 1 : 0) - 1)) * From(2);  // highest + 1
      if (x != x) return To(0);
      if (x >= limit) return high;
      if (x <= From(low)) return low;
      return To(x);
    } else {
      return To(x);
    }
  }
};
template <class From> struct Convert<bool, From> {
  static WF_MEMBER bool of(From x) { return x != From(0); }
};
template <class To, class From> WF_FN To convert(From x) { return Convert<To, From>::of(x); }

}  // namespace meaning
}  // namespace wf
