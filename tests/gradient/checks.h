// Checks of gradients that need no formula: against differences, and of the forward mode against the reverse mode.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <warpfold/warpfold.hpp>

#include "check.h"

namespace gradcheck {

using namespace warpfold;
using Vector = std::vector<double>;

inline Vector random_vector(int64_t n, unsigned seed, double low = -1, double high = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> in(low, high);
  Vector values(static_cast<size_t>(n));
  for (double& v : values) v = in(random);
  return values;
}
inline double dot_of(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); k++) sum += a[k] * b[k];
  return sum;
}
inline Vector moved(const Vector& x, const Vector& v, double h) {
  Vector y = x;
  for (size_t k = 0; k < y.size(); k++) y[k] += h * v[k];
  return y;
}
// rounding: the error that a may have whatever its size.
inline void expect_close(double a, double b, double tolerance, const std::string& what, double rounding = 0) {
  if (std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)}) + rounding) return;
  std::ostringstream text;
  text.precision(12);
  text << what << ": " << a << " and " << b;
  check::fail(__FILE__, __LINE__, text.str());
}

// The message of the error that f throws.
template <class F> std::string error_of(const F& f) {
  try {
    f();
  } catch (const Error& e) { return e.what(); }
  return "";
}
inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The elements of a sequence or array of doubles.
template <class S> Vector elements_of(const S& s) {
  int64_t n = 0;
  detail::check(wf_force(std::array{s.raw()}.data(), 1));
  detail::check(wf_known_length(s.raw(), &n));
  Vector values(static_cast<size_t>(n));
  detail::check(wf_to_host(s.raw(), 0, 0, n, values.data(), WF_F64, 1));
  return values;
}

// f: Seq<double> -> Scalar<double>, smooth near x: its gradient against differences in some directions and coordinates. The order of f's sums is
// the engine's, so a value may be wrong by some units of its last place, which the difference divides by 2 h.
template <class F> void against_differences(const std::string& name, const F& f, const Vector& x, double tolerance = 2e-6) {
  const auto n = static_cast<int64_t>(x.size());
  const auto [value, gradient] = value_and_grad(f)(Seq<double>(x));
  const Vector g = elements_of(gradient);
  if (g.size() != x.size()) return check::fail(__FILE__, __LINE__, name + ": the gradient has another length");
  const double h = 1e-6;
  const auto along = [&](const Vector& v, const std::string& what) {
    const double up = f(Seq<double>(moved(x, v, h))).get(), down = f(Seq<double>(moved(x, v, -h))).get();
    const double rounding = 0x1p-49 * (std::abs(up) + std::abs(down)) / (2 * h);
    expect_close(dot_of(g, v), (up - down) / (2 * h), tolerance, name + " of " + std::to_string(n) + ", " + what, rounding);
  };
  if (n == 0) return;
  along(random_vector(n, 7), "a direction");
  for (int64_t k : {int64_t{0}, n / 2, n - 1}) {
    Vector unit(x.size());
    unit[static_cast<size_t>(k)] = 1;
    along(unit, "coordinate " + std::to_string(k));
  }
}

// f: Seq<double> -> a sequence or array: <ybar, J v> = <JT ybar, v>.
template <class F> void against_forward_mode(const std::string& name, const F& f, const Vector& x) {
  const Vector v = random_vector(static_cast<int64_t>(x.size()), 11);
  const auto [y, tangent] = jvp(f, Seq<double>(x), Seq<double>(v));
  const Vector yv = elements_of(tangent);
  const auto [value, back] = vjp(f, Seq<double>(x));
  const Vector ybar = random_vector(static_cast<int64_t>(yv.size()), 13);
  Seq<double> flat(ybar);
  auto seed = value;
  int64_t extents[8];
  int32_t rank = 0;
  detail::check(wf_force(std::array{value.raw()}.data(), 1));
  detail::check(wf_shape(value.raw(), extents, 8, &rank));
  seed = std::remove_cvref_t<decltype(value)>::own(detail::sequence(wf_reshape, flat.raw(), static_cast<const int64_t*>(extents), rank));
  expect_close(dot_of(ybar, yv), dot_of(elements_of(back(seed)), v), 1e-10,
               name + " of " + std::to_string(x.size()) + ", forward and reverse");
}

// The product of the Hessian with a vector against differences of gradients.
template <class F> void second_order(const std::string& name, const F& f, const Vector& x) {
  const auto n = static_cast<int64_t>(x.size());
  const Vector v = random_vector(n, 17), u = random_vector(n, 19);
  const Vector hv = elements_of(hessian_vector(f)(Seq<double>(x), Seq<double>(v)));
  const double h = 1e-5;
  const Vector up = elements_of(grad(f)(Seq<double>(moved(x, v, h)))), down = elements_of(grad(f)(Seq<double>(moved(x, v, -h))));
  double differences = 0;
  for (size_t k = 0; k < u.size(); k++) differences += u[k] * (up[k] - down[k]) / (2 * h);
  expect_close(dot_of(hv, u), differences, 1e-5, name + " of " + std::to_string(n) + ", second order");
}

}  // namespace gradcheck
