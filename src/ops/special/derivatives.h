// Derivatives of special functions by their parameters: polygamma functions, and incomplete gamma and beta functions by their shapes. All compute in f64.
//
// A series or a continued fraction is differentiated term by term, on the side of the mean where the derivative of its terms and that of the
// factor before them have one sign (R. J. Boik and J. F. Robison-Cox, "Derivatives of the incomplete beta function", 1998). For a large shape near x
// the uniform expansion of Temme is.
#pragma once

#include "ops/special/incomplete_beta.h"
#include "ops/special/multivariate.h"

namespace wf {
namespace meaning {

// ---- polygamma ----------------------------------------------------------------------------------------------------------------

// n! / x^(n + 1), which neither overflows nor underflows on the way
WF_FN double factorial_over_power(double n, double x) {
  double y = 1 / x;
  for (double j = n; j > 0 && y != 0; j -= 1) y *= j / x;
  return y;
}
// The sum over j of B_2j / (2j)! (n + 2j - 1)! / y^(n + 2j) from j = 1 on, by the term of j = 0 without B, (n - 1)! / y^n
WF_FN double euler_maclaurin(double n, double y, double first) {
  constexpr double over[12] = {0x1.5555555555555p-4,  -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15, -0x1.bbd779334ef0bp-21,
                               0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09162p-37, -0x1.7da4e1f79955cp-42,
                               0x1.355871d652e9ep-47, -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63};
  double term = first, sum = 0;
  for (int j = 1; j <= 12; j++) term *= (n + (2 * j - 2)) / y * ((n + (2 * j - 1)) / y), sum += over[j - 1] * term;
  return sum;
}
// psi^(n)(x) = (-1)^(n + 1) n! times the sum of 1 / (x + k)^(n + 1) over k: terms up to y, then the Euler-Maclaurin formula
WF_FN double polygamma(double n, double x) {
  const double inf = __builtin_inf();
  if (!(n >= 0) || n > 1000 || nearest_integer(n) != n || x != x || x < -10000) return __builtin_nan("");
  if (n == 0) return math_digamma(x);
  if (n == 1) return math_trigamma(x);
  const bool is_even = 2 * nearest_integer(n / 2) == n;
  if (x <= 0 && nearest_integer(x) == x) return is_even ? __builtin_nan("") : inf;
  if (x == inf) return 0;
  double sum = 0, y = x;
  for (; y < n + 20; y += 1) sum += factorial_over_power(n, y);
  double first = factorial_over_power(n - 1, y);
  sum += euler_maclaurin(n, y, first) + (0.5 * (n / y) * first + first);
  return is_even ? -sum : sum;
}
template <class T> WF_RARE T math_polygamma(T n, T x) { return T(polygamma(double(n), double(x))); }

// sum of psi^(n)(x - j/2), j = 0 ... p - 1
template <class T> WF_RARE T math_mvpolygamma(T n, T x, T p) {
  if (!has_dimensions(x, p)) return T(__builtin_nan(""));
  double sum = 0;
  for (T j = 0; j < p; j += 1) sum += polygamma(double(n), fma(-0.5, double(j), double(x)));
  return T(sum);
}

// ---- continued fractions with their derivatives -------------------------------------------------------------------------------

// A value and its derivative by one parameter.
struct Dual {
  double value, slope;
};
WF_FN Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
WF_FN Dual operator*(Dual x, Dual y) { return {x.value * y.value, fma(x.slope, y.value, x.value * y.slope)}; }
WF_FN Dual operator/(Dual x, Dual y) {
  double q = x.value / y.value;
  return {q, fma(-q, y.slope, x.slope) / y.value};
}
WF_FN Dual fixed(double x) { return {x, 0}; }
struct DualPartial {
  Dual a, b;
};
// As continued_fraction. The derivative needs a few more terms than the value.
template <class Partials> WF_FN Dual fraction_with_slope(Partials partial) {
  int k = fraction_terms<double>([=](int n) { return Partial{partial(n).a.value, partial(n).b.value}; });
  k += k / 4 + 8;
  Dual f = partial(k).b;
  for (; k > 0; k--) f = partial(k - 1).b + partial(k).a / f;
  return fixed(1) / f;
}

// ---- gamma_p by its shape -----------------------------------------------------------------------------------------------------

// For a >= 10^4 and x near a: the derivative of erfc(z) / 2 + e^-(z^2) / sqrt(2 pi a) temme_sum, z^2 = size^2 a / 2. The expansion's own derivatives
// have factors of 1 / a, so differences are precise enough.
WF_FN double gamma_q_da_near(double a, double x, double exponent) {
  double w = 1 / a, log_ratio = math_log1p((x - a) / a), size = root(-2 * exponent * w), n = x < a ? -size : size, h = 1e-4;
  double by_size = float_abs(n) < 1e-6 ? 1 - n / 6 : log_ratio / n, sum = temme_sum(n, w);
  double sum_by_size = (temme_sum(n + h, w) - temme_sum(n - h, w)) / (2 * h), sum_by_w = fma(2 * w, temme2(n), temme1(n));
  double parts = by_size + sum * (log_ratio - 0.5 * w) - w * (by_size + 0.5 * n) * sum_by_size - w * w * sum_by_w;
  return math_exp(exponent) * (0.39894228040143267794 / root(a)) * parts;
}
// With D = x^a e^-x / G(a + 1): P = D series for x < a, Q = D a fraction beyond. Both factors after the logarithms grow or shrink together.
WF_FN double gamma_p_da(double a, double x) {
  const double inf = __builtin_inf();
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == inf && x == inf)) return __builtin_nan("");
  if (x == 0 || x == inf || a == inf || (a >= 2 && x / a < Format<double>::smallest_normal)) return 0;
  auto exponent = gamma_exponent(a, x);
  if (!(exponent.high >= 3 * ExpRange<double>::lowest)) return 0;
  if (a >= 1e4 && float_abs(x - a) < 0.4 * a) return -gamma_q_da_near(a, x, exponent.high < 0 ? exponent.high : 0);
  auto [power, n] = exp_of_pair(exponent);
  double factor = a < 1 ? power : power * (0.39894228040143267794 / (root(a) * scaled_gamma(1 / a - 0.5)));
  double distance = math_log(x) - math_digamma(a + 1);
  if (x >= (a < 1 ? 1 : a)) {
    const Dual f = fraction_with_slope([=](int k) { return DualPartial{{k * (a - k), double(k)}, {x + 1 - a + 2 * k, -1}}; });
    return -scaled(factor * (fma(a, distance, 1.0) * f.value + a * f.slope), n);
  }
  double term = 1, sum = 1, slope = 0, harmonic = 0;
  for (int k = 1; k < most_iterations && term > sum * (rounding<double> / 16); k++) {
    term *= x / (a + k), harmonic += 1 / (a + k), sum += term, slope += term * harmonic;
  }
  return scaled(factor * (distance * sum - slope), n);
}
template <class T> WF_RARE T math_gamma_p_da(T a, T x) { return T(gamma_p_da(double(a), double(x))); }

// ---- ibeta by its shapes ------------------------------------------------------------------------------------------------------

// psi(z + d) - psi(z)
WF_FN double digamma_difference(double z, double d) {
  double w = z + d;
  if (z < 16 || w < 16) return math_digamma(w) - math_digamma(z);
  const auto tail = [](double u) {
    return u * horner(u, 0x1.5555555555555p-4, -0x1.1111111111111p-7, 0x1.0410410410410p-8, -0x1.1111111111111p-8, 0x1.f07c1f07c1f08p-8);
  };
  return math_log1p(d / z) + (0.5 * d / (z * w) + (tail(1 / (z * z)) - tail(1 / (w * w))));
}
WF_FN double log_of_part(Pair<double> x) { return x.high > 0.5 ? math_log1p(x.high - 1 + x.low) : math_log(x.high) + x.low / x.high; }
// With F = x^a y^b / (a B(a, b)), I_x(a, b) = F times the fraction divided by a: the derivative by a, or by b, for x up to the mean.
WF_FN double ibeta_slope(double a, double b, Pair<double> x, Pair<double> y, bool by_b) {
  auto parts = beta_parts(a, b);
  auto exponent = sum_of(log_ratio_power(parts.c, x, parts.a, a), log_ratio_power(parts.c, y, parts.b, b));
  if (!(exponent.high >= 3 * ExpRange<double>::lowest)) return 0;
  auto [power, n] = exp_of_pair(exponent);
  double factor = power / parts.factor;
  if (a + b > 1e10) return (by_b ? a : -b) / (a + b) / (a + b) * scaled(factor, n) / (x.high * y.high);
  auto below = sum_of(product_of(y, Pair<double>{a, 0}), product_of(x, Pair<double>{-b, 0}));
  Dual p{a, by_b ? 0.0 : 1.0}, q{b, by_b ? 1.0 : 0.0}, first{below.high + below.low + 1, by_b ? -x.high : y.high};
  const Dual f = fraction_with_slope([=](int k) {
    Dual m = fixed(k), s = p + fixed(2 * k - 1), w = k > 0 ? m * (q + fixed(-k)) * fixed(x.high) / s : fixed(0);
    // The first two parts have a as a factor, which is left out.
    Dual one = k == 0 ? fixed(1) : p + m, two = k == 1 ? fixed(1) : p + fixed(k - 1);
    return DualPartial{w * fixed(x.high) * (two / s) * (p + q + fixed(k - 1)),
                       m + w + one / (p + fixed(2 * k + 1)) * (m * fixed(y.high + 1) + first)};
  });
  double logarithm = by_b ? log_of_part(y) + digamma_difference(b, a) : log_of_part(x) + digamma_difference(a + 1, b - 1);
  return scaled(factor / a * (logarithm * f.value + f.slope), n);
}
WF_FN double ibeta_derivative(double a, double b, double x, bool by_b) {
  const double inf = __builtin_inf();
  if (!(a > 0) || !(b > 0) || !(x >= 0) || x > 1 || (a == inf && b == inf)) return __builtin_nan("");
  if (x == 0 || x == 1 || a == inf || b == inf) return 0;
  Pair<double> whole{x, 0}, y = sum_of_ordered(1.0, -x);
  if (b * x > a * y.high && (x > 0.5 || b * x > 0.5)) return -ibeta_slope(b, a, y, whole, !by_b);
  return ibeta_slope(a, b, whole, y, by_b);
}
template <class T> WF_RARE T math_ibeta_da(T a, T b, T x) { return T(ibeta_derivative(double(a), double(b), double(x), false)); }
template <class T> WF_RARE T math_ibeta_db(T a, T b, T x) { return T(ibeta_derivative(double(a), double(b), double(x), true)); }

}  // namespace meaning
}  // namespace wf
