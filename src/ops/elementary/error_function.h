// The error function and its complement.
#pragma once

#include "ops/elementary/exponential.h"

namespace wf {
namespace meaning {

// (erf x - x) / x, z = x^2 <= 81/64, in f64 z <= 1
WF_FN float erf_tail(float z) {
  return horner(z, 0x1.06eba4p-3f, -0x1.81272cp-2f, 0x1.ce2984p-4f, -0x1.b7bbep-6f, 0x1.522efcp-8f, -0x1.9728cap-11f, 0x1.284906p-14f);
}
WF_FN double erf_tail(double z) {
  return horner(z, 0x1.06eba8214db68p-3, -0x1.812746b0379b5p-2, 0x1.ce2f21a040b02p-4, -0x1.b82ce311f7069p-6, 0x1.565bccf908894p-8,
                -0x1.c02db03ff6859p-11, 0x1.f9a2bb4bba0e4p-14, -0x1.f4ca5bb2856d7p-17, 0x1.b9807f233887cp-20, -0x1.5c0bc3130e21dp-23,
                0x1.d73d744d56748p-27, -0x1.ac1a4196e188cp-31);
}
// erfc x to the power of 1/4, 9/8 <= x <= 4
WF_FN float root_of_erfc(float x) {
  return horner(x, 0x1.01685ap+0f, -0x1.3c3258p-2f, -0x1.03cae8p-4f, -0x1.9d86ecp-5f, 0x1.0ed5dp-4f, -0x1.6bf1ccp-6f, 0x1.a7e9c2p-9f,
                -0x1.786e9ap-13f);
}
// Below 9/8 (in f64: 1), x plus x times the tail. Beyond, 1 - erfc x, to where erf is 1 in T: in f32, a polynomial to the power of 4, in f64
// e^l, l = log(erfc x) by a polynomial.
WF_FN float math_erf(float x) {
  float size = float_abs(x), large = size > 4 ? 4 : size;
  float root = root_of_erfc(large), square = root * root;
  return with_sign(chosen(size < 1.125f, fma(size, erf_tail(size * size), size), fma(-square, square, 1.0f)), x);
}
WF_FN double log_of_erfc(double x) {
  return horner(x, -0x1.1be2df5b62baap-20, -0x1.20dcc682c8d94p+0, -0x1.45f943998832cp-1, -0x1.a467f50c8130dp-4, 0x1.351b2d16fe7c8p-6,
                0x1.3195f2afd3d68p-11, -0x1.12f0f4f6c8d0dp-9, 0x1.e1e1da9da32e1p-11, -0x1.e2bb7bbe4b0adp-13, 0x1.d256f5abba19cp-16,
                0x1.edd8767987338p-19, -0x1.692955cd754e7p-19, 0x1.731fa7f9ed08ep-21, -0x1.d2f90f91e049ap-24, 0x1.7857c23147c33p-27,
                -0x1.67fcafcf7e73dp-31, 0x1.38ed27b8770a4p-36);
}
WF_FN double math_erf(double x) {
  double size = float_abs(x), large = size > 5.9375 ? 5.9375 : size;
  double y = size < 1 ? fma(size, erf_tail(size * size), size) : 1 - math_exp(log_of_erfc(large));
  return size < 0x1p-60 ? fma(x, 0x1.06eba8214db69p-3, x) : with_sign(y, x);
}

// e^(x^2) (1 + 2x) erfc x of q = (x - K) / (x + K); K is 2 for f32, 4 for f64.
WF_FN Pair<float> scaled_erfc(float q) {
  float c = 0x1.46e80ep+0f;
  float more = q * horner(q, -0x1.7bf614p-4f, -0x1.540844p-3f, 0x1.4ffc32p-3f, -0x1.bc0b42p-5f, -0x1.0817b4p-7f, 0x1.1adf08p-7f,
                          0x1.583e08p-10f, -0x1.42a668p-10f, -0x1.a449b8p-12f);
  auto [high, low] = sum_of_ordered(c, more);
  return {high, low + 0x1.4a22d8p-26f};
}
WF_FN Pair<double> scaled_erfc(double q) {
  double c = 0x1.3ba5916e9fd7fp+0;
  double more =
      q * horner(q, -0x1.1df1ad154a29ap-3, 0x1.f7f5df66fd847p-7, 0x1.16ecefcfa5ec6p-4, -0x1.9ddb23c3e928ep-4, 0x1.7fee004df9548p-4,
                 -0x1.0fb06dfe4d1c4p-4, 0x1.3079edf9b672ap-5, -0x1.096238829aadfp-6, 0x1.49c6719f1c14cp-8, -0x1.8d4a9e1e5ee75p-11,
                 -0x1.a1de892804b79p-13, 0x1.3be0b4d251fc2p-13, -0x1.9969af11aebdcp-16, -0x1.78a3af1302046p-17, 0x1.7fb0daaf0336ap-18,
                 0x1.4356379153415p-22, -0x1.c025c60d75a2cp-21, 0x1.0ea0cf5e5e58fp-24, 0x1.eeaee153fa611p-24, -0x1.0f040f97fc42fp-27,
                 -0x1.d5949459c9d8bp-27, -0x1.ee9d8013078afp-30);
  auto [high, low] = sum_of_ordered(c, more);
  return {high, low - 0x1.b162ae4decdc6p-55};
}

// factor erfc x = factor e^-(x^2) P(q) / (1 + 2x) for 1/2 <= x, every factor a pair; the square is that of x, to twice the precision.
template <class T> WF_FN T tail_of_erfc(T x, Pair<T> square, T factor) {
  constexpr T center = sizeof(T) == 4 ? 2 : 4;
  auto [r, lost, n, integer] = reduce_by_ln2(-square.high);
  r -= square.low;
  auto power = sum_of_ordered(T(1), fma(exp_tail(r) * r, r, r));
  // One inverse for both divisions.
  T shifted = x + center;
  auto denominator = sum_of_ordered(2 * x, T(1));
  T inverse = inverse_of(shifted * denominator.high);
  auto numerator = product_of(power, scaled_erfc((x - center) * (denominator.high * inverse)));
  return scaled_down(factor * value_of_pair(quotient_of(numerator, denominator, shifted * inverse)), integer);
}
// Below 1/2: 1 - erf x.
WF_FN double math_erfc(double x) {
  constexpr double limit = 27.3125;
  double size = float_abs(x), large = size > limit ? limit : size;
  double y = tail_of_erfc(large, product_of(large, large), 1.0);
  auto [high, low] = sum_of_ordered(1.0, -x);
  double central = high + fma(-x, erf_tail(x * x), low);
  return size < 0.5 ? central : x < 0 ? 2 - y : y;
}

// (G - G(9/32)) / q
WF_FN float erfc_exponent(float q) {
  return horner(q, 0x1.31fda4p+0f, -0x1.041526p-1f, -0x1.96dd8p-1f, 0x1.077d26p+0f, 0x1.7d3b3cp-1f, -0x1.754f0cp+1f, 0x1.69d1eep+0f,
                0x1.5c5e2ep+2f, -0x1.781b54p+3f, 0x1.40edbep+3f, -0x1.aa5a7cp+1f);
}
// For 0 <= x, erfc x = e^(G - x^2) / (x + 5/4), G a polynomial of q = 1 / (x + 5/4) - 9/32. The error of the inverse changes the result by
// 1 + (q + 9/32) dG/dq times its size, near 1.42; the exponent includes it. Multiples of ln 2 are subtracted first, so
// that no sum rounds a number larger than 1/2 for large x. The inverse is scaled down by `up`, and the power of 2 up, which is normal then.
WF_FN float math_erfc(float x) {
  constexpr float shift = 1.25f, center = 0.28125f, first = -0x1.bd8p-3f, rest = 0x1.b49b94p-18f;  // G(9/32) = first + rest
  constexpr float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;                              // n ln2_high + first is exact
  constexpr float up = 0x1p24f, rounder = Format<float>::rounder + Format<float>::bias + 24;
  float size = float_abs(x) > 10.125f ? 10.125f : float_abs(x), shifted = fma(size, up, shift * up), inverse = inverse_of(shifted);
  float q = fma(inverse, up, -center), lost = fma(size, -up, shifted - shift * up);
  float error = fma(inverse, lost, residual(-inverse, shifted, 1.0f));
  float quotient = erfc_exponent(q), square_less_g = fma(-q, quotient, fma(size, size, -(first + rest)));
  float sum = fma(square_less_g, -Ln2<float>::inverse, rounder), n = sum - rounder;
  float corrections = fma(-n, ln2_low, fma(error, 1.42f, rest));
  float r = residual(q, quotient, residual(-size, size, fma(-n, ln2_high, first)) + corrections);
  float y = residual(inverse, fma(exp_tail(r) * r, r, r), inverse) * from_bits_in(bits_in(sum) << Format<float>::digits);
  return x < 0 ? 2 - y : y;
}

}  // namespace meaning
}  // namespace wf
