// Random matrices: moments of samples, and log densities against formulas written out.
#include "warpfold/random_matrices.hpp"
#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

const Array<double, 2> scale{{2., 0.5}, {0.5, 1.}};
constexpr double determinant = 1.75;
bool close(double x, double y, double bound) { return std::abs(x - y) <= bound; }

}  // namespace

TEST(multivariate_gaussian) {
  const Array<double, 1> mean{1., -2.};
  const int64_t n = 100000;
  const auto x = random::multivariate_gaussian(random::Key(1), mean, scale, n);
  const auto average = arrays::sum(x, 0).to_vector();
  CHECK(close(average[0] / double(n), 1, 0.02) && close(average[1] / double(n), -2, 0.02));
  const auto moments = inner(x - mean, x - mean).to_vector(), expected = scale.to_vector();
  for (size_t k = 0; k < 4; k++) CHECK(close(moments[k] / double(n), expected[k], 0.05));
  const auto density = random::multivariate_gaussian_log_density(Array<double, 2>{{1., -2.}, {2., -2.}}, mean, scale).to_vector();
  const double top = -std::log(2 * std::numbers::pi) - 0.5 * std::log(determinant);
  CHECK(close(density[0], top, 1e-12) && close(density[1], top - 0.5 / determinant, 1e-12));
}

TEST(wishart) {
  const double df = 5.5;
  Array<double, 2> sum = random::wishart(random::Key(0), scale, df), inverses = random::inverse_wishart(random::Key(0), scale, df);
  const int samples = 400;
  for (int k = 1; k < samples; k++) {
    sum = (sum + random::wishart(random::Key(uint64_t(k)), scale, df)).force();
    inverses = (inverses + random::inverse_wishart(random::Key(uint64_t(k)), scale, df)).force();
  }
  const auto mean = sum.to_vector(), inverse_mean = inverses.to_vector(), expected = scale.to_vector();
  for (size_t k = 0; k < 4; k++) {
    CHECK(close(mean[k] / samples, df * expected[k], 1.2));
    CHECK(close(inverse_mean[k] / samples, expected[k] / (df - 3), 0.25));
  }
  // A 1 x 1 matrix has the density of scale times a chi-squared number, or of its inverse.
  const Array<double, 2> one{{1.3}}, x{{2.1}};
  const double chi = (df / 2 - 1) * std::log(2.1 / 1.3) - 2.1 / 1.3 / 2 - df / 2 * std::log(2.0) - std::lgamma(df / 2) - std::log(1.3);
  CHECK(close(random::wishart_log_density(x, one, df).get(), chi, 1e-12));
  const double y = 1.3 / 2.1;
  const double inverse = (df / 2 - 1) * std::log(y) - y / 2 - df / 2 * std::log(2.0) - std::lgamma(df / 2) + std::log(y / 2.1);
  CHECK(close(random::inverse_wishart_log_density(x, one, df).get(), inverse, 1e-12));
}

TEST(degrees_of_freedom) {
  const auto single = cast<float>(scale);
  CHECK_EQ((random::wishart(random::Key(2), single, 5.5).shape()), (Shape<2>{2, 2}));  // a double for floats
  CHECK(std::isfinite(random::wishart_log_density(single, single, 1.5).get()));
  for (double df : {1.0, 0.5, -3.0, std::nan("")}) {
    CHECK_THROWS(ArgumentError, random::wishart(random::Key(2), scale, df));
    CHECK_THROWS(ArgumentError, random::inverse_wishart(random::Key(2), scale, df));
    CHECK_THROWS(ArgumentError, random::wishart_log_density(scale, scale, df));
    CHECK_THROWS(ArgumentError, random::inverse_wishart_log_density(scale, scale, df));
  }
  try {
    random::wishart(random::Key(2), scale, 1);
    CHECK(false);
  } catch (const ArgumentError& error) {
    CHECK(std::string(error.what()).find("the degrees of freedom are 1 for a scale of 2 x 2; expected more than 1") != std::string::npos);
  }
  CHECK_THROWS(SizeError, random::wishart(random::Key(2), Array<double, 2>{{1., 2., 3.}}, 5));
}

TEST(orthogonal_and_permutations) {
  const auto q = random::orthogonal<double>(random::Key(3), 5);
  const auto one = inner(q, q).to_vector();
  for (size_t k = 0; k < 25; k++) CHECK(close(one[k], k % 6 == 0, 1e-12));
  CHECK(close(random::orthogonal_log_density(1), -std::log(2), 1e-12));
  CHECK(close(random::orthogonal_log_density(2), -std::log(4 * std::numbers::pi), 1e-12));
  const auto p = random::permutation_matrix<float>(random::Key(4), 7);
  CHECK(arrays::sum(p, 0).to_vector() == std::vector<float>(7, 1.0f) && arrays::sum(p, 1).to_vector() == std::vector<float>(7, 1.0f));
  CHECK(close(random::permutation_matrix_log_density(4), -std::log(24), 1e-12));
}
