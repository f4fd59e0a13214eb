// log1p and the inverse hyperbolic functions, which are logarithms of 1 + x: 1 + x = 2^e (1 + f).
//
// In f32, 1 + f is in [3/4, 3/2) and f = 2^-e x + (2^-e - 1) is rounded once, so that no quotient corrects the rounding of 1 + x
// (N. Juffa, log1pf of the CUDA toolkit, 2015). For e = 1, log(1 + f) is so small next to ln 2 that one sum suffices.
#pragma once

#include "ops/elementary/logarithm.h"

namespace wf {
namespace meaning {

// ---- f32 ----------------------------------------------------------------------------------------------------------------------

// (log(1 + f) - f) / f^2
WF_FN float log1p_tail(float f) {
  return fma(f,
             horner(f, 0x1.55555ap-2f, -0x1.00006ep-2f, 0x1.99975ep-3f, -0x1.5519ccp-3f, 0x1.246456p-3f, -0x1.04af5p-3f, 0x1.df10fcp-4f,
                    -0x1.74d5dp-4f, 0x1.33c87p-5f),
             -0.5f);
}
// e of u 2^shift, in the exponent's place. Just above 3/4, so that f has no more digits than a float if u is rounded up to 3/2.
template <int shift> WF_FN unsigned exponent_of(float u) { return (bits_in(u) - 0x3f400010u + (unsigned(shift) << 23)) & 0xff800000u; }
// e ln 2 + x
WF_FN float add_exponent(unsigned e, float x) { return fma(float(int(e)), 0x1.62e43p-24f, x); }

WF_FN float math_log1p(float x) {
  const float inf = float(__builtin_inf());
  float u = 1 + x;
  unsigned e = exponent_of<0>(u);
  // 2^-e may be subnormal, 4 2^-e is not.
  float f = from_bits_in(bits_in(x) - e) + fma(from_bits_in(0x40800000u - e), 0.25f, -1.0f);
  float y = with_sign(add_exponent(e, fma(f * f, log1p_tail(f), f)), x);
  float end = u > 0 ? x : u == 0 ? -inf : float(__builtin_nan(""));
  return bits_in(u) - 1 < 0x7f7fffffu ? y : end;
}
// log(1 + 2^shift (x + low)) for 0 <= x < 2^126, |low| far below x
template <int shift> WF_FN float log_of_one_and(float x, float low) {
  constexpr float one = 1.0f / (1 << shift);
  unsigned e = exponent_of<shift>(x + one);
  float scale = from_bits_in((0x3f800000u + (unsigned(shift) << 23)) - e), f = fma(scale, x, fma(scale, one, -1.0f));
  return add_exponent(e, f + fma(scale, low, f * f * log1p_tail(f)));
}

// asinh x = log(1 + x + x^2 / (1 + sqrt(1 + x^2))). An eighth of x + ... does not overflow. From 2^60 on, the quotient is x.
WF_FN float math_asinh(float x) {
  float size = float_abs(x), s = size > 0x1p60f ? 0x1p60f : size;
  float factor = s * inverse_of(fma(8.0f, root_of_positive(fma(s, s, 1.0f)), 8.0f)), eighth = 0.125f * size;
  float high = fma(size, factor, eighth), low = fma(size, factor, eighth - high);
  float y = log_of_one_and<3>(high, low);
  return with_sign((size > 0x1p-60f) & (size < float(__builtin_inf())) ? y : size, x);
}
// acosh x = log(1 + t + sqrt(2t + t^2)), t = x - 1: an eighth of both. From 2^60 on, acosh x is log(1 + 2x) in f32.
WF_FN float math_acosh(float x) {
  float s = fma(x, 0.125f, -0.125f), t = s > 0x1p57f ? 0x1p57f : s, root = root_in_range(fma(t, t, 0.25f * t));
  auto [high, low] = sum_of_ordered(root, t);
  float y = log_of_one_and<3>(x > 0x1p60f ? 0.25f * x : high, low);
  y = x < float(__builtin_inf()) ? y : x;
  return x < 1 ? float(__builtin_nan("")) : y;
}
// atanh x = log(1 + 2x / (1 - x)) / 2
WF_FN float math_atanh(float x) {
  float size = float_abs(x), d = 1 - size, lost = (1 - d) - size, inverse = inverse_of(d);
  float high = size * inverse, low = fma(-high, lost, residual(-high, d, size)) * inverse;
  float y = 0.5f * log_of_one_and<1>(high, low);
  y = size < 1 ? y : size == 1 ? float(__builtin_inf()) : float(__builtin_nan(""));
  return with_sign(y, x);
}

// ---- f64 ----------------------------------------------------------------------------------------------------------------------

// log(1 + x + low) = log u + (x - (u - 1) + low) / u, u = 1 + x rounded; for |low| far below |x|. `twice` adds ln 2. Unless x <= -1, u is
// normal.
WF_FN double log1p_of_pair(double x, double low, bool twice) {
  double u = 1 + x, lost = ((u > 2 ? 1 - (u - x) : x - (u - 1)) + low) * inverse_of(u);
  auto [e, f] = split<true>(u);
  return log_of_split(Split<double>{twice ? e + 1 : e, f}, lost);
}
WF_FN double math_log1p(double x) {
  double y = log1p_of_pair(x, 0, false);
  return x == 0 ? x : log_ends(1 + x, y);
}

constexpr double large_for_log = 0x1p60;  // from here on, squares may overflow, and asinh and acosh are log(2x) in f64

// asinh x = log(1 + x + x^2 / (1 + sqrt(1 + x^2)))
WF_FN double math_asinh(double x) {
  double size = float_abs(x);
  bool large = size > large_for_log;
  double square = size * size;
  auto [high, low] = sum_of_ordered(size, quotient_in_range(square, 1 + root_in_range(1 + square)));
  double y = log1p_of_pair(large ? size : high, large ? 0.0 : low, large);
  return with_sign(size < __builtin_inf() ? y : size, x);
}
// acosh x = log(1 + t + sqrt(2t + t^2)), t = x - 1
WF_FN double math_acosh(double x) {
  bool large = x > large_for_log;
  double t = x - 1;
  auto [high, low] = sum_of_ordered(root_in_range(fma(t, t, 2 * t)), t);
  double y = log1p_of_pair(large ? x : high, large ? 0.0 : low, large);
  y = x < __builtin_inf() ? y : x;
  return x < 1 ? __builtin_nan("") : y;
}
// atanh x = log(1 + 2x / (1 - x)) / 2
WF_FN double math_atanh(double x) {
  double size = float_abs(x);
  auto [high, low] = quotient_of(Pair<double>{2 * size, 0}, sum_of_ordered(1.0, -size));
  double y = 0.5 * log1p_of_pair(high, low, false);
  y = size < 1 ? y : size == 1 ? __builtin_inf() : __builtin_nan("");
  return with_sign(y, x);
}

}  // namespace meaning
}  // namespace wf
