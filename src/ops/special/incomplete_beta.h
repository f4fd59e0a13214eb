// The regularized incomplete beta function I_x(a, b): a continued fraction that converges fast for x up to the mean.
#pragma once

#include "ops/special/incomplete_gamma.h"

namespace wf {
namespace meaning {

// I_x(a, b) = x^a y^b / B(a, b) / (b0 + a1 / (b1 + a2 / (b2 + ...))), y = 1 - x (A. R. DiDonato and A. H. Morris, "Significant digit
// computation of the incomplete beta function ratios", 1992)
template <class T> WF_FN double beta_fraction(T given_a, T given_b, Pair<T> given_x, Pair<T> given_y) {
  auto below_mean = sum_of(product_of(given_y, Pair<T>{given_a, 0}), product_of(given_x, Pair<T>{-given_b, 0}));  // (a + b) (mean - x)
  double a = given_a, b = given_b, x = double(given_x.high) + given_x.low, y = double(given_y.high) + given_y.low;
  double first = double(below_mean.high) + below_mean.low + 1;
  return continued_fraction<T>([=](int k) {
    double n = k, s = a + (2 * n - 1), w = k > 0 ? n * (b - n) * x / s : 0.0, shrinking = (a + n) / (a + (2 * n + 1));
    return Partial{w * x * ((a + (n - 1)) / s) * (a + b + (n - 1)), n + w + shrinking * fma(n, y + 1, first)};
  });
}

// The logarithm of (c x / mean)^a
template <class T> WF_FN Pair<T> log_ratio_power(Pair<T> c, Pair<T> x, T mean, T a) {
  // Low parts of products with a subnormal x underflow.
  if (x.high < Format<T>::smallest_normal)
    return product_of(Pair<T>{a, 0}, sum_of(log_of_pair(quotient_of(c, Pair<T>{mean, 0})), log_as_pair(x.high)));
  return log_power(quotient_of(product_of(c, x), Pair<T>{mean, 0}), a);
}

// I_x(a, b) for a and b above 10^10, for which the fraction would need too many terms: erfc and the first two terms of a uniform expansion
// (N. M. Temme, "The uniform asymptotic expansion of a class of integrals related to cumulative distribution functions", 1982)
WF_FN double large_ibeta(double a, double b, double x) {
  bool overflows = a + b > 0x1p1023;
  if (overflows) a *= 0.25, b *= 0.25;
  auto c = sum_of(a, b), whole = Pair<double>{x, 0}, y = sum_of_ordered(1.0, -x);
  auto below_mean = sum_of(product_of(y, Pair<double>{a, 0}), product_of(whole, Pair<double>{-b, 0}));
  bool is_below = below_mean.high > 0;
  double p = a / c.high, q = b / c.high, v = a * q, u = -below_mean.high / root(v);  // x - mean in deviations
  auto exponent = sum_of(log_ratio_power(c, whole, a, a), log_ratio_power(c, y, b, b));
  auto square = Pair<double>{-exponent.high, -exponent.low};
  // Near the mean the terms of the exponent cancel.
  if (float_abs(u) < 1 || (c.high > 1e23 && float_abs(u) < 40))
    square = {u * u * (0.5 - (q - p) * u / (3 * root(v)) + (1 - 3 * p * q) * u * u / (4 * v)), 0};
  if (!(square.high <= -ExpRange<double>::lowest)) return is_below ? 0 : 1;
  double z = root(square.high);
  double tail = z < 1 ? 0.5 * math_erfc(z) : tail_of_erfc(z, square, 0.5);
  double second = 1.41421356237309504880 * z * (1 - p * q) / (12 * v);
  double rest = 0.39894228040143267794 * math_exp(-square.high) * ((q - p) / (3 * root(v)) + (is_below ? second : -second));
  return is_below ? tail + rest : 1 - tail + rest;
}

template <class T> WF_RARE T math_ibeta(T a, T b, T x) {
  const T inf = T(__builtin_inf());
  if (!(a >= 0) || !(b >= 0) || !(x >= 0) || x > 1 || (a == 0 && b == 0) || (a == inf && b == inf)) return T(__builtin_nan(""));
  if (x == 0 || b == 0 || a == inf) return x == 1 ? T(1) : T(0);
  if (x == 1 || a == 0 || b == inf) return T(1);
  if (a < Format<T>::smallest_normal || b < Format<T>::smallest_normal) return b / (a + b);
  if (a > T(1e10) && b > T(1e10)) return T(large_ibeta(a, b, x));
  // The error of the exponent grows with the operands.
  if constexpr (sizeof(T) == 4)
    if (a > T(1e4) || b > T(1e4)) return T(math_ibeta(double(a), double(b), double(x)));
  auto parts = beta_parts(a, b);
  auto y = sum_of_ordered(T(1), -x);
  auto whole = Pair<T>{x, 0};
  auto left = log_ratio_power(parts.c, whole, parts.a, a), right = log_ratio_power(parts.c, y, parts.b, b);
  auto exponent = sum_of(left, right);
  if (!(exponent.high >= 3 * ExpRange<T>::lowest)) return b * x > a * y.high ? T(1) : T(0);  // also if it overflows
  auto [power, n] = exp_of_pair(exponent);
  double factor = power / beta_parts(double(a), double(b)).factor;
  // Beyond the mean, 1 - I_y(b, a), unless that cancels and the fraction of I_x(a, b) converges, or that fraction converges fast even there.
  if (b * x > a * y.high && (x > T(0.5) || b * x > T(0.5))) {
    T upper = scaled(T(factor * beta_fraction(b, a, y, whole)), n);
    if (upper < T(0.9) || y.high < T(sizeof(T) == 4 ? 0 : 1e-6)) return upper < 1 ? 1 - upper : T(0);
  }
  T lower = scaled(T(factor * beta_fraction(a, b, whole, y)), n);
  return lower < 1 ? lower : T(1);
}

}  // namespace meaning
}  // namespace wf
