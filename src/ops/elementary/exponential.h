// Exponentials and hyperbolic functions: e^x = 2^n e^r, |r| <= ln 2 / 2, e^r by a minimax polynomial.
#pragma once

#include "ops/elementary/arithmetic.h"

namespace wf {
namespace meaning {

template <class T> struct Ln2;  // high + low
template <> struct Ln2<float> { static constexpr float high = 0x1.62e43p-1f, low = -0x1.05c61p-29f, inverse = 0x1.715476p+0f; };
template <> struct Ln2<double> {
  static constexpr double high = 0x1.62e42fefa39efp-1, low = 0x1.abc9e3b39803fp-56, inverse = 0x1.71547652b82fep+0;
};

template <class T> struct Reduced {
  T r, low, n;
  BitsOf<T> integer;  // n as an integer
};

// x = n ln 2 + r + low. The difference x - n high is exact. Rounding by `rounder` + k makes the integer n + k.
template <class T> WF_FN Reduced<T> reduce_by_ln2(T x, T rounder = Format<T>::rounder) {
  T sum = fma(x, Ln2<T>::inverse, rounder), n = sum - rounder;
  T first = residual(-n, Ln2<T>::high, x), r = fma(-n, Ln2<T>::low, first);
  return {r, fma(-n, Ln2<T>::low, first - r), n, bits_in(sum) - bits_in(Format<T>::rounder)};
}

// (e^r - 1 - r) / r^2
WF_FN float exp_tail(float r) { return horner(r, 0x1p-1f, 0x1.5554dcp-3f, 0x1.5554eap-5f, 0x1.120c04p-7f, 0x1.6d4bfcp-10f); }
WF_FN double exp_tail(double r) {
  return horner(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555557p-5, 0x1.1111111110052p-7, 0x1.6c16c16c156a5p-10, 0x1.a01a01ac1d225p-13,
                0x1.a01a01ab9877ep-16, 0x1.71de01afce41fp-19, 0x1.27e4cfaf49e82p-22, 0x1.af4ec44e54553p-26, 0x1.1f86f01131676p-29);
}

// Below and above these, e^x is 0 and inf.
template <class T> struct ExpRange;
template <> struct ExpRange<float> { static constexpr float lowest = -105, highest = 89; };
template <> struct ExpRange<double> { static constexpr double lowest = -747, highest = 710; };
template <class T> WF_FN T within_exp_range(T x) { return limited(x, ExpRange<T>::lowest, ExpRange<T>::highest); }

// 2^n is 2^(n - 1) 2 above 0, where 2^n may overflow, and 2^(n + shift) 2^-shift below, where it may be subnormal.
template <class T> WF_FN T math_exp(T x) {
  constexpr int shift = Format<T>::bias / 2;
  bool above = x > 0;
  auto [r, low, n, integer] = reduce_by_ln2(within_exp_range(x), Format<T>::rounder + (above ? T(-1) : T(shift)));
  T down = power_of_two<T>(BitsOf<T>(0) - shift);
  return fma(fma(exp_tail(r), r, T(1)), r, T(1)) * power_of_two<T>(integer) * (above ? T(2) : down);
}

// (2^r - 1) / r, |r| <= 1/2
WF_FN float exp2_quotient(float r) {
  return horner(r, 0x1.62e43p-1f, 0x1.ebfbep-3f, 0x1.c6af9cp-5f, 0x1.3b2a48p-7f, 0x1.5ef5dp-10f, 0x1.442512p-13f);
}
WF_FN double exp2_quotient(double r) {
  return horner(r, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a1dp-5, 0x1.3b2ab6fba4d46p-7, 0x1.5d87fe7875782p-10,
                0x1.430912f8c3083p-13, 0x1.ffcbfd4249b5ep-17, 0x1.62c020e4a098cp-20, 0x1.b52342801c922p-24, 0x1.e4d409c81f11ep-28,
                0x1.ec56cff03726bp-32, 0x1.bde761a9d10fp-36);
}
template <class T> WF_FN T math_exp2(T x) {
  constexpr int lowest = sizeof(T) == 4 ? -151 : -1076, highest = sizeof(T) == 4 ? 129 : 1025;
  T y = limited(x, T(lowest), T(highest)), sum = y + Format<T>::rounder, r = y - (sum - Format<T>::rounder);
  return scaled(fma(exp2_quotient(r), r, T(1)), bits_in(sum) - bits_in(Format<T>::rounder));
}

// 2^n e^r - 1 = 2 (2^n' - 1/2 + 2^n' (e^r - 1)), n' = n - 1, so that 2^n' does not overflow before the result does.
template <class T> WF_FN T math_expm1(T x) {
  auto [r, low, n, integer] = reduce_by_ln2(limited(x, T(sizeof(T) == 4 ? -20 : -40), ExpRange<T>::highest));
  T half = power_of_two<T>(integer - 1);
  auto sum = sum_of_ordered(half - T(0.5), half * r);
  T y = 2 * (sum.high + fma(half, fma(r * r, exp_tail(r), low), sum.low));
  return float_abs(x) < T(0x1p-60) ? x : y;  // half of such an x may be inexact
}

// ---- sinh, cosh, tanh ---------------------------------------------------------------------------------------------------------

// e^x / 4 = high + low and e^-x / 4: a quarter, so that it does not overflow before sinh x and cosh x do.
template <class T> struct QuarterExp { T high, low, inverse; };
template <class T> WF_FN QuarterExp<T> quarter_exp(T size) {
  constexpr T highest = T(sizeof(T) == 4 ? 89.5 : 710.5);
  auto [r, low, n, integer] = reduce_by_ln2(size > highest ? highest : size);
  auto sum = sum_of_ordered(T(1), fma(exp_tail(r) * r, r, low) + r);
  T scale = power_of_two<T>(integer - 2), high = scale * sum.high;
  return {high, scale * sum.low, T(0.0625) * inverse_of(high)};
}
// (sinh x - x) / x^3, z = x^2 <= 1
WF_FN float sinh_tail(float z) { return horner(z, 0x1.555556p-3f, 0x1.1110c6p-7f, 0x1.a03554p-13f, 0x1.725236p-19f); }
WF_FN double sinh_tail(double z) {
  return horner(z, 0x1.5555555555555p-3, 0x1.1111111111198p-7, 0x1.a01a01a00b9c2p-13, 0x1.71de3a5e9b752p-19, 0x1.ae645336ffbc5p-26,
                0x1.612234504ed57p-33, 0x1.b260b8b04cbf5p-41);
}
template <class T> WF_FN T math_sinh(T x) {
  T size = float_abs(x), z = size * size;
  auto [high, low, inverse] = quarter_exp(size);
  return with_sign(size < 1 ? fma(size * z, sinh_tail(z), size) : 2 * (high + (low - inverse)), x);
}
template <class T> WF_FN T math_cosh(T x) {
  auto [high, low, inverse] = quarter_exp(float_abs(x));
  return 2 * (high + (low + inverse));
}
// (tanh x - x) / x^3, z = x^2 <= 9/16
WF_FN float tanh_tail(float z) {
  return horner(z, -0x1.555554p-2f, 0x1.111024p-3f, -0x1.b9d3b2p-5f, 0x1.6209bcp-6f, -0x1.03a58cp-7f, 0x1.f3167p-10f);
}
WF_FN double tanh_tail(double z) {
  return horner(z, -0x1.5555555555555p-2, 0x1.1111111110ffap-3, -0x1.ba1ba1ba02952p-5, 0x1.664f487b4d109p-6, -0x1.226e343154196p-7,
                0x1.d6d397aa5651dp-9, -0x1.7d9fdefc815b2p-10, 0x1.3532a1811edaep-11, -0x1.f353dc516db8ap-13, 0x1.8b57353b48801p-14,
                -0x1.2176fb4c3bd7fp-15, 0x1.5176c139edf8ep-17, -0x1.b9410524d4535p-20);
}
// 1 - 2 / (e^2|x| + 1) from 3/4 on; from 10 (20) on, this is 1 in T.
template <class T> WF_FN T math_tanh(T x) {
  constexpr T limit = sizeof(T) == 4 ? 10 : 20;
  T size = float_abs(x), z = size * size;
  auto [r, low, n, integer] = reduce_by_ln2(2 * (size > limit ? limit : size));
  T power = power_of_two<T>(integer) * fma(fma(exp_tail(r), r, T(1)), r, T(1));
  return with_sign(size < T(0.75) ? fma(size * z, tanh_tail(z), size) : 1 - 2 * inverse_of(power + 1), x);
}

}  // namespace meaning
}  // namespace wf
