// Random matrices, and the logarithms of their densities. Like all random numbers they depend on their key alone.
//
//     auto x = random::multivariate_gaussian(key, mean, covariance, n);     // a sample in each row
//     auto w = random::wishart(key, scale, 7.5);
#pragma once

#include <cmath>
#include <numbers>

#include "warpfold/linear.hpp"
#include "warpfold/random.hpp"

namespace warpfold {
namespace random {

using arrays::Array;

namespace detail {

// A function of wf_call.
template <class R, size_t n>
R composed(const char* function, const std::array<wf_seq*, n>& arrays, std::initializer_list<double> numbers = {}) {
  wf_seq* out = nullptr;
  ::warpfold::detail::check(
      wf_call(function, arrays.data(), static_cast<int32_t>(n), numbers.begin(), static_cast<int32_t>(numbers.size()), &out), function);
  return R::own(out);
}

}  // namespace detail

// n samples of the distribution with this mean and covariance, each a row.
template <class T> Array<T, 2> multivariate_gaussian(const Key& key, const Array<T, 1>& mean, const Array<T, 2>& covariance, int64_t n) {
  return detail::composed<Array<T, 2>>("multivariate_gaussian", std::array{key.raw(), mean.raw(), covariance.raw()}, {double(n)});
}
// The log density of each row of x.
template <class T>
Array<T, 1> multivariate_gaussian_log_density(const Array<T, 2>& x, const Array<T, 1>& mean, const Array<T, 2>& covariance) {
  return detail::composed<Array<T, 1>>("multivariate_gaussian_log_density", std::array{x.raw(), mean.raw(), covariance.raw()});
}

// A positive definite matrix with mean df scale, for df > p - 1 and a scale of p x p (Bartlett's decomposition). Throws ArgumentError for other df.
template <class T> Array<T, 2> wishart(const Key& key, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  return detail::composed<Array<T, 2>>("wishart", std::array{key.raw(), scale.raw()}, {double(df)});
}
// The inverse of a wishart matrix whose scale is the inverse of this one.
template <class T> Array<T, 2> inverse_wishart(const Key& key, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  return detail::composed<Array<T, 2>>("inverse_wishart", std::array{key.raw(), scale.raw()}, {double(df)});
}
template <class T> Scalar<T> wishart_log_density(const Array<T, 2>& x, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  return detail::composed<Scalar<T>>("wishart_log_density", std::array{x.raw(), scale.raw()}, {double(df)});
}
template <class T> Scalar<T> inverse_wishart_log_density(const Array<T, 2>& x, const Array<T, 2>& scale, std::type_identity_t<T> df) {
  return detail::composed<Scalar<T>>("inverse_wishart_log_density", std::array{x.raw(), scale.raw()}, {double(df)});
}

// An orthogonal n x n matrix, uniformly distributed (Haar): the QR factor, with a positive diagonal of r, of a gaussian matrix. The log density is with
// respect to the surface measure.
template <class T> Array<T, 2> orthogonal(const Key& key, int64_t n) {
  return detail::composed<Array<T, 2>>("orthogonal", std::array{key.raw()}, {double(n), double(type_code<T>)});
}
inline double orthogonal_log_density(int64_t n) {
  double volume = 0;
  for (int64_t k = 1; k <= n; k++) volume += std::log(2.0) + double(k) / 2 * std::log(std::numbers::pi) - std::lgamma(double(k) / 2);
  return -volume;
}

// An n x n matrix with a 1 in each row and column, all equally likely.
template <class T> Array<T, 2> permutation_matrix(const Key& key, int64_t n) {
  return detail::composed<Array<T, 2>>("permutation_matrix", std::array{key.raw()}, {double(n), double(type_code<T>)});
}
inline double permutation_matrix_log_density(int64_t n) { return -std::lgamma(double(n) + 1); }

}  // namespace random
}  // namespace warpfold
