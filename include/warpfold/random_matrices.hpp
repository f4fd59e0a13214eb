// Random matrices, and the logarithms of their densities. Like all random numbers they depend on their key alone.
//
//     auto x = random::multivariate_gaussian(key, mean, covariance, n);     // a sample in each row
//     auto w = random::wishart(key, scale, 7.5);
#pragma once

#include <cmath>
#include <numbers>
#include <sstream>

#include "warpfold/linear.hpp"
#include "warpfold/random.hpp"

namespace warpfold {
namespace random {

using arrays::Array;

// n samples of the distribution with this mean and covariance, each a row.
template <class T> Array<T, 2> multivariate_gaussian(const Key& key, const Array<T, 1>& mean, const Array<T, 2>& covariance, int64_t n) {
  const int64_t m = mean.size();
  const Array<T, 2> z(gaussian<T>(key, n * m), {n, m});
  return mean + matmul(z, t(cholesky(covariance)));
}
// The log density of each row of x.
template <class T>
Array<T, 1> multivariate_gaussian_log_density(const Array<T, 2>& x, const Array<T, 1>& mean, const Array<T, 2>& covariance) {
  const Array<T, 2> l = cholesky(covariance), z = solve_lower(l, t(x - mean));
  const T constant = T(0.5 * std::log(2 * std::numbers::pi) * double(mean.size()));
  return T(-0.5) * sum(z * z, 0) - (constant + T(0.5) * log_determinant_cholesky(l));
}

namespace detail {

// The number of rows of the scale of a Wishart distribution. Throws SizeError unless it is square, and ArgumentError if the density does not exist.
template <class T> int64_t wishart_rows(const char* function, const Array<T, 2>& scale, T df) {
  const auto [rows, columns] = scale.shape();
  if (rows != columns)
    throw SizeError(std::string(function) + ": the scale has shape " + arrays::text_of(scale.shape()) + "; expected a square matrix");
  if (!(df > T(rows) - 1)) {
    std::ostringstream text;
    text << function << ": the degrees of freedom are " << df << " for a scale of " << arrays::text_of(scale.shape())
         << "; expected more than " << rows - 1;
    throw ArgumentError(text.str());
  }
  return rows;
}

}  // namespace detail

// A positive definite matrix with mean df scale, for df > p - 1 and a scale of p x p (Bartlett's decomposition). Throws ArgumentError for other df.
template <class T> Array<T, 2> wishart(const Key& key, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  const int64_t p = detail::wishart_rows("wishart", scale, df);
  const auto degrees = tabulate([df](auto i) { return df - cast<T>(i); }, p, scale.context());
  const Array<T, 1> roots = map([](auto x) { return sqrt(x); }, chi_squared<T>(key.split(0), p, degrees));
  const Array<T, 2> z(gaussian<T>(key.split(1), p * p), {p, p});
  const auto lower = arrays::array([=](auto i, auto j) { return where(i > j, z(i, j), where(i == j, roots(j), T(0))); }, p, p);
  const Array<T, 2> factor = lower_product(cholesky(scale), lower);
  return outer(factor, factor);
}
// The inverse of a wishart matrix whose scale is the inverse of this one.
template <class T> Array<T, 2> inverse_wishart(const Key& key, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  detail::wishart_rows("inverse_wishart", scale, df);
  return inverse_positive(wishart(key, inverse_positive(scale), df));
}

namespace detail {

// The logarithm of 2^(df p / 2) and the multivariate gamma function of df / 2.
inline double log_wishart_constant(int64_t p, double df) {
  double sum = df * double(p) / 2 * std::log(2.0) + double(p * (p - 1)) / 4 * std::log(std::numbers::pi);
  for (int64_t i = 0; i < p; i++) sum += std::lgamma((df - double(i)) / 2);
  return sum;
}

}  // namespace detail

template <class T> Scalar<T> wishart_log_density(const Array<T, 2>& x, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  const int64_t p = detail::wishart_rows("wishart_log_density", scale, df);
  const T constant = T(detail::log_wishart_constant(p, double(df)));
  return (df - T(p) - 1) / 2 * log_determinant_positive(x) - T(0.5) * trace(solve_positive(scale, x)) -
         (constant + df / 2 * log_determinant_positive(scale));
}
template <class T> Scalar<T> inverse_wishart_log_density(const Array<T, 2>& x, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  const int64_t p = detail::wishart_rows("inverse_wishart_log_density", scale, df);
  const T constant = T(detail::log_wishart_constant(p, double(df)));
  return df / 2 * log_determinant_positive(scale) - (constant + (df + T(p) + 1) / 2 * log_determinant_positive(x)) -
         T(0.5) * trace(solve_positive(x, scale));
}

// An orthogonal n x n matrix, uniformly distributed (Haar): the QR factor, with a positive diagonal of r, of a gaussian matrix. The log density is with
// respect to the surface measure.
template <class T> Array<T, 2> orthogonal(const Key& key, int64_t n) { return qr(Array<T, 2>(gaussian<T>(key, n * n), {n, n})).q; }
inline double orthogonal_log_density(int64_t n) {
  double volume = 0;
  for (int64_t k = 1; k <= n; k++) volume += std::log(2.0) + double(k) / 2 * std::log(std::numbers::pi) - std::lgamma(double(k) / 2);
  return -volume;
}

// An n x n matrix with a 1 in each row and column, all equally likely.
template <class T> Array<T, 2> permutation_matrix(const Key& key, int64_t n) {
  const Array<int64_t, 1> order = permutation<int64_t>(key, n);
  return arrays::array([=](auto i, auto j) { return cast<T>(order(i) == j); }, n, n);
}
inline double permutation_matrix_log_density(int64_t n) { return -std::lgamma(double(n) + 1); }

}  // namespace random
}  // namespace warpfold
