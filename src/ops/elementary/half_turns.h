// Sine and cosine of multiples of pi: x = 2k + q/2 + r, |r| <= 1/4, all exact.
#pragma once

#include "ops/elementary/arithmetic.h"

namespace wf {
namespace meaning {

template <class T> struct Pi;
template <> struct Pi<float> {
  static constexpr Pair<float> value = {0x1.921fb6p+1f, -0x1.777a5cp-24f}, inverse = {0x1.45f306p-2f, 0x1.b9391p-27f};
};
template <> struct Pi<double> {
  static constexpr Pair<double> value = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
                                inverse = {0x1.45f306dc9c883p-2, -0x1.6b01ec5417056p-56};
};

template <class T> struct HalfTurns {
  T r;
  BitsOf<T> quarter;  // q, of which the last two bits matter
};
// x rounded to an integer, ties to even
#if defined(__CUDACC__)
WF_FN float nearest_integer(float x) { return rintf(x); }
WF_FN double nearest_integer(double x) { return rint(x); }
#elif defined(__SSE4_1__)
WF_FN float nearest_integer(float x) { return __builtin_rintf(x); }
WF_FN double nearest_integer(double x) { return __builtin_rint(x); }
#else
template <class T> WF_FN T nearest_integer(T x) {
  T size = float_abs(x), whole = with_sign((size + Format<T>::integer) - Format<T>::integer, x);
  return size < Format<T>::integer ? whole : x;
}
#endif
template <class T> WF_FN HalfTurns<T> half_turns_of(T x) {
  T y = fma(T(-2), nearest_integer(x * T(0.5)), x), sum = fma(T(2), y, Format<T>::rounder);
  return {fma(sum - Format<T>::rounder, T(-0.5), y), bits_in(sum)};
}

// (sin(pi r) - pi r) / r^3 and (cos(pi r) - 1) / r^2, z = r^2
WF_FN float half_turn_sine_tail(float z) { return horner(z, -0x1.4abbcep+2f, 0x1.466bc2p+1f, -0x1.32ce1ep-1f, 0x1.4cb762p-4f); }
WF_FN double half_turn_sine_tail(double z) {
  return horner(z, -0x1.4abbce625be53p+2, 0x1.466bc6775aae1p+1, -0x1.32d2cce62b872p-1, 0x1.50783486facaap-4, -0x1.e3074d2614b2dp-8,
                0x1.e8f036bcd3237p-12, -0x1.6cc577dadd922p-16);
}
WF_FN float half_turn_cosine_tail(float z) { return horner(z, -0x1.3bd3ccp+2f, 0x1.03c1eap+2f, -0x1.55cb98p+0f, 0x1.db6492p-3f); }
WF_FN double half_turn_cosine_tail(double z) {
  return horner(z, -0x1.3bd3cc9be45dep+2, 0x1.03c1f081b5acp+2, -0x1.55d3c7e3cb241p+0, 0x1.e1f5068688d5bp-3, -0x1.a6d1eef479be1p-6,
                0x1.f9ce245cada0bp-10, -0x1.b2f3eb054afcdp-14);
}

// The sine, and the cosine if `quarters` is 1.
template <class T> WF_FN T circular(HalfTurns<T> x, BitsOf<T> quarters) {
  BitsOf<T> quarter = x.quarter + quarters;
  T z = x.r * x.r, sine = fma(x.r, Pi<T>::value.high, x.r * fma(z, half_turn_sine_tail(z), Pi<T>::value.low));
  T cosine = fma(z, half_turn_cosine_tail(z), T(1));
  return from_bits_in(bits_in((quarter & 1) != 0 ? cosine : sine) ^ ((quarter & 2) << (8 * sizeof(T) - 2)));
}
// The sign bits of sin(pi x) and of cos(pi x) sin(pi x)
template <class T> WF_FN BitsOf<T> sine_sign(HalfTurns<T> x) {
  constexpr BitsOf<T> sign = BitsOf<T>(1) << (8 * sizeof(T) - 1);
  return ((bits_in(x.r) & ((x.quarter & 1) - 1)) ^ (x.quarter << (8 * sizeof(T) - 2))) & sign;
}
template <class T> WF_FN BitsOf<T> product_sign(HalfTurns<T> x) {
  constexpr BitsOf<T> sign = BitsOf<T>(1) << (8 * sizeof(T) - 1);
  return (bits_in(x.r) ^ (x.quarter << (8 * sizeof(T) - 1))) & sign;
}
// |sin(pi x)| as a pair
template <class T> WF_FN Pair<T> sine_size(HalfTurns<T> x) {
  T z = x.r * x.r, r = float_abs(x.r);
  auto [high, low] = product_of(r, Pi<T>::value.high);
  auto sine = sum_of_ordered(high, fma(r, fma(z, half_turn_sine_tail(z), Pi<T>::value.low), low));
  auto cosine = sum_of_ordered(T(1), z * half_turn_cosine_tail(z));
  bool odd = (x.quarter & 1) != 0;
  return {odd ? cosine.high : sine.high, odd ? cosine.low : sine.low};
}

// Zeros of the sine have the sign of x, and zeros of the cosine are positive, as in C23.
template <class T> WF_FN T math_sinpi(T x) {
  T y = circular(half_turns_of(x), 0);
  return y == 0 ? with_sign(T(0), x) : y;
}
template <class T> WF_FN T math_cospi(T x) { return circular(half_turns_of(x), 1) + T(0); }

}  // namespace meaning
}  // namespace wf
