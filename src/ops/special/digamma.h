// Derivatives of log G: psi(x) = G'(x) / G(x) and psi'(x).
#pragma once

#include "ops/special/gamma.h"

namespace wf {
namespace meaning {

// psi(u) / (u - root) for 1 <= u <= 3, v = (u - 7/4) / (u + 7/4)
WF_FN float digamma_near(float v) {
  return horner(v, 0x1.b763cap-1f, -0x1.2452fcp+0f, 0x1.90cf22p-1f, -0x1.a4105ep-1f, 0x1.8ac34cp-1f, -0x1.9614f6p-1f, 0x1.8d632cp-1f,
                -0x1.8c3952p-1f, 0x1.83183cp-1f, -0x1.eca99ep-1f, 0x1.02464ap+0f);
}
WF_FN double digamma_near(double v) {
  return horner(v, 0x1.b763ca67112ap-1, -0x1.2452fb45047fcp+0, 0x1.90cf1e698a515p-1, -0x1.a41118afb4383p-1, 0x1.8ac56fb1a123ap-1,
                -0x1.95dcd0681ef81p-1, 0x1.8cec6c4fe1ba1p-1, -0x1.930942fe3d7d1p-1, 0x1.8e47b1aa0bc17p-1, -0x1.91fd01cbff047p-1,
                0x1.8efcaff3728c1p-1, -0x1.9176d13ee933p-1, 0x1.8f679d0efd1a3p-1, -0x1.90f99fa6ea873p-1, 0x1.8f33ebce80403p-1,
                -0x1.9401507b33592p-1, 0x1.960fb32a068aap-1, -0x1.70289713b85bcp-1, 0x1.58ef63bd1a208p-1, -0x1.26c63d9e7c08ap+0,
                0x1.472fcde500ae9p+0);
}
// z^2 (log z - 1 / (2z) - psi(z)) at t + 1/16 = 1 / z^2, z >= 3
WF_FN float digamma_tail(float t) { return horner(t, 0x1.53427cp-4f, -0x1.0234aep-7f, 0x1.b56dfap-9f, -0x1.84ce26p-9f); }
WF_FN double digamma_tail(double t) {
  return horner(t, 0x1.53427dcbfa65bp-4, -0x1.023627471d19fp-7, 0x1.b3fdf4d2660ffp-9, -0x1.736ae34b7a619p-9, 0x1.efa3427515e09p-9,
                -0x1.c735bd4fadccep-8, 0x1.09f3fae8b2568p-6, -0x1.774bd89dba06fp-5, 0x1.36b4a58993458p-3, -0x1.1dadea65735p-1,
                0x1.daea9a83109f8p+0, -0x1.7d805d9e2adccp+3, 0x1.dcc42d0de76cfp+6);
}

// The root of psi less 1, and the root.
template <class T> struct DigammaRoot;
template <> struct DigammaRoot<float> {
  static constexpr Pair<float> less_one = {0x1.d8b618p-2f, 0x1.ab5f2p-27f}, value = {0x1.762d86p+0f, 0x1.ab5f2p-27f};
};
template <> struct DigammaRoot<double> {
  static constexpr Pair<double> less_one = {0x1.d8b618d5af8fep-2, -0x1.1e563779a1f5bp-56},
                                value = {0x1.762d86356be3fp+0, 0x1.b86a722197829p-54};
};

// psi(x) = psi(1 + x) - 1 / x; psi(-x) = psi(1 + x) + pi / tan(pi x) = psi(x) + 1 / x + pi / tan(pi x)
template <class T> WF_FN T math_digamma(T x) {
  const T inf = T(__builtin_inf());
  T size = float_abs(x);
  bool negative = x < 0, shift = size < (negative ? T(2) : T(1));
  Pair<T> zero = shift ? DigammaRoot<T>::less_one : DigammaRoot<T>::value;
  T u = shift ? size + 1 : size, near = ((size - zero.high) - zero.low) * digamma_near((u - T(1.75)) / (u + T(1.75)));
  auto [high, low] = log_in_parts(split(size), T(0));
  T inverse = 1 / size, square = inverse * inverse;
  T far = high + (low - fma(square, digamma_tail(square - T(0.0625)), T(0.5) * inverse));
  T base = u < 3 ? near : far;
  auto turns = half_turns_of(size);
  auto sine = sine_size(turns), cosine = sine_size(HalfTurns<T>{turns.r, turns.quarter + 1});
  auto cotangent = quotient_of(product_of(cosine, Pi<T>::value), sine);
  BitsOf<T> sign = product_sign(turns);
  T cotangent_high = from_bits_in(bits_in(cotangent.high) ^ sign), cotangent_low = from_bits_in(bits_in(cotangent.low) ^ sign);
  auto sum = sum_of(base, cotangent_high);
  T reflected = sum.high + (sum.low + (cotangent_low + (shift ? T(0) : inverse))), shifted = base - 1 / x;
  T y = negative & (size > T(0x1p-60)) ? (sine.high == 0 ? T(__builtin_nan("")) : reflected) : shift ? shifted : base;
  return x != x ? x : x == inf ? inf : x == -inf ? T(__builtin_nan("")) : y;
}

// z psi'(z) at t + 1/2 = 1 / z, z >= 1
WF_FN float trigamma_quotient(float t) {
  return horner(t, 0x1.4a34ccp+0f, 0x1.4e6cd8p-1f, 0x1.0c0096p-3f, -0x1.204a36p-5f, -0x1.6281dp-12f, 0x1.191c44p-7f, -0x1.b7e44ap-8f,
                0x1.1550bp-9f, 0x1.48246p-9f, -0x1.7ff1d6p-9f);
}
WF_FN double trigamma_quotient(double t) {
  return horner(t, 0x1.4a34cc4a60fa6p+0, 0x1.4e6cd8b68858cp-1, 0x1.0c00f0c3e8b05p-3, -0x1.204a3bb1d34a3p-5, -0x1.79b126ededf15p-12,
                0x1.192525db2ca5ep-7, -0x1.a6f1506d3cbbcp-8, 0x1.1185b92bf04e7p-9, 0x1.4093b643e2f62p-10, -0x1.58ba99ce7bf4dp-9,
                0x1.3bf9571462557p-9, -0x1.43e928bffdb6ep-10, -0x1.a5ecd636ba983p-13, 0x1.618ff261b6b0fp-10, -0x1.f4555acb2dc5dp-10,
                0x1.f405e8e61f799p-10, -0x1.34a3c1b0b63cp-10, -0x1.069d00b43d04dp-10, 0x1.42e8f85970edfp-9, 0x1.dc7e0fb88c16dp-10,
                -0x1.58ded4653289p-9, -0x1.f65eb33939aadp-7, 0x1.359e48eda373bp-6, 0x1.812e2653c16a1p-6, -0x1.300ae9fb220cap-5,
                -0x1.55d9058cceffap-7, 0x1.6d2eb9c45bd3cp-6);
}

// psi'(x) = psi'(1 + x) + 1 / x^2; psi'(-x) = pi^2 / sin(pi x)^2 - psi'(1 + x)
template <class T> WF_FN T math_trigamma(T x) {
  const T inf = T(__builtin_inf());
  T size = float_abs(x);
  bool negative = x < 0, shift = negative | (size < 1);
  T w = 1 / (shift ? size + 1 : size), base = w * trigamma_quotient(w - T(0.5)), inverse = 1 / size;
  auto sine = sine_size(half_turns_of(size));
  auto ratio = quotient_of(Pi<T>::value, sine);
  T reflected = fma(ratio.high, ratio.high, 2 * ratio.high * ratio.low) - base;
  T y = negative & (size > T(0x1p-60)) ? (sine.high == 0 ? inf : reflected) : shift ? fma(inverse, inverse, base) : base;
  return x != x ? x : x == -inf ? T(__builtin_nan("")) : y;
}

}  // namespace meaning
}  // namespace wf
