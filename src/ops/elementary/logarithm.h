// Logarithms: x = 2^e (1 + f), 1 + f in [sqrt 1/2, sqrt 2), log(1 + f) by a minimax polynomial.
#pragma once

#include "ops/elementary/arithmetic.h"

namespace wf {
namespace meaning {

template <class T> struct Split { T e, f; };  // x = 2^e (1 + f)

// With `normal`, x must be a normal number. The high bits of `from_root` are e + offset, which is not negative.
template <bool normal = false, class T> WF_FN Split<T> split(T x) {
  constexpr BitsOf<T> root_half = sizeof(T) == 4 ? BitsOf<T>(0x3f3504f3) : BitsOf<T>(0x3fe6a09e667f3bcd);
  constexpr int digits = Format<T>::digits;
  constexpr BitsOf<T> fraction = (BitsOf<T>(1) << digits) - 1, offset = Format<T>::bias + digits;
  BitsOf<T> from_root = bits_in(x) - root_half + (offset << digits);
  if constexpr (!normal)
    from_root =
        x < Format<T>::smallest_normal ? bits_in(x * Format<T>::integer) - root_half + (BitsOf<T>(Format<T>::bias) << digits) : from_root;
  T biased = from_bits_in((from_root >> digits) | bits_in(Format<T>::integer));
  return {biased - (Format<T>::integer + T(offset)), from_bits_in((from_root & fraction) + root_half) - 1};
}

// (log(1 + f) - f) / f^2
WF_FN float log_quotient(float f) {
  return horner(f, -0.5f, 0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a008p-3f, -0x1.547246p-3f, 0x1.22da18p-3f, -0x1.0d8532p-3f, 0x1.055b8cp-3f,
                -0x1.38b62p-4f);
}
// log(1 + f) - f
WF_FN float log_tail(float f) { return f * f * log_quotient(f); }
// log(1 + f) = 2 atanh s, s = f / (2 + f); f - f^2/2 + s (f^2/2 + s^2 R(s^2)) keeps f exact.
WF_FN double log_tail(double f) {
  double s = f * inverse_of(2 + f), z = s * s, half_square = 0.5 * f * f;
  double r = horner(z, 0x1.5555555555555p-1, 0x1.9999999999d58p-2, 0x1.249249242f0ap-2, 0x1.c71c725c1a9d9p-3, 0x1.745cdb8fd4c97p-3,
                    0x1.3b2153e99af91p-3, 0x1.0f4a996b43ec5p-3, 0x1.101eac7a44dedp-3);
  return fma(s, fma(z, r, half_square), -half_square);
}

// ln 2 in two parts, of which the first times an exponent is exact; log 2 in base 10 likewise; 1 / ln 2 and 1 / ln 10.
template <class T> struct LogConstants;
template <> struct LogConstants<float> {
  static constexpr Pair<float> ln2 = {0x1.62ep-1f, 0x1.0bfbe8p-15f}, log10_2 = {0x1.344p-2f, 0x1.3509f8p-18f},
                               per_ln2 = {0x1.715476p+0f, 0x1.4ae0cp-26f}, per_ln10 = {0x1.bcb7b2p-2f, -0x1.5b235ep-27f};
};
template <> struct LogConstants<double> {
  static constexpr Pair<double> ln2 = {0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40}, log10_2 = {0x1.34413509ep-2, 0x1.79fef311f12b3p-38},
                                per_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56},
                                per_ln10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
};

// The value at x = 0, inf, NaN and below 0; y otherwise.
template <class T> WF_FN T log_ends(T x, T y) {
  const T inf = T(__builtin_inf());
  y = x < inf ? y : x;
  y = x == 0 ? -inf : y;
  return x < 0 ? T(__builtin_nan("")) : y;
}

// log(2^e (1 + f)) + more = high + low, where the rounding error of low is far below an ULP of high, unless e = 0
template <class T> WF_FN Pair<T> log_in_parts(Split<T> x, T more) {
  auto [high, low] = sum_of_ordered(x.e * LogConstants<T>::ln2.high, x.f);
  return {high, low + (log_tail(x.f) + fma(x.e, LogConstants<T>::ln2.low, more))};
}
template <class T> WF_FN T log_of_split(Split<T> x, T more) { return value_of_pair(log_in_parts(x, more)); }
// In the base whose logarithm of 2 is `step` and whose natural logarithm is 1 / `scale`.
template <class T> WF_FN T log_in_base(T x, Pair<T> step, Pair<T> scale) {
  auto [e, f] = split(x);
  auto [fraction, rest] = product_of(f, scale.high);
  auto [high, low] = sum_of_ordered(e * step.high, fraction);
  return log_ends(x, high + (low + fma(e, step.low, fma(log_tail(f), scale.high, fma(f, scale.low, rest)))));
}
// In f32, e ln 2 need not be in two parts: ln 2 is near a float, and the sum is not less than 1/4 unless e = 0.
WF_FN float math_log(float x) {
  auto [e, f] = split(x);
  return log_ends(x, fma(e, 0x1.62e43p-1f, fma(f * f, log_quotient(f), f)));
}
WF_FN double math_log(double x) { return log_ends(x, log_of_split(split(x), 0.0)); }
template <class T> WF_FN T math_log2(T x) { return log_in_base(x, Pair<T>{1, 0}, LogConstants<T>::per_ln2); }
template <class T> WF_FN T math_log10(T x) { return log_in_base(x, LogConstants<T>::log10_2, LogConstants<T>::per_ln10); }

}  // namespace meaning
}  // namespace wf
