// Inverse circular functions: an odd polynomial of a small argument, added to a multiple of pi/2.
#pragma once

#include "ops/elementary/circular.h"

namespace wf {
namespace meaning {

// base + factor (v + v tail), to a relative error near one rounding, for |base| >= |factor v| or base = 0.
template <class T> WF_FN T on_base(Pair<T> base, T factor, T v, T v_tail) {
  auto [high, low] = sum_of_ordered(base.high, factor * v);
  return high + (low + fma(factor, v_tail, base.low));
}
template <class T> constexpr Pair<T> zero_pair = {0, 0};
template <class T> constexpr Pair<T> half_pi = {HalfPi<T>::first, HalfPi<T>::second};
template <class T> constexpr Pair<T> whole_pi = {2 * HalfPi<T>::first, 2 * HalfPi<T>::second};
template <class T> WF_FN Pair<T> choose(bool first, Pair<T> x, Pair<T> y) { return {first ? x.high : y.high, first ? x.low : y.low}; }

// (asin v - v) / v^3, z = v^2 <= 1/4
WF_FN float asin_tail(float z) {
  return horner(z, 0x1.555554p-3f, 0x1.3334cep-4f, 0x1.6d3e74p-5f, 0x1.ffbd92p-6f, 0x1.0fec3ap-6f, 0x1.1ac0e4p-5f);
}
WF_FN double asin_tail(double z) {
  return horner(z, 0x1.5555555555556p-3, 0x1.3333333332da2p-4, 0x1.6db6db6e48603p-5, 0x1.f1c71c11deeap-6, 0x1.6e8bb37521acap-6,
                0x1.1c4d112ced71bp-6, 0x1.c9d30ac3ce817p-7, 0x1.78010220106fp-7, 0x1.532a91490f8afp-7, 0x1.5e2915df0d638p-8,
                0x1.220541f4ab3acp-6, -0x1.f58c57c572f98p-7, 0x1.dc181d65cb50ap-6);
}

// v and asin v - v, where v is |x|, or for |x| > 1/2 the root of (1 - |x|)/2: acos |x| = 2 asin v.
template <class T> struct ArcParts {
  T v, tail;
  bool large;
};
template <class T> WF_FN ArcParts<T> arc_parts(T size) {
  bool large = size > T(0.5);
  T half = fma(size, T(-0.5), T(0.5)), z = large ? half : size * size, v = large ? root_in_range(half) : size;
  T lost = v > 0 ? residual(-v, v, half) * inverse_of(v + v) : T(0);
  return {v, fma(v * z, asin_tail(z), large ? lost : T(0)), large};
}
template <class T> WF_FN T math_asin(T x) {
  auto [v, tail, large] = arc_parts(float_abs(x));
  T y = on_base(choose(large, half_pi<T>, zero_pair<T>), large ? T(-2) : T(1), v, tail);
  return with_sign(y, x);
}
template <class T> WF_FN T math_acos(T x) {
  auto [v, tail, large] = arc_parts(float_abs(x));
  T towards_zero = x < 0 ? T(-1) : T(1);
  return on_base(choose(large, choose(x < 0, whole_pi<T>, zero_pair<T>), half_pi<T>), large ? 2 * towards_zero : -towards_zero, v, tail);
}

// (atan v - v) / v^3, z = v^2 <= 1
WF_FN float atan_tail(float z) {
  return horner(z, -0x1.555554p-2f, 0x1.99984cp-3f, -0x1.246f74p-3f, 0x1.c423eep-4f, -0x1.636df2p-4f, 0x1.01e514p-4f, -0x1.2a759ap-5f,
                0x1.c62ea6p-7f, -0x1.449a16p-9f);
}
WF_FN double atan_tail(double z) {
  return horner(z, -0x1.5555555555555p-2, 0x1.9999999999889p-3, -0x1.249249248aa63p-3, 0x1.c71c71c400394p-4, -0x1.745d16eac7943p-4,
                0x1.3b13aaa61eb25p-4, -0x1.1110be031dcc9p-4, 0x1.e1dc016818859p-5, -0x1.af00c87163751p-5, 0x1.854bc4fc0aa7ap-5,
                -0x1.60f31796f9d96p-5, 0x1.3d58552227922p-5, -0x1.14b8a75005098p-5, 0x1.c48a48b49a7f5p-6, -0x1.4cc40a52ec92fp-6,
                0x1.a4627f0482f8dp-7, -0x1.b28c29c65f0d7p-8, 0x1.5bb4d7ad14518p-9, -0x1.8ff38a61d42edp-11, 0x1.243ad36952315p-13,
                -0x1.959e99e5d052fp-17);
}
// base + factor atan v, |v| <= 1
template <class T> WF_FN T atan_on_base(Pair<T> base, T factor, T v) {
  T z = v * v;
  return on_base(base, factor, v, v * z * atan_tail(z));
}
template <class T> WF_FN T math_atan(T x) {
  T size = float_abs(x);
  bool large = size > 1;
  T v = large ? inverse_of(size > T(0x1p100) ? T(0x1p100) : size) : size;
  return with_sign(atan_on_base(choose(large, half_pi<T>, zero_pair<T>), large ? T(-1) : T(1), v), x);
}
template <class T> WF_FN T math_atan2(T y, T x) {
  T a = float_abs(y), b = float_abs(x);
  bool steep = a > b, left = (bits_in(x) >> (8 * sizeof(T) - 1)) != 0;
  T smaller = steep ? b : a, larger = steep ? a : b;
  T equal = larger == 0 ? T(0) : T(1), v = smaller == larger ? equal : smaller / larger;
  T angle = atan_on_base(choose(steep, half_pi<T>, choose(left, whole_pi<T>, zero_pair<T>)), steep == left ? T(1) : T(-1), v);
  return with_sign(angle, y);
}

}  // namespace meaning
}  // namespace wf
