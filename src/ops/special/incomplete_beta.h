// The regularized incomplete beta function I_x(a, b): a continued fraction that converges fast for x up to the mean.
#pragma once

#include "ops/special/incomplete_gamma.h"

namespace wf {
namespace meaning {

// I_x(a, b) = x^a y^b / B(a, b) / (b0 + a1 / (b1 + a2 / (b2 + ...))), y = 1 - x (A. R. DiDonato and A. H. Morris, "Significant digit
// computation of the incomplete beta function ratios", 1992)
template <class T> WF_FN T beta_fraction(T a, T b, Pair<T> x, Pair<T> y) {
  auto below_mean = sum_of(product_of(y, Pair<T>{a, 0}), product_of(x, Pair<T>{-b, 0}));  // (a + b) (mean - x)
  T first = below_mean.high + 1;
  return continued_fraction<T>([=](int k) {
    T n = T(k), s = a + (2 * n - 1), w = k > 0 ? n * (b - n) * x.high / s : T(0), shrinking = (a + n) / (a + (2 * n + 1));
    return Partial<T>{w * x.high * ((a + (n - 1)) / s) * (a + b + (n - 1)), n + w + shrinking * fma(n, y.high + 1, first)};
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
  T factor = power / parts.factor;
  // Beyond the mean, 1 - I_y(b, a), unless that cancels.
  if (b * x > a * y.high) {
    T upper = scaled(factor * beta_fraction(b, a, y, whole), n);
    if (upper < T(0.9)) return 1 - upper;
  }
  return scaled(factor * beta_fraction(a, b, whole, y), n);
}

}  // namespace meaning
}  // namespace wf
