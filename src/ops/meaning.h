// The helper functions that ops.def's meanings call: plain C++ that gcc vectorizes and NVRTC compiles. It includes only such files, so that
// files compiled for one instruction set can include it without leaking code to another.
#pragma once

#include "ops/builtins.h"
#include "ops/random/philox.h"
#ifndef WF_WITHOUT_MATH
#include "ops/elementary/arc.h"
#include "ops/elementary/circular.h"
#include "ops/elementary/error_function.h"
#include "ops/elementary/exponential.h"
#include "ops/elementary/half_turns.h"
#include "ops/elementary/inverse_hyperbolic.h"
#include "ops/elementary/power.h"
#ifndef WF_WITHOUT_SPECIAL
#include "ops/special/bessel.h"
#include "ops/special/derivatives.h"
#include "ops/special/incomplete_beta.h"
#include "ops/special/logistic.h"
#include "ops/special/modified_bessel.h"
#include "ops/special/multivariate.h"
#endif
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

// The greater of x and 0; NaN stays NaN.
template <class T> WF_FN T rectified(T x) {
  if constexpr (IsFloat<T>::value) return x < T(0) ? T(0) : x;
  else return T(0) < x ? x : T(0);
}

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

#if defined(__x86_64__) && !defined(__FMA__) && !defined(__CUDACC__)
// A sum rounded to odd: its last bit is 1 if it is not exact. Then rounding it to fewer bits, or adding it to a much greater number, rounds as if
// the sum was exact (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
WF_FN double rounded_to_odd(double sum, double error) {
  const auto bits = bits_in(sum), sign = bits_in(error), size = sign << 1 >> 1, above_infinity = bits_in(__builtin_inf()) + 1;
  const auto step = ~bits & ((0 - size) & (size - above_infinity)) >> 63;  // 1 for an even sum with an error, which is neither 0 nor NaN
  return from_bits_in(bits + step - 2 * (step & (sign ^ bits) >> 63));
}
// a + b - sum, exactly; NaN if the sum is not finite.
WF_FN double error_of_sum(double a, double b, double sum) {
  const double added = sum - a;
  return (a - (sum - added)) + (b - added);
}
// The product is exact in double. libm's function takes ten times as long.
WF_FN float fused(float a, float b, float c) {
  const double product = double(a) * double(b), addend = double(c), sum = product + addend;
  return float(rounded_to_odd(sum, error_of_sum(product, addend, sum)));
}
// The same of doubles that are neither 0, nor so large or small that a part of their product is not exact.
WF_FN bool has_exact_product(double a, double b, double c) {
  const auto is_in = [](double x, double least, double greatest) { return (x >= least) & (x <= greatest); };
  const double x = __builtin_fabs(a), y = __builtin_fabs(b), z = __builtin_fabs(c);
  return is_in(x, 0x1p-400, 0x1p400) & is_in(y, 0x1p-400, 0x1p400) & is_in(z, 0x1p-900, 0x1p900);
}
WF_FN double upper_half(double x) {
  const double shifted = x * 134217729;  // 2^27 + 1
  return shifted - (shifted - x);
}
WF_FN double fused_by_parts(double a, double b, double c) {
  const double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
  const double product = a * b, rest = a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);  // Dekker
  const double low = rest + c, high = product + low;
  const double low_error = error_of_sum(rest, c, low), high_error = error_of_sum(product, low, high), sum = low_error + high_error;
  return high + rounded_to_odd(sum, error_of_sum(low_error, high_error, sum));
}
#else
WF_FN float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif
WF_FN double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
// Both roundings together stay within 2 ULP; so does the instruction of GPUs.
template <class T> WF_FN T reciprocal_root(T x) { return 1 / root(x); }
#ifdef __CUDACC__
WF_FN float reciprocal_root(float x) { return rsqrtf(x); }
#endif
template <class T> WF_FN bool infinite(T x) { return float_abs(x) == T(__builtin_inf()); }
template <class T> WF_FN bool finite(T x) { return float_abs(x) < T(__builtin_inf()); }

#ifndef WF_WITHOUT_MATH
#define WF_MATH1(name)                                                \
  WF_FN float math_##name(float x) { return __builtin_##name##f(x); } \
  WF_FN double math_##name(double x) { return __builtin_##name(x); }
#define WF_MATH2(name)                                                            \
  WF_FN float math_##name(float x, float y) { return __builtin_##name##f(x, y); } \
  WF_FN double math_##name(double x, double y) { return __builtin_##name(x, y); }

WF_MATH1(floor)
WF_MATH1(ceil)
WF_MATH1(round)
WF_MATH1(trunc)
WF_MATH2(copysign)
#undef WF_MATH1
#undef WF_MATH2
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
