// Log densities and distribution functions against Boost.Math, and outside of the supports.
#include <boost/math/distributions.hpp>

#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

namespace right = boost::math;

constexpr double tolerance32 = 1e-5, tolerance64 = 1e-13;

template <class T> bool close(T got, double want) {
  if (std::isinf(want)) return double(got) == want;
  return std::fabs(double(got) - want) <= (sizeof(T) == 4 ? tolerance32 : tolerance64) * std::max(1.0, std::fabs(want));
}

// At 201 points from low to high.
template <class T, class D, class... P>
void compare(const char* name, D d, double low, double high, bool is_count, const P&... parameters) {
  std::vector<T> x;
  for (int k = 0; k <= 200; k++) x.push_back(T(is_count ? std::round(low + (high - low) * k / 200) : low + (high - low) * k / 200));
  const Seq<T> points(x);
  const auto density = random::log_density(name, points, parameters...).to_vector();
  const auto probability = random::distribution_function(name, points, parameters...).to_vector();
  for (size_t k = 0; k < x.size(); k++) {
    const double at = double(x[k]), want = std::log(right::pdf(d, at)), below = right::cdf(d, at);
    if (!close(density[k], want))
      CHECK_EQ(std::string(name) + " log density at " + std::to_string(at) + ": " + std::to_string(density[k]), std::to_string(want));
    if (!close(probability[k], below))
      CHECK_EQ(std::string(name) + " distribution at " + std::to_string(at) + ": " + std::to_string(probability[k]), std::to_string(below));
  }
}
template <class D, class... P> void compare(const char* name, D d, double low, double high, const P&... parameters) {
  compare<float>(name, d, low, high, false, parameters...);
  compare<double>(name, d, low, high, false, parameters...);
}
template <class D, class... P> void compare_counts(const char* name, D d, double low, double high, const P&... parameters) {
  compare<double>(name, d, low, high, true, parameters...);
}

// Boost's probabilities are products of large and small factors.
template <class D, class... P> void compare_density(const char* name, D d, double low, double high, const P&... parameters) {
  std::vector<double> x;
  for (int k = 0; k <= 200; k++) x.push_back(std::round(low + (high - low) * k / 200));
  const auto density = random::log_density(name, Seq<double>(x), parameters...).to_vector();
  for (size_t k = 0; k < x.size(); k++) {
    const double want = std::log(right::pdf(d, x[k]));
    if (want > -700 && std::fabs(density[k] - want) > 1e-9 * std::max(1.0, std::fabs(want)))
      CHECK_EQ(std::string(name) + " log density at " + std::to_string(x[k]) + ": " + std::to_string(density[k]), std::to_string(want));
  }
}

template <class... P> void outside(const char* name, double x, double probability, const P&... parameters) {
  CHECK_EQ(random::log_density(name, Scalar(x), parameters...).get(), -INFINITY);
  CHECK_EQ(random::distribution_function(name, Scalar(x), parameters...).get(), probability);
}

}  // namespace

TEST(continuous) {
  compare("uniform", right::uniform(-2, 5), -1.99, 4.99, -2.0, 5.0);
  compare("gaussian", right::normal(), -9, 9);
  compare("gaussian", right::normal(3, 0.5), -2, 7, 3.0, 0.5);
  compare("lognormal", right::lognormal(0.25, 0.5), 0.01, 8, 0.25, 0.5);
  compare("exponential", right::exponential(1), 0, 20);
  compare("exponential", right::exponential(0.25), 0, 40, 0.25);
  compare("weibull", right::weibull(1.5, 2), 0.01, 9, 1.5, 2.0);
  compare("gumbel", right::extreme_value(1, 2), -4, 20, 1.0, 2.0);
  compare("laplace", right::laplace(-1, 0.5), -9, 7, -1.0, 0.5);
  compare("cauchy", right::cauchy(2, 0.5), -50, 50, 2.0, 0.5);
}

TEST(counts) {
  compare_counts("bernoulli", right::bernoulli(0.3), 0, 1, 0.3);
  compare_counts("geometric", right::geometric(0.2), 0, 60, 0.2);
  for (double mean : {0.25, 9.0, 1e6}) compare_density("poisson", right::poisson(mean), std::max(0.0, mean - 2000), mean + 2000, mean);
  compare_density("binomial", right::binomial(40, 0.3), 0, 40, 40, 0.3);
  compare_density("binomial", right::binomial(1000000, 0.9), 899000, 901000, 1000000, 0.9);
  CHECK(close(random::log_density("uniform_int", Scalar(int64_t(3)), -2, 8).get(), -std::log(10)));
  CHECK(close(random::distribution_function("uniform_int", Scalar(int64_t(3)), -2, 8).get(), 0.6));
}

TEST(outside_of_the_support) {
  outside("uniform", -0.5, 0), outside("uniform", 1.0, 1), outside("uniform", 5.0, 1, 2.0, 4.0), outside("exponential", -1.0, 0);
  outside("exponential", -1.0, 0, 3.0), outside("lognormal", 0.0, 0, 0.0, 1.0), outside("weibull", -1.0, 0, 2.0, 1.0);
  outside("bernoulli", 2.0, 1, 0.5), outside("geometric", -1.0, 0, 0.5), outside("uniform_int", 9.0, 1, 0, 5);
}

TEST(parameters_per_element) {
  const auto x = random::log_density("gaussian", Seq<double>{0, 1, 2}, Seq<int>{0, 1, 2}, Seq<float>{1, 2, 4}).to_vector();
  for (int k = 0; k < 3; k++) CHECK(close(x[size_t(k)], std::log(right::pdf(right::normal(k, std::pow(2, k)), k))));
  CHECK_THROWS(SizeError, random::log_density("gaussian", Seq<double>{0, 1, 2}, Seq<int>{0, 1}, 1));
}
