// The gamma function and its logarithm: Stirling's formula with fitted corrections, and the reflection G(-x) G(1 + x) = -pi / sin(pi x).
#pragma once

#include "ops/elementary/half_turns.h"
#include "ops/elementary/power.h"

namespace wf {
namespace meaning {

// ---- logarithm ----------------------------------------------------------------------------------------------------------------

// log G(u) / ((u - 1) (u - 2)) for 1/2 <= u <= 3, v = (u - 5/4) / (u + 5/4)
WF_FN float log_gamma_near(float v) {
  return horner(v, 0x1.0c58fep-1f, -0x1.d8782ep-2f, 0x1.0980d8p-3f, -0x1.44cec4p-3f, 0x1.61954ap-4f, -0x1.8cfd76p-4f, 0x1.0a0e5ap-4f,
                -0x1.229a2cp-4f, 0x1.7343d4p-5f, -0x1.74f1cp-5f, 0x1.1c2d78p-4f, -0x1.456d06p-4f);
}
WF_FN double log_gamma_near(double v) {
  return horner(v, 0x1.0c58fe25dca2cp-1, -0x1.d8782ecd96531p-2, 0x1.0980a50d8511ep-3, -0x1.44ce18e63667cp-3, 0x1.61af2e88ae8fcp-4,
                -0x1.8d39da543e693p-4, 0x1.07b3a399ebddap-4, -0x1.1e3fbcd020deep-4, 0x1.a3d6517dc2c35p-5, -0x1.bf809c5bc4a29p-5,
                0x1.5c91c9a458daep-5, -0x1.6f4f8426b5e63p-5, 0x1.29f6deea8eea2p-5, -0x1.375abe1c0470cp-5, 0x1.03c8591699ea1p-5,
                -0x1.0fd78de6086c6p-5, 0x1.d4ec0ed11bcb6p-6, -0x1.c643b7d592289p-6, 0x1.6ce79a5276ea1p-6, -0x1.13ac391b4ed55p-5,
                0x1.2d5d03917c754p-5, 0x1.da59f40f888a6p-11, -0x1.16d661763e71p-6, -0x1.058be083c0bd1p-4, 0x1.2cf3adf8e1649p-4);
}
// z m(z), m(z) = log G(z) - (z - 1/2) log z + z - log(2 pi) / 2, at w = t + 1/8 = 1 / z^2, for z >= 2
WF_FN float stirling_tail(float t) {
  return horner(t, 0x1.53f534p-4f, -0x1.5515b2p-9f, 0x1.47e78ep-11f, -0x1.705f4ep-12f, 0x1.4de378p-12f);
}
WF_FN double stirling_tail(double t) {
  return horner(t, 0x1.53f53316bdbp-4, -0x1.5516b83f21446p-9, 0x1.47ee1568c1517p-11, -0x1.68450794c0313p-12, 0x1.410cc7f621ecfp-12,
                -0x1.8b8497adfbfd2p-12, 0x1.33ad2fb0d2403p-11, -0x1.1d8f3a692f253p-10, 0x1.2f5edd5e0e6f5p-9, -0x1.68b6cdb56fbp-8,
                0x1.f88bbe7dc9c49p-7, -0x1.6d3f11991243ep-5, 0x1.dda2021be3eefp-5, -0x1.112cf5a693c1bp-3, 0x1.b4b8328f1c774p+1,
                -0x1.9d00125d9289p+3);
}

// log G(z) for z >= 3, or log G(1 + z) for z >= 2 if `next`: k (log z - 1) + constant + m(z), k = z - 1/2 or z + 1/2.
template <class T> WF_FN T log_gamma_far(T z, bool next) {
  auto [high, low] = log_in_parts(split(z), T(0));
  auto [less, lost] = sum_of_ordered(high, T(-1));
  T w = 1 / z, k = next ? z + T(0.5) : z - T(0.5), more = lost + low;
  T added = fma(w, stirling_tail(fma(w, w, T(-0.125))), next ? T(1.41893853320467274178) : T(0.41893853320467274178));
  auto product = product_of(k, less);
  T y = product.high + (fma(k, more, product.low) + added);
  return z > T(0x1p60) ? k * (less + more) : y;
}

// log |G(x)|, or log |G(1 + x)| if `next`, whose zeros at 0 and 1 are exact.
template <bool next, class T> WF_FN T log_gamma(T x) {
  const T inf = T(__builtin_inf());
  T argument = next ? x + 1 : x, size = float_abs(argument);
  bool direct = next & (x >= T(-0.5)), negative = argument < 0, shift = size < T(0.5);
  T a = direct ? x : shift ? size : size - 1, b = direct | shift ? a - 1 : size - 2, u = shift ? size + 1 : size;
  T near = a * b * log_gamma_near((u - T(1.25)) / (u + T(1.25)));
  T base = size < 3 ? near : log_gamma_far(direct ? x : size, direct);  // log G(1 + size) if `shift`
  T sine = float_abs(circular(half_turns_of(size), 0)) * Pi<T>::inverse.high, factor = shift ? size : T(1);
  T more = log_of_split(split(negative ? (shift ? sine : sine * size) : factor), T(0));
  T y = (negative ? -base : base) - more;
  y = y == 0 ? T(0) : y;
  y = (negative & (sine == 0)) | (size == 0) | (size == inf) ? inf : y;
  return x != x ? x : y;
}
template <class T> WF_FN T math_lgamma(T x) { return log_gamma<false>(x); }
template <class T> WF_FN T math_lfact(T x) { return log_gamma<true>(x); }

// ---- the function itself ------------------------------------------------------------------------------------------------------

// G(z) / (sqrt(2 pi) z^(z - 1/2) e^-z) at t + 1/2 = 1 / z, z >= 1
WF_FN float scaled_gamma(float t) {
  return horner(t, 0x1.0ace16p+0f, 0x1.5bb4cap-4f, -0x1.eede1cp-14f, -0x1.d7c48ep-10f, 0x1.6e317cp-11f, -0x1.e795a2p-15f, -0x1.4fe998p-13f,
                0x1.fa966ep-14f);
}
WF_FN double scaled_gamma(double t) {
  return horner(t, 0x1.0ace15fb90e0ep+0, 0x1.5bb4c9d6bd35ep-4, -0x1.ee3eca58395e7p-14, -0x1.d7be374bb0debp-10, 0x1.6c8d5a67d7149p-11,
                -0x1.f63b4c7b5d245p-15, -0x1.208a476b06a39p-13, 0x1.0fd2964403071p-13, -0x1.fcf7100b1e452p-15, -0x1.3ac9731b0f0bfp-19,
                0x1.3985f529a53b8p-15, -0x1.73bab5d74a8b9p-15, 0x1.076b3a3019d32p-15, -0x1.2b364a052a3e6p-17, -0x1.612c2ba9aea5cp-17,
                0x1.4f3b4bec27ec2p-16, -0x1.2068eb5b2b289p-15, 0x1.a6fbb10cc8eb7p-15, -0x1.77acbdd838914p-17, -0x1.e934e79e02a9fp-15,
                0x1.8517e017201p-15);
}

// e^((z - 1/2) log z - z) = power 2^n, or its inverse if `inverse`, with an exponent in two parts.
template <class T> struct Scaled {
  T power;
  BitsOf<T> n;
};
template <class T> WF_FN Scaled<T> exp_of_pair(Pair<T> x) {
  T exponent = limited(x.high, T(1.5) * ExpRange<T>::lowest, ExpRange<T>::highest);  // of a factor of the result
  auto [r, lost, n, integer] = reduce_by_ln2(exponent);
  r += exponent == x.high ? x.low : 0;
  return {fma(fma(exp_tail(r), r, T(1)), r, T(1)), integer};
}
template <class T> WF_FN Scaled<T> stirling_power(T z, bool inverse) {
  auto product = product_of(Pair<T>{z - T(0.5), 0}, log_as_pair(z));
  auto [high, low] = sum_of(product.high, -z);
  low += product.low;
  return exp_of_pair(Pair<T>{inverse ? -high : high, inverse ? -low : low});
}

template <class T> struct RootHalfPi;
template <> struct RootHalfPi<float> { static constexpr Pair<float> value = {0x1.40d932p+0f, -0x1.3b1f4ep-33f}; };
template <> struct RootHalfPi<double> { static constexpr Pair<double> value = {0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54}; };

template <class T> WF_FN T math_tgamma(T x) {
  constexpr T limit = sizeof(T) == 4 ? 48 : 192;
  const T inf = T(__builtin_inf());
  T size = float_abs(x), z = size < 1 ? size + 1 : size > limit ? limit : size, gamma = scaled_gamma(1 / z - T(0.5));
  bool negative = x < 0;
  auto [power, n] = stirling_power(z, negative);
  T positive = scaled(power * (gamma * T(2.50662827463100050242)), n) / (size < 1 ? x : T(1));
  auto turns = half_turns_of(size);
  auto sine = sine_size(turns);
  auto inverse = product_of(product_of(sine, Pair<T>{size < 1 ? T(1) : z, 0}), Pair<T>{gamma, 0});
  T reflected = scaled(value_of_pair(quotient_of(product_of(RootHalfPi<T>::value, Pair<T>{power, 0}), inverse)), n);
  reflected = from_bits_in(bits_in(-reflected) ^ sine_sign(turns));
  T reciprocal = 1 / x;
  reflected = size < T(0x1p-60) ? reciprocal : reflected;
  T y = negative ? (sine.high == 0 ? T(__builtin_nan("")) : reflected) : positive;
  return x != x ? x : x == inf ? inf : x == -inf ? T(__builtin_nan("")) : y;
}

}  // namespace meaning
}  // namespace wf
