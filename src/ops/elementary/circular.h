// Sine, cosine, tangent: x = n pi/2 + r, |r| <= pi/4, in two parts, since r may be far smaller than an ULP of x.
#pragma once

#include "ops/elementary/arithmetic.h"

namespace wf {
namespace meaning {

template <class T> struct Angle {
  T r, low;
  BitsOf<T> quarter;  // n, of which the last two bits matter
};

// pi/2 in three parts
template <class T> struct HalfPi;
template <> struct HalfPi<float> {
  static constexpr float first = 0x1.921fb6p+0f, second = -0x1.777a5cp-25f, third = -0x1.ee59dap-50f, inverse = 0x1.45f306p-1f;
  static constexpr float fast = 0x1p16f;
};
template <> struct HalfPi<double> {
  static constexpr double first = 0x1.921fb54442d18p+0, second = 0x1.1a62633145c07p-54, third = -0x1.f1976b7ed8fbcp-110,
                          inverse = 0x1.45f306dc9c883p-1;
  static constexpr double fast = 0x1p30;
};

// Angles up to this size are reduced by three products (Cody and Waite): x - n first is exact, and so is each difference's error.
template <class T> WF_FN bool on_fast_circle(T x) { return float_abs(x) < HalfPi<T>::fast; }
template <class T> WF_FN Angle<T> small_angle(T x) {
  using H = HalfPi<T>;
  T sum = fma(x, H::inverse, Format<T>::rounder), n = sum - Format<T>::rounder;
  T first = residual(-n, H::first, x);
  auto second = product_of(n, H::second);
  T r = first - second.high, low = fma(-n, H::third, ((first - r) - second.high) - second.low);
  return {r, low, bits_in(sum)};
}

// The fraction of 2/pi, 32 bits per word, after a word of zeros.
constexpr unsigned two_over_pi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                                    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
                                    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
                                    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
                                    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

// Any finite x = m 2^e (M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983): the product of m and those bits of
// 2/pi that are neither multiples of 4 nor negligible, in integers.
template <class T> WF_RARE Angle<T> large_angle(T x) {
  constexpr bool single = sizeof(T) == 4;
  constexpr int words = single ? 3 : 6, digits = Format<T>::digits;
  using Word = unsigned long long;
  BitsOf<T> bits = bits_in(float_abs(x));
  Word m = (bits & ((BitsOf<T>(1) << digits) - 1)) | (BitsOf<T>(1) << digits);
  // Bit `first` of the table has the weight 2 after multiplication by 2^e.
  int e = int(bits >> digits) - int(Format<T>::bias) - digits, first = 32 + e - 2;
  unsigned product[words];
  Word carry = 0;
  for (int k = words - 1; k >= 0; k--) {
    const unsigned* at = two_over_pi + first / 32 + k;
    Word w = ((Word(at[0]) << 32 | at[1]) << (first % 32)) >> 32;
    Word low = (m & 0xffffffff) * w + (carry & 0xffffffff);
    carry = (m >> 32) * w + (low >> 32) + (carry >> 32);
    product[k] = unsigned(low);
  }
  // Quarters in fixed point: two integer bits, rounded to the nearest, and a signed fraction.
  Word top = Word(product[0]) << 32 | product[1], next = Word(product[2]) << 32 | (single ? 0 : product[words - 3]);
  auto quarter = BitsOf<T>((top + (Word(1) << 61)) >> 62);
  auto fraction = (long long)(top << 2 | next >> 62);
  T high = T(fraction >> 1), low = T((fraction >> 1) - (long long)(high)) + T(Word(fraction) << 63 | next << 2 >> 1) * T(0x1p-64);
  auto turns = sum_of_ordered(high * T(0x1p-63), low * T(0x1p-63));
  auto scaled = product_of(turns, Pair<T>{HalfPi<T>::first, HalfPi<T>::second});
  auto r = sum_of_ordered(scaled.high, scaled.low);
  bool negative = x < 0;
  return {negative ? -r.high : r.high, negative ? -r.low : r.low, negative ? 0 - quarter : quarter};
}

// (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4, z = r^2
WF_FN float sine_tail(float z) { return horner(z, -0x1.555556p-3f, 0x1.111198p-7f, -0x1.a0830ap-13f, 0x1.8770ep-19f); }
WF_FN double sine_tail(double z) {
  return horner(z, -0x1.5555555555555p-3, 0x1.111111111101fp-7, -0x1.a01a019fe8dfbp-13, 0x1.71de3a10e16bbp-19, -0x1.ae63f91f20c1ap-26,
                0x1.60e6aaa65102p-33, -0x1.8dd2457e1da9p-41);
}
WF_FN float cosine_tail(float z) { return horner(z, 0x1.555554p-5f, -0x1.6c129cp-10f, 0x1.9bc5f6p-16f); }
WF_FN double cosine_tail(double z) {
  return horner(z, 0x1.5555555555555p-5, -0x1.6c16c16c168c7p-10, 0x1.a01a019f3748ap-16, -0x1.27e4fa017dd67p-22, 0x1.1eeb563bdaa44p-29,
                -0x1.90724d2e622fbp-37);
}
// sin(r + low) - r and cos(r + low) - 1
template <class T> WF_FN T sine_rest(Angle<T> x, T z) { return fma(x.r * z, sine_tail(z), x.low * fma(z, T(-0.5), T(1))); }
template <class T> WF_FN T cosine_rest(Angle<T> x, T z) { return fma(z, fma(z, cosine_tail(z), T(-0.5)), -x.r * x.low); }

template <class T> WF_FN T circular(Angle<T> x, BitsOf<T> quarters) {
  BitsOf<T> quarter = x.quarter + quarters;
  T z = x.r * x.r, sine = x.r + sine_rest(x, z), cosine = 1 + cosine_rest(x, z);
  return from_bits_in(bits_in((quarter & 1) != 0 ? cosine : sine) ^ ((quarter & 2) << (8 * sizeof(T) - 2)));
}
template <class T> WF_FN T sine_of(T x, Angle<T> angle) { return float_abs(x) < T(0x1p-60) ? x : circular(angle, 0); }
template <class T> WF_FN T cosine_of(T, Angle<T> angle) { return circular(angle, 1); }
// (tan r - r) / r^3, z = r^2
WF_FN float tangent_tail(float z) {
  return horner(z, 0x1.55556p-2f, 0x1.110d8ap-3f, 0x1.badc7ep-5f, 0x1.5ca94ep-6f, 0x1.633494p-7f, 0x1.60c9d2p-14f, 0x1.1efb82p-8f);
}
WF_FN double tangent_tail(double z) {
  return horner(z, 0x1.555555555555ep-2, 0x1.1111111110666p-3, 0x1.ba1ba1bab746fp-5, 0x1.664f485eda54dp-6, 0x1.226e3a49c194bp-7,
                0x1.d6d2f0d4c3619p-9, 0x1.7db10bf6dccc3p-10, 0x1.34c13ff29a58p-11, 0x1.fee49ce8239b2p-13, 0x1.5ff5f5d2d3fd2p-14,
                0x1.173a66ba4a86ep-14, -0x1.a040a35464c67p-16, 0x1.9234663ec3666p-15, -0x1.918099aad2358p-16, 0x1.463c71cd817abp-17);
}
// tan(r + low), or -1 / tan(r + low) in odd quarters
template <class T> WF_FN T tangent_of(T x, Angle<T> angle) {
  T z = angle.r * angle.r, cube = angle.r * z, tail = tangent_tail(z), t = fma(cube, tail, angle.r);
  auto [high, low] = sum_of_ordered(angle.r, fma(cube, tail, angle.low * fma(t, t, T(1))));
  T inverse = inverse_of(high), error = fma(-low, inverse, residual(-high, inverse, T(1)));
  T y = (angle.quarter & 1) != 0 ? -fma(inverse, error, inverse) : high;
  return float_abs(x) < T(0x1p-60) ? x : y;
}

template <class T> WF_FN T fast_sin(T x) { return sine_of(x, small_angle(x)); }
template <class T> WF_FN T fast_cos(T x) { return cosine_of(x, small_angle(x)); }
template <class T> WF_FN T fast_tan(T x) { return tangent_of(x, small_angle(x)); }

template <class T> WF_FN Angle<T> angle_of(T x) {
  if (on_fast_circle(x)) return small_angle(x);
  return large_angle(x);
}
// Other operands; x - x is NaN for inf and NaN.
template <class T> WF_RARE T far_sin(T x) { return float_abs(x) < T(__builtin_inf()) ? sine_of(x, large_angle(x)) : x - x; }
template <class T> WF_RARE T far_cos(T x) { return float_abs(x) < T(__builtin_inf()) ? cosine_of(x, large_angle(x)) : x - x; }
template <class T> WF_RARE T far_tan(T x) { return float_abs(x) < T(__builtin_inf()) ? tangent_of(x, large_angle(x)) : x - x; }
template <class T> WF_FN T math_sin(T x) {
  if (on_fast_circle(x)) return fast_sin(x);
  return far_sin(x);
}
template <class T> WF_FN T math_cos(T x) {
  if (on_fast_circle(x)) return fast_cos(x);
  return far_cos(x);
}
template <class T> WF_FN T math_tan(T x) {
  if (on_fast_circle(x)) return fast_tan(x);
  return far_tan(x);
}

}  // namespace meaning
}  // namespace wf
