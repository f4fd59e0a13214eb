// Powers and roots.
#pragma once

#include "ops/elementary/exponential.h"
#include "ops/elementary/logarithm.h"

namespace wf {
namespace meaning {

// (2 atanh s - 2s - 2/3 s^3) / s^5, z = s^2
WF_FN float power_tail(float z) { return horner(z, 0x1.99999ap-2f, 0x1.24921p-2f, 0x1.c70412p-3f, 0x1.827ep-3f); }
WF_FN double power_tail(double z) {
  return horner(z, 0x1.999999999999ap-2, 0x1.24924924922fdp-2, 0x1.c71c71c74cc6dp-3, 0x1.745d173c9fadap-3, 0x1.3b13a9e77d015p-3,
                0x1.11154b5493a21p-3, 0x1.e01a9f61df1e3p-4, 0x1.da993f6402d4dp-4);
}
template <class T> struct TwoThirds;
template <> struct TwoThirds<float> { static constexpr Pair<float> value = {0x1.555556p-1f, -0x1.555556p-26f}; };
template <> struct TwoThirds<double> { static constexpr Pair<double> value = {0x1.5555555555555p-1, 0x1.5555555555555p-55}; };

// log x as a pair for 0 < x < inf: 2s + 2/3 s^3 + s^5 R(s^2), s = f / (2 + f), in which only R is a single number.
template <class T> WF_FN Pair<T> log_as_pair(Split<T> x) {
  auto [e, f] = x;
  auto s = quotient_of(Pair<T>{f, 0}, sum_of_ordered(T(2), f));
  auto square = product_of(s, s);
  auto factor = sum_of_ordered(TwoThirds<T>::value.high, square.high * power_tail(square.high));
  factor.low += TwoThirds<T>::value.low;
  auto tail = product_of(product_of(square, s), factor);
  auto fraction = sum_of_ordered(2 * s.high, tail.high);
  auto sum = sum_of_ordered(e * LogConstants<T>::ln2.high, fraction.high);
  T low = sum.low + (fma(e, LogConstants<T>::ln2.low, fraction.low) + fma(T(2), s.low, tail.low));
  return sum_of_ordered(sum.high, low);
}
template <class T> WF_FN Pair<T> log_as_pair(T x) { return log_as_pair(split(x)); }

// The parity of y: y is a whole number or not, and its last bit if so.
template <class T> struct Parity {
  bool whole;
  BitsOf<T> last;
};
template <class T> WF_FN Parity<T> parity(T y) {
  T size = float_abs(y), sum = size + Format<T>::integer;
  bool large = size >= Format<T>::integer;  // whole; up to twice this number the last bit of y has the weight 1
  bool whole = large ? true : sum - Format<T>::integer == size;
  BitsOf<T> last = bits_in(large ? size : sum) & 1, even_if_larger = size < 2 * Format<T>::integer ? last : 0;
  return {whole, whole ? even_if_larger : 0};
}

// ---- x^y = B^(y log |x|), B = 2 in f32 and e in f64 ---------------------------------------------------------------------------

// (log2((1 + s) / (1 - s)) / s - 2 / ln 2 - 2/3 z / ln 2) / z^2, z = s^2
WF_FN float binary_power_tail(float z) { return horner(z, 0x1.2776ccp-1f, 0x1.a5f4ep-2f, 0x1.5479dap-2f); }

// The logarithm of x for 0 < x < inf, to 9 more digits than T has. In f32, s (2 / ln 2 + 2/3 z / ln 2 + ...), s = f / (2 + f), z = s^2.
WF_FN Pair<float> log_for_power(Split<float> x) {
  constexpr Pair<float> c0 = {0x1.715476p+1f, 0x1.4ae0cp-25f}, c1 = {0x1.ec709ep-1f, -0x1.e2fe02p-28f};
  auto [e, f] = x;
  auto s = quotient_of(Pair<float>{f, 0}, sum_of_ordered(2.0f, f));
  auto z = product_of(s.high, s.high);
  z.low = fma(s.high + s.high, s.low, z.low);
  float rest = fma(z.high * z.high, binary_power_tail(z.high), c0.low), factor = fma(c1.high, z.high, c0.high);
  float factor_low = residual(c1.high, z.high, c0.high - factor) + fma(c1.high, z.low, fma(c1.low, z.high, rest));
  auto fraction = product_of(s, Pair<float>{factor, factor_low});
  auto [high, low] = sum_of_ordered(e, fraction.high);
  return {high, low + fraction.low};
}
WF_FN Pair<double> log_for_power(Split<double> x) { return log_as_pair(x); }

// B^(high + low) = fraction 2^integer
template <class T> struct Power {
  T fraction;
  BitsOf<T> integer;
};
WF_FN Power<float> power_of_base(float high, float low) {
  float sum = high + Format<float>::rounder, r = (high - (sum - Format<float>::rounder)) + low;
  return {fma(exp2_quotient(r), r, 1.0f), bits_in(sum) - bits_in(Format<float>::rounder)};
}
WF_FN Power<double> power_of_base(double high, double low) {
  auto [r, lost, n, integer] = reduce_by_ln2(high);
  r += low;
  return {fma(fma(exp_tail(r), r, 1.0), r, 1.0), integer};
}
// Beyond these exponents, the power is 0 or inf.
WF_FN float within_power_range(float x) { return limited(x, -151.0f, 129.0f); }
WF_FN double within_power_range(double x) { return within_exp_range(x); }

// Returns true if x is positive and normal, and so is x^y, which is between 2^-125 and 2^125 (2^-1021 and 2^1021): |y| (|e| + 1) is a bound of
// its exponent.
template <class T> WF_FN bool is_positive_normal(T x) {
  constexpr BitsOf<T> normal = BitsOf<T>(1) << Format<T>::digits, inf = (2 * Format<T>::bias + 1) << Format<T>::digits;
  return bits_in(x) - normal < inf - normal;
}
template <class T> WF_FN bool is_ordinary_power(T x, T y) {
  constexpr int digits = Format<T>::digits;
  constexpr T limit = T(Format<T>::bias - 2);
  T e = from_bits_in((bits_in(x) >> digits) | bits_in(Format<T>::integer)) - (Format<T>::integer + T(Format<T>::bias));
  return is_positive_normal(x) & (float_abs(y) * (float_abs(e) + 1) <= limit);
}
// The same bits as general_pow if x and the power are positive and normal; `exponent` is that of the base.
template <class T> struct OrdinaryPower { T value, exponent; };
template <class T> WF_FN OrdinaryPower<T> ordinary_power(T x, T y) {
  auto log = log_for_power(split<true>(x));
  auto [high, rest] = product_of(y, log.high);
  auto [fraction, integer] = power_of_base(high, fma(y, log.low, rest));
  return {fraction * power_of_two<T>(integer), high};
}
template <class T> WF_FN T ordinary_pow(T x, T y) { return ordinary_power(x, y).value; }

// |x|^y, negated if x is negative and y odd; special values as in C.
template <class T> WF_GENERAL T general_pow(T x, T y) {
  const T inf = T(__builtin_inf());
  T size = float_abs(x);
  auto log = log_for_power(split(size));
  log.high = size == 0 ? -inf : size < inf ? log.high : size;
  auto [high, rest] = product_of(y, log.high);
  T low = fma(y, log.low, rest);
  T exponent = within_power_range(high);
  auto [fraction, integer] = power_of_base(exponent, exponent == high ? low : T(0));
  T power = scaled(fraction, integer);
  auto [whole, last] = parity(y);
  power = size == 1 ? (y != y ? y : T(1)) : power;
  power = from_bits_in(bits_in(power) | (bits_in(x) & (last << (8 * sizeof(T) - 1))));
  T real = whole ? power : T(__builtin_nan("")), of_negative = size < inf ? real : power;
  power = x < 0 ? of_negative : power;
  return ((x == 1) | (y == 0)) ? T(1) : power;
}
// A processor's loops choose the form per tile, and a GPU's threads per element.
#ifdef __CUDACC__
template <class T> WF_FN T math_pow(T x, T y) {
  auto [power, exponent] = ordinary_power(x, y);
  if (is_positive_normal(x) & (float_abs(exponent) <= T(sizeof(T) == 4 ? 125 : 707))) return power;
  return general_pow(x, y);
}
#else
template <class T> WF_FN T math_pow(T x, T y) { return general_pow(x, y); }
#endif

// (10^r - 1) / r, |r| <= log 2 / log 100
WF_FN float exp10_quotient(float r) {
  return horner(r, 0x1.26bb1cp+1f, 0x1.53524cp+1f, 0x1.04705ap+1f, 0x1.2bd6ccp+0f, 0x1.1429b4p-1f, 0x1.a9864ap-3f, 0x1.17b604p-4f);
}
WF_FN double exp10_quotient(double r) {
  return horner(r, 0x1.26bb1bbb55516p+1, 0x1.53524c73cea69p+1, 0x1.0470591de2ca8p+1, 0x1.2bd7609fd98c6p+0, 0x1.1429ffd1d2dfp-1,
                0x1.a7ed70847b3fap-3, 0x1.16e4dfcec61fp-4, 0x1.4116b06777361p-6, 0x1.489786edb152ep-8, 0x1.2ea502c3d9942p-10,
                0x1.fbfc73090741cp-13, 0x1.85c3d0c73458ap-15);
}
// x = n log 2 / log 10 + r
template <class T> WF_FN T math_exp10(T x) {
  constexpr int lowest = sizeof(T) == 4 ? -46 : -325, highest = sizeof(T) == 4 ? 39 : 309;
  T y = limited(x, T(lowest), T(highest)), sum = fma(y, T(3.32192809488736234787), Format<T>::rounder), n = sum - Format<T>::rounder;
  T r = fma(-n, LogConstants<T>::log10_2.low, fma(-n, LogConstants<T>::log10_2.high, y));
  return scaled(fma(exp10_quotient(r), r, T(1)), bits_in(sum) - bits_in(Format<T>::rounder));
}

// The squares are scaled so that they neither overflow nor, where they matter, underflow.
template <class T> WF_FN T math_hypot(T x, T y) {
  const T inf = T(__builtin_inf());
  constexpr T high = T(sizeof(T) == 4 ? 0x1p62 : 0x1p500), low = T(sizeof(T) == 4 ? 0x1p-40 : 0x1p-400);
  constexpr T down = T(sizeof(T) == 4 ? 0x1p-70 : 0x1p-600), up = T(sizeof(T) == 4 ? 0x1p90 : 0x1p700);
  T a = float_abs(x), b = float_abs(y), larger = a < b ? b : a, smaller = a < b ? a : b;
  T scale = larger > high ? down : larger < low ? up : T(1), back = larger > high ? 1 / down : larger < low ? 1 / up : T(1);
  T p = larger * scale, q = smaller * scale;
  T length = root(fma(p, p, q * q)) * back;
  return ((a == inf) | (b == inf)) ? inf : length;
}

// With y near x^(-1/3) and h = 1 - x y^3: x^(-1/3) = y (1 - h)^(-1/3) = y (1 + h/3 + 2/9 h^2 + 14/81 h^3 + ...).
template <class T> WF_FN T with_smaller_residual(T x, T y) {
  T h = residual(-(x * y), y * y, T(1));
  return fma(y * h, horner(h, T(1) / 3, T(2) / 9, T(14) / 81), y);
}
// The first estimate divides the exponent by -3 in the representation. cbrt x = x y^2, and one Newton step with an exact residual.
template <class T> WF_FN T math_cbrt(T x) {
  constexpr bool single = sizeof(T) == 4;
  // Scaled by a power of 8, so that nothing is subnormal or overflows.
  bool small = float_abs(x) < 8 * Format<T>::smallest_normal;
  T size = float_abs(x * (small ? T(single ? 0x1p24 : 0x1p54) : T(0x1p-3)));
  BitsOf<T> head = bits_in(size) >> (single ? 0 : 32);
  BitsOf<T> third = BitsOf<T>((unsigned long long)(head)*0x55555556u >> 32);
  T y = from_bits_in(single ? BitsOf<T>(0x548c39cb) - third : BitsOf<T>((BitsOf<T>(0x553ef0ff) - third) << (single ? 0 : 32)));
  y = with_smaller_residual(size, with_smaller_residual(size, y));
  T inverse_square = y * y, cube_root = size * inverse_square;
  auto square = product_of(cube_root, cube_root);
  T error = residual(square.high, cube_root, -size) + square.low * cube_root;
  cube_root = fma(-error * T(1.0 / 3), inverse_square, cube_root);
  cube_root *= small ? T(single ? 0x1p-8 : 0x1p-18) : T(2);
  return ((x == 0) | !(size < T(__builtin_inf()))) ? x : with_sign(cube_root, x);
}

}  // namespace meaning
}  // namespace wf
