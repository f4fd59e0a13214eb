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

// x = n ln 2 + r + low. The difference x - n high is exact.
template <class T> WF_FN Reduced<T> reduce_by_ln2(T x) {
  T sum = fma(x, Ln2<T>::inverse, Format<T>::rounder), n = sum - Format<T>::rounder;
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

template <class T> WF_FN T math_exp(T x) {
  auto [r, low, n, integer] = reduce_by_ln2(within_exp_range(x));
  return scaled(fma(fma(exp_tail(r), r, T(1)), r, T(1)), integer);
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

// ---- sinh, cosh, tanh: of |x| = n ln 2 + r, from sinh r and cosh r --------------------------------------------------------------

// (sinh r - r) / r^3 and (cosh r - 1) / r^2, z = r^2 <= 1
WF_FN float sinh_tail(float z) { return horner(z, 0x1.555556p-3f, 0x1.1110c6p-7f, 0x1.a03554p-13f, 0x1.725236p-19f); }
WF_FN double sinh_tail(double z) {
  return horner(z, 0x1.5555555555555p-3, 0x1.1111111111198p-7, 0x1.a01a01a00b9c2p-13, 0x1.71de3a5e9b752p-19, 0x1.ae645336ffbc5p-26,
                0x1.612234504ed57p-33, 0x1.b260b8b04cbf5p-41);
}
WF_FN float cosh_tail(float z) { return horner(z, 0x1p-1f, 0x1.555572p-5f, 0x1.6c017cp-10f, 0x1.a92406p-16f); }
WF_FN double cosh_tail(double z) {
  return horner(z, 0x1p-1, 0x1.5555555555555p-5, 0x1.6c16c16c16ca8p-10, 0x1.a01a01a00fc4fp-16, 0x1.27e4fb7bfbdafp-22, 0x1.1eed8eab8e174p-29,
                0x1.9393b540097dep-37, 0x1.b29cf39aba464p-45);
}

// Up to |x| = 1, n is 0, so that no difference loses leading digits.
template <class T> struct HyperbolicParts {
  T r, sinh_rest, cosh_rest;  // sinh r = r + sinh_rest, cosh r = 1 + cosh_rest
  T up, down;                 // 2^n / 4, 2^-n / 4
  bool near_zero;
};
template <class T> WF_FN HyperbolicParts<T> hyperbolic_parts(T size) {
  auto [reduced, low, steps, integer] = reduce_by_ln2(size);
  bool near_zero = size < 1;
  T r = near_zero ? size : reduced, z = r * r;
  BitsOf<T> n = near_zero ? 0 : integer, small_n = steps < 100 ? n : 100;
  return {r,
          fma(r * z, sinh_tail(z), near_zero ? T(0) : low),
          z * cosh_tail(z),
          power_of_two<T>(n - 2),
          power_of_two<T>(0 - small_n - 2),
          near_zero};
}

template <class T> constexpr T highest_hyperbolic = T(sizeof(T) == 4 ? 89.5 : 710.5);

// sinh (n ln 2 + r) = sinh n ln 2 cosh r + cosh n ln 2 sinh r, and cosh likewise; halved so that it does not overflow before the result.
template <class T> WF_FN T math_sinh(T x) {
  T size = float_abs(x);
  auto [r, sinh_rest, cosh_rest, up, down, near_zero] = hyperbolic_parts(size > highest_hyperbolic<T> ? highest_hyperbolic<T> : size);
  auto sine = sum_of_ordered(up, -down), cosine = sum_of_ordered(up, down);
  T y = 2 * (sine.high + fma(cosine.high, r, fma(cosine.high, sinh_rest, fma(sine.high, cosh_rest, sine.low))));
  return size < T(0x1p-60) ? x : with_sign(y, x);
}
template <class T> WF_FN T math_cosh(T x) {
  T size = float_abs(x);
  auto [r, sinh_rest, cosh_rest, up, down, near_zero] = hyperbolic_parts(size > highest_hyperbolic<T> ? highest_hyperbolic<T> : size);
  auto sine = sum_of_ordered(up, -down), cosine = sum_of_ordered(up, down);
  return 2 * (cosine.high + fma(sine.high, r, fma(sine.high, sinh_rest, fma(cosine.high, cosh_rest, cosine.low))));
}
// sinh / cosh up to 1, then 1 - e^-x / cosh x; from 10 (20) on, 1 in T.
template <class T> WF_FN T math_tanh(T x) {
  constexpr T limit = sizeof(T) == 4 ? 10 : 20;
  T size = float_abs(x);
  auto [r, sinh_rest, cosh_rest, up, down, near_zero] = hyperbolic_parts(size > limit ? limit : size);
  auto sine = sum_of_ordered(r, sinh_rest);
  T rest = fma(2 * (up - down), sine.high, 2 * (up + down) * cosh_rest), exponential = ((1 + cosh_rest) - sine.high) * (4 * down);
  auto numerator = Pair<T>{near_zero ? sine.high : exponential, near_zero ? sine.low : 0};
  T quotient = value_of_pair(quotient_of(numerator, sum_of_ordered(2 * (up + down), rest)));
  return with_sign(near_zero ? quotient : 1 - quotient, x);
}

}  // namespace meaning
}  // namespace wf
