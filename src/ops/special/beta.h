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

// The logarithm of ratio^a
template <class T> WF_FN Pair<T> log_power(Pair<T> ratio, Pair<T> a) { return product_of(a, log_of_pair(ratio)); }
template <class T> WF_FN Pair<T> log_power(Pair<T> ratio, T a) { return log_power(ratio, Pair<T>{a, 0}); }

// log B(a, b) = power + log factor, for a and b above 0
template <class T> struct BetaLogs {
  Pair<T> power;
  T factor;
};
template <class T> WF_FN BetaLogs<T> beta_logs(Pair<T> a, Pair<T> b) {
  auto parts = beta_parts(a.high, b.high);
  bool swaps = a.high < b.high;
  Pair<T> larger = swaps ? b : a, smaller = swaps ? a : b;
  // A larger operand from 1 on multiplies the logarithm of 1 - smaller / c, which keeps the digits of a small quotient. Quarters of numbers
  // from 1 on, since the inverse of a huge number has few digits.
  bool near = larger.high >= 1;
  Pair<T> c = {parts.c.high * T(0.25), parts.c.low * T(0.25)};
  auto quotient = quotient_of(Pair<T>{(near ? smaller.high : swaps ? parts.b : parts.a) * T(0.25), 0}, c);
  auto rest = sum_of_ordered(T(1), -quotient.high);
  Pair<T> ratio = {near ? rest.high : quotient.high, near ? rest.low - quotient.low : quotient.low};
  auto of_smaller = quotient_of(Pair<T>{(swaps ? parts.a : parts.b) * T(0.25), 0}, c);
  return {sum_of(log_power(ratio, larger), log_power(of_smaller, smaller)), parts.factor};
}

template <class T> WF_RARE T math_lbeta(T a, T b) {
  const T inf = T(__builtin_inf());
  if (!(a >= 0) || !(b >= 0)) return T(__builtin_nan(""));
  if (a == 0 || b == 0) return a == inf || b == inf ? T(__builtin_nan("")) : inf;
  if (a == inf || b == inf) return -inf;
  T smaller = a < b ? a : b, larger = a < b ? b : a;
  if (smaller < Format<T>::smallest_normal) return math_log1p(smaller / larger) - math_log(smaller);
  auto [power, factor] = beta_logs(Pair<T>{a, 0}, Pair<T>{b, 0});
  return power.high + (power.low + math_log(factor));
}

// |sin(pi (x - y))| / pi
template <class T> WF_FN T sine_of_difference(T x, T y) {
  auto [high, low] = sum_of(x - nearest_integer(x), nearest_integer(y) - y);
  T r = float_abs((high - nearest_integer(high)) + low);
  return r < T(0x1p-30) ? r : float_abs(circular(half_turns_of(r), 0)) * Pi<T>::inverse.high;
}

// log |n! / (k! (n - k)!)| for n > -1. For -1/2 <= k <= n + 1/2, it is -log(n + 1) - log B(n - k + 1, k + 1). The reflection of G(n - k + 1) makes
// it log B(n + 1, k - n) + log |sin(pi (k - n)) / pi| for larger k, and a smaller k gives the value of n - k. The terms cancel, so they are pairs.
template <class T> WF_RARE T math_lchoose(T n, T k) {
  const T inf = T(__builtin_inf());
  if (k != k || !(n > -1)) return T(__builtin_nan(""));
  if (k == 0) return T(0);
  if (n == inf) return k == n ? T(__builtin_nan("")) : k < 0 ? -inf : inf;
  if (k == n) return T(0);
  if (float_abs(k) == inf) return -inf;
  bool is_low = -k > k - n;
  bool is_within = (is_low ? -k : k - n) <= T(0.5);
  T sine = is_within ? T(1) : sine_of_difference(k, is_low ? T(0) : n);
  if (sine == 0) return -inf;
  Pair<T> next = sum_of(n, T(1)), rest = sum_of(n, -k);
  auto [power, factor] = is_within ? beta_logs(sum_of(rest, Pair<T>{1, 0}), sum_of(k, T(1)))
                         : is_low  ? beta_logs(next, Pair<T>{-k, 0})
                                   : beta_logs(next, Pair<T>{-rest.high, -rest.low});
  auto sum = sum_of(sum_of(power, log_as_pair(factor)), is_within ? log_of_pair(next) : log_as_pair(sine));
  T y = sum.high + sum.low;
  return is_within ? -y : y;
}

}  // namespace meaning
}  // namespace wf
