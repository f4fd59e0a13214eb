// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x): a power series, Legendre's continued fraction, and for
// large a near x the uniform expansion of N. M. Temme, "The asymptotic expansion of the incomplete gamma functions", 1979.
//
// f32 results, too, compute the series and the fractions in f64, since the errors of many terms add up, and what cancels.
#pragma once

#include "ops/special/beta.h"
#include "ops/special/normal.h"

namespace wf {
namespace meaning {

template <class T> constexpr T rounding = T(sizeof(T) == 4 ? 0x1p-25 : 0x1p-54);
constexpr int most_iterations = 20000;

WF_FN float temme0(float n) {
  return horner(n, -0x1.555556p-2f, 0x1.555556p-4f, -0x1.e573acp-7f, 0x1.2f68dp-10f, 0x1.71ddcep-12f, -0x1.771792p-13f, 0x1.48f2d8p-15f,
                -0x1.c2cee6p-20f, -0x1.06ec76p-19f);
}
WF_FN double temme0(double n) {
  return horner(n, -0x1.5555555555555p-2, 0x1.5555555555555p-4, -0x1.e573ac901e574p-7, 0x1.2f684bda12f68p-10, 0x1.71de3a556c60cp-12,
                -0x1.76e06fec72743p-13, 0x1.48c5892f92c81p-15, -0x1.2553706526bb5p-19, -0x1.f1b22f8d8fd39p-20, 0x1.bd6d21e385b0dp-21,
                -0x1.7b5f88ab747cdp-23, 0x1.ccf5d4563e26dp-28, 0x1.6090ee634d1e9p-27, -0x1.2d21b4162557cp-28, 0x1.f87df462bcde5p-31,
                -0x1.c09e4ff134a8ap-36, -0x1.1a0217d799871p-34, 0x1.acd19b18f411dp-36);
}
WF_FN float temme1(float n) { return horner(n, -0x1.e573acp-10f, -0x1.c71e1ep-9f, 0x1.5aceap-9f, -0x1.036f2ep-10f, 0x1.a261b6p-13f); }
WF_FN double temme1(double n) {
  return horner(n, -0x1.e573ac901e573p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015a77p-9, -0x1.0394f6f09e729p-10, 0x1.af83440e6a44ap-13,
                -0x1.af83440c8e481p-22, -0x1.2fa4ae9ea8d78p-16, 0x1.00a9cabbd0829p-17, -0x1.b0bde9dae97fbp-20, 0x1.3f59d74bffd89p-28,
                0x1.280a7bef29f4cp-23, -0x1.ee24783422a76p-25, 0x1.9bf2f5b3d1f2ep-27, -0x1.2040d3f86ac15p-36, -0x1.2d6ed475c9dc5p-30,
                0x1.c78a05cfa9398p-32);
}
WF_FN float temme2(float n) { return horner(n, 0x1.0ee644p-8f, -0x1.5f1bbap-9f, 0x1.88dbbep-11f); }
WF_FN double temme2(double n) {
  return horner(n, 0x1.0ee643b990ed4p-8, -0x1.5f7268edab4c9p-9, 0x1.948b0fcd7baadp-11, 0x1.0db20a897f1c6p-19, -0x1.c253efc245e69p-14,
                0x1.bbf43dad56c35p-15, -0x1.ac2cf4b91d2d3p-17, 0x1.2615f4a0ee559p-25, 0x1.7052fd95ddb3dp-20, -0x1.522d1a246640cp-21,
                0x1.33a11e242561fp-23, -0x1.a24583b75401cp-33, -0x1.07155275780ddp-26, 0x1.aa0966b4c6f22p-28);
}
WF_FN double temme3(double n) {
  return horner(n, 0x1.547d93b34e2b6p-11, 0x1.e13ce4920cc54p-13, -0x1.ebfb189044d28p-12, 0x1.18b9af6121ba8p-12, -0x1.3d2a34a07df49p-14,
                -0x1.fe8600d2bd962p-23, 0x1.73dbace78f777p-17, -0x1.7deddb202c6e7p-18, 0x1.7ef77be904ad7p-20, 0x1.020209738b898p-24,
                -0x1.891407bb632bfp-23);
}
WF_FN double temme4(double n) {
  return horner(n, -0x1.c3e0b02da7bf9p-11, 0x1.9b0ff0cc7e0bp-11, -0x1.3999a5a0e5e6cp-12, -0x1.86bd8138da8d4p-20, 0x1.168e70662c759p-14,
                -0x1.4dcf403c3fc3p-15, 0x1.7e96be07ee4edp-17, 0x1.2271dd495c519p-21, -0x1.ea91cebe0a24cp-20);
}
WF_FN double temme5(double n) {
  return horner(n, -0x1.6128ac5a4fa71p-12, -0x1.24bbe2cea2eb3p-14, 0x1.231674b419d18p-12, -0x1.a0618c8a67733p-13, 0x1.090107a495169p-14);
}
WF_FN double temme6(double n) { return horner(n, 0x1.28f465707bccbp-11, -0x1.35df4f82f8afbp-11); }

// The sum over k of C_k(n) / a^k with n^2 / 2 = x/a - 1 - log(x/a), |n| <= 1/2, a >= 100
WF_FN float temme_sum(float n, float w) { return horner(w, temme0(n), temme1(n), temme2(n)); }
WF_FN double temme_sum(double n, double w) {
  return horner(w, temme0(n), temme1(n), temme2(n), temme3(n), temme4(n), temme5(n), temme6(n));
}

template <class T> struct GammaParts { T p, q; };

// log(x^a e^-x / G(a + 1)) without the factor 1 / (sqrt(2 pi a) scaled_gamma) if a >= 1
template <class T> WF_FN Pair<T> gamma_exponent(T a, T x) {
  if (a < 1) return sum_of(log_power(Pair<T>{x, 0}, a), sum_of(-x, -log_gamma<true>(a)));
  return sum_of(log_power(quotient_of(Pair<T>{x, 0}, Pair<T>{a, 0}), a), sum_of(a, -x));
}
// 1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...
template <class T> WF_FN double gamma_series(T a, T x) {
  double term = 1, sum = 1;
  for (int k = 1; k < most_iterations && term > sum * rounding<T>; k++) term *= x / (double(a) + k), sum += term;
  return sum;
}
// 1 / (b0 + a1 / (b1 + a2 / (b2 + ...))): J. Steed's method finds the number of terms (A. R. Barnett et al., "Coulomb wave functions for all
// real eta and rho", 1974), but its sum may cancel. Evaluation from the last term on does not.
struct Partial {
  double a, b;
};
template <class T, class Partials> WF_FN int fraction_terms(Partials partial) {
  double d = 1 / partial(0).b, step = d, sum = d;
  int k = 0;
  while (k < most_iterations && float_abs(step) > float_abs(sum) * rounding<T>) {
    Partial next = partial(++k);
    double inverse = 1 / fma(next.a, d, next.b);
    step *= -next.a * d * inverse, d = inverse, sum += step;
  }
  return k;
}
template <class T, class Partials> WF_FN double continued_fraction(Partials partial) {
  int k = fraction_terms<T>(partial);
  double f = partial(k).b;
  for (; k > 0; k--) f = partial(k - 1).b + partial(k).a / f;
  return 1 / f;
}
// 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...)))
template <class T> WF_FN double gamma_fraction(T a, T x) {
  double shape = a, first = double(x) + 1 - a;
  return continued_fraction<T>([=](int k) { return Partial{k * (shape - k), first + 2 * k}; });
}
// 1 - x^a / G(a + 1) (1 + a sum), sum of (-x)^n / (n! (a + n)), for x < 1 and a < 1
WF_FN double small_upper_gamma(double a, double x) {
  double power = fma(a, math_log(x), -log_gamma<true>(a)), term = 1, sum = 0;
  for (int k = 1; k < 40 && float_abs(term) > rounding<double>; k++) term *= -x / k, sum += term / (a + k);
  return -math_expm1(power) - math_exp(power) * a * sum;
}

template <class T> WF_FN GammaParts<T> incomplete_gamma(T a, T x) {
  const T inf = T(__builtin_inf());
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (a == inf && x == inf)) return {T(__builtin_nan("")), T(__builtin_nan(""))};
  if (a == 0 || x == inf) return {1, 0};
  if (x == 0 || a == inf || (a >= 2 && x / a < Format<T>::smallest_normal)) return {0, 1};
  auto exponent = gamma_exponent(a, x);
  // The value is 0 or 1, also if the exponent overflows.
  if (a >= 1 && !(exponent.high >= 3 * ExpRange<T>::lowest)) return x < a ? GammaParts<T>{0, 1} : GammaParts<T>{1, 0};
  auto [power, n] = exp_of_pair(exponent);
  if (a >= 100 && float_abs(x - a) < T(0.4) * a) {
    Pair<T> square = exponent.high < 0 ? Pair<T>{-exponent.high, -exponent.low} : Pair<T>{0, 0};
    T z = root(square.high), size = root(2 * square.high / a), w = 1 / a;
    if (exponent.high < ExpRange<T>::lowest) return x < a ? GammaParts<T>{0, 1} : GammaParts<T>{1, 0};
    T tail = z < 1 ? T(0.5) * math_erfc(z) : tail_of_erfc(z, square, T(0.5));
    T rest = scaled(power * (T(0.39894228040143267794) / root(a)) * temme_sum(x < a ? -size : size, w), n);
    T part = x < a ? tail - rest : tail + rest;
    return x < a ? GammaParts<T>{part, 1 - part} : GammaParts<T>{1 - part, part};
  }
  T factor = a < 1 ? power : power * (T(0.39894228040143267794) / (root(a) * scaled_gamma(1 / a - T(0.5))));
  if (x < (a < 1 ? T(1) : a)) {
    T p = scaled(T(factor * gamma_series(a, x)), n);
    return {p < 1 ? p : T(1), a < 1 ? T(small_upper_gamma(a, x)) : 1 - p};
  }
  T q = scaled(T(factor * (a * gamma_fraction(a, x))), n);
  return {1 - q, q};
}
template <class T> WF_RARE T math_gamma_p(T a, T x) { return incomplete_gamma(a, x).p; }
template <class T> WF_RARE T math_gamma_q(T a, T x) { return incomplete_gamma(a, x).q; }

}  // namespace meaning
}  // namespace wf
