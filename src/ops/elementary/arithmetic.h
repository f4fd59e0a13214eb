// Arithmetic that the elementary functions share. IEEE 754 defines all of it, and nothing is contracted, so engines compute the same bits.
//
// The functions of this folder have no branches, so that compilers vectorize the loops that call them. They include nothing else.
#pragma once

#include "ops/builtins.h"

namespace wf {
namespace meaning {

// Bits: the unsigned type of T's representation. Adding `rounder` to a T of moderate size rounds it to an integer, which the low bits of
// the sum contain; adding `integer` does the same to one from 0 on.
template <class T> struct Format;
template <> struct Format<float> {
  using Bits = unsigned;
  static constexpr int digits = 23;
  static constexpr Bits bias = 127;
  static constexpr float rounder = 0x1.8p23f, integer = 0x1p23f, smallest_normal = 0x1p-126f;
};
template <> struct Format<double> {
  using Bits = unsigned long long;
  static constexpr int digits = 52;
  static constexpr Bits bias = 1023;
  static constexpr double rounder = 0x1.8p52, integer = 0x1p52, smallest_normal = 0x1p-1022;
};
template <class T> using BitsOf = typename Format<T>::Bits;

#ifdef __CUDACC__
WF_FN unsigned bits_in(float x) { return __float_as_uint(x); }
WF_FN unsigned long long bits_in(double x) { return (unsigned long long)__double_as_longlong(x); }
WF_FN float from_bits_in(unsigned x) { return __uint_as_float(x); }
WF_FN double from_bits_in(unsigned long long x) { return __longlong_as_double((long long)x); }
#else
WF_FN unsigned bits_in(float x) { return __builtin_bit_cast(unsigned, x); }
WF_FN unsigned long long bits_in(double x) { return __builtin_bit_cast(unsigned long long, x); }
WF_FN float from_bits_in(unsigned x) { return __builtin_bit_cast(float, x); }
WF_FN double from_bits_in(unsigned long long x) { return __builtin_bit_cast(double, x); }
#endif

WF_FN float with_sign(float x, float of) { return __builtin_copysignf(x, of); }
WF_FN double with_sign(double x, double of) { return __builtin_copysign(x, of); }

// A number as the unevaluated sum of two, of which the second is small.
template <class T> struct Pair { T high, low; };

// fma rounds once on GPUs and on processors with the instruction (AVX2 and AVX-512), which therefore agree to the last bit. The others round
// the product, too, where its error does not matter. `residual` is a b + c for c near -a b, and `product_of` is exact, on all of them.
#if defined(__FMA__) || defined(__CUDACC__)
WF_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WF_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> WF_FN T residual(T a, T b, T c) { return fma(a, b, c); }
template <class T> WF_FN Pair<T> product_of(T a, T b) {
  T high = a * b;
  return {high, fma(a, b, -high)};
}
#else
WF_FN float fma(float a, float b, float c) { return a * b + c; }
WF_FN double fma(double a, double b, double c) { return a * b + c; }
WF_FN float residual(float a, float b, float c) { return float(double(a) * double(b) + double(c)); }
WF_FN Pair<float> product_of(float a, float b) {
  float high = a * b;
  return {high, float(double(a) * double(b) - double(high))};
}
// T. J. Dekker, "A floating-point technique for extending the available precision", 1971, for factors below 2^996.
WF_FN Pair<double> product_of(double a, double b) {
  double split_a = a * 0x1.0000002p27, split_b = b * 0x1.0000002p27, high = a * b;
  double a_high = split_a - (split_a - a), a_low = a - a_high, b_high = split_b - (split_b - b), b_low = b - b_high;
  return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
WF_FN double residual(double a, double b, double c) {
  auto [high, low] = product_of(a, b);
  return (high + c) + low;
}
#endif

// 1 / x and the root of x, rounded to the nearest number: for normal x with a normal inverse, and for 0 or x from 2^-100 (2^-960) to 2^126
// (2^1022). Beyond these ranges engines may differ, and so may the inverse of the largest f64 number below a power of two.
// GPUs compute them by the steps of their general operations (P. W. Markstein, "Computation of elementary functions on the IBM RISC
// System/6000 processor", 1990), without the branch to the cases outside of that range.
#ifdef __CUDACC__
WF_FN float inverse_of(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fma(y, fma(-x, y, 1.0f), y);
}
WF_FN double inverse_of(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double error = fma(-x, y, 1.0);
  y = fma(y, fma(error, error, error), y);
  return fma(y, fma(-x, y, 1.0), y);
}
WF_FN float root_of_positive(float x) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  float y = x * inverse;
  return fma(fma(-y, y, x), 0.5f * inverse, y);
}
WF_FN double root_of_positive(double x) {
  double inverse;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(x));
  double error = fma(x, -(inverse * inverse), 1.0);
  inverse = fma(fma(error, 0.375, 0.5), inverse * error, inverse);
  double y = x * inverse;
  return fma(fma(-y, y, x), 0.5 * inverse, y);
}
template <class T> WF_FN T root_in_range(T x) {
  T y = root_of_positive(x);
  return x == 0 ? x : y;
}
#else
template <class T> WF_FN T inverse_of(T x) { return 1 / x; }
template <class T> WF_FN T root_of_positive(T x) { return root(x); }
template <class T> WF_FN T root_in_range(T x) { return root(x); }
#endif
// condition ? a : b, after computing both. Compilers for GPUs would branch around the longer one, which costs more if a warp's threads differ.
#ifdef __CUDACC__
WF_FN float chosen(bool condition, float a, float b) {
  float y;
  asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; selp.f32 %0, %1, %2, p; }" : "=f"(y) : "f"(a), "f"(b), "r"(int(condition)));
  return y;
}
#else
WF_FN float chosen(bool condition, float a, float b) { return condition ? a : b; }
#endif
// a / b for operands of moderate sizes, to an error near half an ULP.
template <class T> WF_FN T quotient_in_range(T a, T b) {
  T inverse = inverse_of(b), y = a * inverse;
  return fma(residual(-y, b, a), inverse, y);
}

// c0 + x (c1 + x (c2 + ...))
template <class T> WF_FN T horner(T, T c) { return c; }
template <class T, class... Rest> WF_FN T horner(T x, T c, Rest... rest) { return fma(x, horner(x, rest...), c); }

// x limited to [low, high]; NaN stays. Neither condition depends on the other one, so compilers do not nest them.
template <class T> WF_FN T limited(T x, T low, T high) {
  T y = x > high ? high : x;
  return x < low ? low : y;
}

// 2^n for normal results; n may be negative, modulo 2^32 or 2^64.
template <class T> WF_FN T power_of_two(BitsOf<T> n) { return from_bits_in((n + Format<T>::bias) << Format<T>::digits); }

// y 2^n for |n| < 4096, rounded once even if it is subnormal. (A logical shift, since AVX2 has no arithmetic one of 64 bits.)
template <class T> WF_FN T scaled(T y, BitsOf<T> n) {
  BitsOf<T> half = ((n + 4096) >> 1) - 2048;
  return y * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// The same for n from -2 bias to 0.
template <class T> WF_FN T scaled_down(T y, BitsOf<T> n) {
  constexpr int shift = (Format<T>::bias + 1) / 2;
  return y * power_of_two<T>(n + shift) * power_of_two<T>(BitsOf<T>(0) - shift);
}

// a + b for |a| >= |b| or a = 0.
template <class T> WF_FN Pair<T> sum_of_ordered(T a, T b) {
  T high = a + b;
  return {high, b - (high - a)};
}
// Without an order of size.
template <class T> WF_FN Pair<T> sum_of(T a, T b) {
  T high = a + b, part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}
template <class T> WF_FN Pair<T> sum_of(Pair<T> x, Pair<T> y) {
  auto [high, low] = sum_of(x.high, y.high);
  return sum_of_ordered(high, low + (x.low + y.low));
}
template <class T> WF_FN Pair<T> product_of(Pair<T> a, Pair<T> b) {
  auto [high, low] = product_of(a.high, b.high);
  return {high, fma(a.high, b.low, fma(a.low, b.high, low))};
}
// a / b for operands of moderate sizes.
template <class T> WF_FN Pair<T> quotient_of(Pair<T> a, Pair<T> b, T inverse) {
  T high = a.high * inverse;
  return {high, (residual(-high, b.high, a.high) + fma(-high, b.low, a.low)) * inverse};
}
template <class T> WF_FN Pair<T> quotient_of(Pair<T> a, Pair<T> b) { return quotient_of(a, b, inverse_of(b.high)); }
template <class T> WF_FN T value_of_pair(Pair<T> x) { return x.high + x.low; }

}  // namespace meaning
}  // namespace wf
