// The normal distribution and the inverse of the error function.
//
// With w = -log(1 - x^2) = -log(y (2 - y)), y = 1 - x: erfinv x = erfcinv y = x P(w), where P grows like sqrt w (M. Giles, "Approximating
// the erfinv function", 2011).
#pragma once

#include "ops/elementary/error_function.h"
#include "ops/elementary/logarithm.h"

namespace wf {
namespace meaning {

// P at w = t + 25/8, for w <= 25/4
WF_FN float inverse_center(float t) {
  return horner(t, 0x1.a755e8p+0f, 0x1.ebd80ep-3f, -0x1.8b6c34p-8f, -0x1.8455dep-11f, 0x1.879c68p-13f, -0x1.d22496p-17f, -0x1.6ea28ep-20f,
                0x1.ca78c8p-22f, -0x1.f182dap-26f, -0x1.469b3p-28f, 0x1.1ce156p-30f, 0x1.9045ccp-38f, -0x1.ba4bd4p-37f);
}
WF_FN double inverse_center(double t) {
  return horner(t, 0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13dfap-3, -0x1.8b6c33114ea2fp-8, -0x1.84576948359ddp-11, 0x1.879c2a20aeb2ep-13,
                -0x1.d1d1f7c9ffa6dp-17, -0x1.6e8a53c7ac2ffp-20, 0x1.c6b4f8868f532p-22, -0x1.f36ceed4416aep-26, -0x1.1a9eb00326b9bp-28,
                0x1.20f544d62fff1p-30, -0x1.dc3f457145cd3p-35, -0x1.c8a6afa1550f4p-37, 0x1.7236b79e1d57ep-39, -0x1.6b86f85109f07p-44,
                -0x1.6877e8ae70f27p-45, 0x1.d5e95ecc5f898p-48, -0x1.6b6b0fc6a580fp-55, -0x1.19ac650194dcap-53, 0x1.1e1f9ee618b29p-56,
                0x1.669b9213d3cdfp-61, -0x1.9a137911c05cfp-62, 0x1.79a647e43b44ep-66, 0x1.e2aa7ddd776b6p-69, -0x1.b2643e45e1856p-72);
}
// P(w) / sqrt w at t = 1 / sqrt w - 1/4, to where w is 105 for f32 and 38 for f64
WF_FN float inverse_tail(float t) {
  return horner(t, 0x1.eb7e0ap-1f, -0x1.95e436p-3f, 0x1.4a45d4p-4f, 0x1.226a38p-1f, -0x1.24e858p-1f, 0x1.5b3a4cp+2f, 0x1.2ac13cp+5f,
                0x1.f9788ap+6f, -0x1.c191ap+9f, -0x1.a3cfe8p+12f, 0x1.550eb6p+13f, 0x1.285d12p+17f, -0x1.0c714cp+16f, -0x1.62ec78p+20f);
}
WF_FN double inverse_tail(double t) {
  return horner(t, 0x1.eb7e0914cbf1bp-1, -0x1.95e43a3a5964p-3, 0x1.4a42eb3d889abp-4, 0x1.2278a572df5ebp-1, -0x1.23ed4c830f435p-1,
                0x1.563e92bca0d6ap+2, 0x1.2686edbca52c8p+5, 0x1.29268703b3534p+7, -0x1.9bfb936d6a385p+9, -0x1.38bf7adf3e9a1p+13,
                0x1.365bd81cca77p+12, 0x1.afd4575e5470dp+18, 0x1.17d1f69cc6e5cp+17, -0x1.1a0a35863c8ap+24, 0x1.00b49106cfe8bp+23,
                0x1.615c4733763eep+29, -0x1.a70871c5416bp+30, -0x1.76c4fdac80fcbp+34, 0x1.00dc03cd1067dp+37, 0x1.f67eca39fad24p+38,
                -0x1.88c1ec8a5febap+42, 0x1.97979723f7f2p+41, 0x1.735e8628b2904p+47, -0x1.604ce4d5b8f57p+49, -0x1.2ec63199c3a86p+51,
                0x1.6648129ad9ea6p+54, -0x1.bb4513523baadp+54, -0x1.bf00b3613e2b7p+57, 0x1.c856d0395ead4p+59, -0x1.0b8d6f6c8f9bep+60);
}
// The same for f64 at t = (sqrt w - 13) / (sqrt w + 13), from w = 38
WF_FN double inverse_far(double t) {
  return horner(t, 0x1.fc4a687e3cb1fp-1, 0x1.7a52a631f8077p-6, -0x1.1a0d33259b697p-5, 0x1.371fb1f5c82bep-5, -0x1.34a9ffd687938p-5,
                0x1.195cf89bd1cfdp-5, -0x1.d868e4744695bp-6, 0x1.61753ba59115bp-6, -0x1.aab7bf08497c7p-7, 0x1.cb8918856e312p-9,
                0x1.b305990f1718p-8, -0x1.18ad0e793976dp-6, 0x1.c5f14f79d03e7p-6, -0x1.38d21fd5c88a8p-5, 0x1.8abc820b37381p-5,
                -0x1.d13bcea71d4c5p-5, 0x1.0e033bf5c8fc7p-4, -0x1.4e2521bd83adfp-4, 0x1.607376131f4ep-4, -0x1.8a37a4a26283bp-5,
                0x1.f86dd0854379ap-5, -0x1.a5bba1a1ad46fp-3, 0x1.8fe534f6d3b5ep-3);
}
WF_FN float inverse_of_root(float s) { return inverse_tail(inverse_of(s) - 0.25f); }
WF_FN double inverse_of_root(double s) {
  return s < 6.25 ? inverse_tail(inverse_of(s) - 0.25) : inverse_far((s - 13) * inverse_of(s + 13));
}

template <class T> WF_FN T inverse_error(T x, T w) {
  T s = root_in_range(w), factor = w < T(6.25) ? inverse_center(w - T(3.125)) : s * inverse_of_root(s);
  return x * factor;
}
template <class T> WF_FN T math_erfinv(T x) {
  T size = float_abs(x), y = inverse_error(x, -log_of_split(split((1 - size) * (1 + size)), T(0)));
  return size < 1 ? y : size == 1 ? with_sign(T(__builtin_inf()), x) : T(__builtin_nan(""));
}
template <class T> WF_FN T math_erfcinv(T y) {
  T part = y > 1 ? 2 - y : y, inside = inverse_error(1 - y, -log_of_split(split(part * (2 - part)), T(0)));
  return part > 0 ? inside : part == 0 ? with_sign(T(__builtin_inf()), 1 - y) : T(__builtin_nan(""));
}

template <class T> struct RootHalf;
template <> struct RootHalf<float> { static constexpr Pair<float> value = {0x1.6a09e6p-1f, 0x1.9fcef4p-27f}; };
template <> struct RootHalf<double> { static constexpr Pair<double> value = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55}; };

// erfc(-x / sqrt 2) / 2; the exponent x^2 / 2 is exact.
template <class T> WF_FN T math_ndtr(T x) {
  constexpr T limit = sizeof(T) == 4 ? T(14.5) : T(38.75);
  T size = float_abs(x), large = size > limit ? limit : size;
  auto [high, low] = product_of(large, large);
  T y = tail_of_erfc(large * RootHalf<T>::value.high, Pair<T>{high * T(0.5), low * T(0.5)}, T(0.5));
  T v = x * RootHalf<T>::value.high, half = T(0.5) * v, central = T(0.5) + fma(half, erf_tail(v * v), half);
  return size < T(0.7) ? central : x > 0 ? 1 - y : x != x ? x : y;
}
template <class T> WF_FN T math_ndtri(T p) {
  T y = -2 * math_erfcinv(2 * p);
  return y == 0 ? T(0) : fma(y, RootHalf<T>::value.high, float_abs(y) < T(__builtin_inf()) ? y * RootHalf<T>::value.low : T(0));
}

}  // namespace meaning
}  // namespace wf
