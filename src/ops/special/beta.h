// The beta function B(a, b) = G(a) G(b) / G(a + b), by Stirling's formula in ratios of the operands, which do not cancel.
#pragma once

#include "ops/special/gamma.h"

namespace wf {
namespace meaning {

// log x as a pair for a pair x
template <class T> WF_FN Pair<T> log_of_pair(Pair<T> x) {
  auto log = log_as_pair(x.high);
  return sum_of_ordered(log.high, log.low + x.low / x.high);
}
template <class T> WF_FN Pair<T> sum_of(Pair<T> x, Pair<T> y) {
  auto [high, low] = sum_of(x.high, y.high);
  return sum_of_ordered(high, low + (x.low + y.low));
}

// With A = a + 1 if a < 1, else a, and likewise B, and C of c = a + b:
//   B(a, b) = (A/C)^a (B/C)^b `factor`.
template <class T> struct BetaParts {
  Pair<T> c;  // C
  T a, b;     // A, B
  T factor;
};
template <class T> WF_FN BetaParts<T> beta_parts(T a, T b) {
  constexpr T e = T(2.71828182845904523536);
  auto sum = sum_of(a, b);
  bool small_a = a < 1, small_b = b < 1, small_c = sum.high < 1;
  Pair<T> c = small_c ? Pair<T>{sum.high + 1, 0} : sum;
  T A = small_a ? a + 1 : a, B = small_b ? b + 1 : b;
  // sqrt(2 pi) A^(-+1/2) B^(-+1/2) C^(+-1/2) e^(c shifted - a shifted - b shifted) / (a b / c, of those shifted)
  T gammas = scaled_gamma(1 / A - T(0.5)) * scaled_gamma(1 / B - T(0.5)) / scaled_gamma(1 / c.high - T(0.5));
  T root_a = root(A), root_b = root(B), root_c = root(c.high);
  T factor = T(2.50662827463100050242) * gammas * (small_c ? e / root_c : root_c);
  factor *= small_a ? root_a / e : 1 / root_a;
  factor *= small_b ? root_b / e : 1 / root_b;
  T larger = a < b ? b : a, smaller = a < b ? a : b;
  if (small_a & small_b) factor *= (small_c ? sum.high / larger : 1 / larger) / smaller;
  else factor /= small_a ? a : small_b ? b : T(1);
  return {c, A, B, factor};
}

// (u/C)^a as the logarithm of u/C times a
template <class T> WF_FN Pair<T> log_power(Pair<T> ratio, T a) { return product_of(Pair<T>{a, 0}, log_of_pair(ratio)); }

template <class T> WF_RARE T math_lbeta(T a, T b) {
  const T inf = T(__builtin_inf());
  if (!(a >= 0) || !(b >= 0)) return T(__builtin_nan(""));
  if (a == 0 || b == 0) return a == inf || b == inf ? T(__builtin_nan("")) : inf;
  if (a == inf || b == inf) return -inf;
  T smaller = a < b ? a : b, larger = a < b ? b : a;
  if (smaller < Format<T>::smallest_normal) return math_log1p(smaller / larger) - math_log(smaller);
  auto parts = beta_parts(a, b);
  auto power = sum_of(log_power(quotient_of(Pair<T>{parts.a, 0}, parts.c), a), log_power(quotient_of(Pair<T>{parts.b, 0}, parts.c), b));
  return power.high + (power.low + math_log(parts.factor));
}

// log of n! / (k! (n - k)!) = -log(n + 1) - log B(n - k + 1, k + 1)
template <class T> WF_RARE T math_lchoose(T n, T k) {
  T a = n - k + 1, b = k + 1;
  if (n != n || k != k || n < 0) return T(__builtin_nan(""));
  if (k == 0 || k == n) return T(0);
  if (a <= 0 || b <= 0) return -T(__builtin_inf());
  return -math_log1p(n) - math_lbeta(a, b);
}

}  // namespace meaning
}  // namespace wf
