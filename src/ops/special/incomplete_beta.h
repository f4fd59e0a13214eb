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

template <class T> WF_RARE T math_ibeta(T a, T b, T x) {
  const T inf = T(__builtin_inf());
  if (!(a >= 0) || !(b >= 0) || !(x >= 0) || x > 1 || (a == 0 && b == 0) || (a == inf && b == inf)) return T(__builtin_nan(""));
  if (x == 0 || b == 0 || a == inf) return x == 1 ? T(1) : T(0);
  if (x == 1 || a == 0 || b == inf) return T(1);
  auto parts = beta_parts(a, b);
  auto y = sum_of_ordered(T(1), -x);
  auto whole = Pair<T>{x, 0};
  auto left = log_power(quotient_of(product_of(parts.c, whole), Pair<T>{parts.a, 0}), a);
  auto right = log_power(quotient_of(product_of(parts.c, y), Pair<T>{parts.b, 0}), b);
  auto [power, n] = exp_of_pair(sum_of(left, right));
  double factor = power / beta_parts(double(a), double(b)).factor;
  // Beyond the mean, 1 - I_y(b, a), unless that cancels.
  if (b * x > a * y.high) {
    T upper = scaled(T(factor * beta_fraction(b, a, y, whole)), n);
    if (upper < T(0.9)) return 1 - upper;
  }
  return scaled(T(factor * beta_fraction(a, b, whole, y)), n);
}

}  // namespace meaning
}  // namespace wf
