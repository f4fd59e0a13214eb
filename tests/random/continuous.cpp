// Continuous distributions against their distribution functions, and their moments where a million draws tell them, which Boost.Math computes.
#include <boost/math/distributions.hpp>

#include "random/statistics.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

using namespace statistics;
namespace right = boost::math;

constexpr int64_t n = 1000000;

template <class T>
void compare(const std::string& what, const Seq<T>& draws, const std::function<double(double)>& F, const Moments* m = nullptr) {
  const std::vector<T> all = sort(draws).to_vector();
  const std::vector<double> x(all.begin(), all.end());
  if (std::isnan(x.back())) return CHECK_EQ(what + " draws NaN", "");
  within(what + " Kolmogorov", kolmogorov(x, F), kolmogorov_limit);
  if (!m) return;
  const auto [mean, variance] = moments(x, *m);
  within(what + " mean", mean, normal_limit);
  within(what + " variance", variance, normal_limit);
}
template <class T> void compare(const std::string& what, const Seq<T>& draws, const std::function<double(double)>& F, const Moments& m) {
  compare(what, draws, F, &m);
}

template <class D> std::function<double(double)> cdf_of(D d) {
  return [d](double x) { return right::cdf(d, x); };
}
template <class D> Moments moments_of(D d) { return {right::mean(d), right::variance(d), right::kurtosis_excess(d)}; }

// f(key, text) for f32 and f64, with keys of their own.
int64_t next_key = 0;
random::Key fresh() { return random::Key(2026).split(next_key++); }

std::string text(const char* name, double a, double b = 0) { return std::string(name) + " " + std::to_string(a) + " " + std::to_string(b); }

template <class T> void uniforms() {
  compare("uniform", random::uniform<T>(fresh(), n), [](double x) { return x; }, {0.5, 1 / 12.0, -1.2});
  compare("uniform -3 5", random::uniform<T>(fresh(), n, -3, 5), [](double x) { return (x + 3) / 8; }, {1, 64 / 12.0, -1.2});
}
template <class T> void normals() {
  const right::normal standard;
  compare("gaussian", random::gaussian<T>(fresh(), n), cdf_of(standard), moments_of(standard));
  const right::normal shifted(-100, 0.5);
  compare("gaussian -100 0.5", random::gaussian<T>(fresh(), n, -100.0, 0.5), cdf_of(shifted), moments_of(shifted));
  const right::lognormal l(0.5, 0.75);
  compare("lognormal", random::lognormal<T>(fresh(), n, 0.5, 0.75), cdf_of(l), moments_of(l));
}
template <class T> void inversions() {
  compare("exponential", random::exponential<T>(fresh(), n), cdf_of(right::exponential(1)), moments_of(right::exponential(1)));
  compare("exponential 40", random::exponential<T>(fresh(), n, 40.0), cdf_of(right::exponential(40)), moments_of(right::exponential(40)));
  for (auto [k, scale] : {std::pair(0.2, 1.0), {1.5, 3.0}, {20.0, 100.0}}) {
    const right::weibull w(k, scale);
    const Moments m = moments_of(w);
    compare(text("weibull", k, scale), random::weibull<T>(fresh(), n, k, scale), cdf_of(w), k < 1 ? nullptr : &m);
  }
  const right::extreme_value gumbel(2, 0.5);
  compare("gumbel", random::gumbel<T>(fresh(), n, 2.0, 0.5), cdf_of(gumbel), moments_of(gumbel));
  const right::laplace laplace(-1, 2);
  compare("laplace", random::laplace<T>(fresh(), n, -1.0, 2.0), cdf_of(laplace), moments_of(laplace));
  compare("cauchy", random::cauchy<T>(fresh(), n, 3.0, 0.1), cdf_of(right::cauchy(3, 0.1)));
}
// Far below, e^x underflows, and the distribution function is the first term of its series.
std::function<double(double)> log_gamma_cdf(double shape) {
  const right::gamma_distribution<> g(shape);
  return [=](double x) { return x < -100 ? std::exp(shape * x - std::lgamma(shape + 1)) : right::cdf(g, std::exp(x)); };
}
template <class T> void gammas() {
  for (double shape : {1e-3, 0.1, 0.9, 1.0, 2.5, 40.0, 1e6}) {
    const right::gamma_distribution<> g(shape);
    const Moments m = moments_of(g);
    compare(text("gamma", shape), random::gamma<T>(fresh(), n, shape), cdf_of(g), shape < 0.01 ? nullptr : &m);
    compare(text("log_gamma", shape), random::log_gamma<T>(fresh(), n, shape), log_gamma_cdf(shape));
  }
  const right::gamma_distribution<> scaled(3, 5);
  compare("gamma 3 5", random::gamma<T>(fresh(), n, 3, 5), cdf_of(scaled), moments_of(scaled));
  for (double degrees : {1.0, 7.0}) {
    const right::chi_squared c(degrees);
    compare(text("chi_squared", degrees), random::chi_squared<T>(fresh(), n, degrees), cdf_of(c), moments_of(c));
  }
  for (double degrees : {0.5, 3.0})
    compare(text("student_t", degrees), random::student_t<T>(fresh(), n, degrees), cdf_of(right::students_t(degrees)));
  const right::students_t many(200);
  compare("student_t 200", random::student_t<T>(fresh(), n, 200), cdf_of(many), moments_of(many));
}
template <class T> void betas() {
  for (auto [a, b] : {std::pair(0.5, 0.5), {2.0, 5.0}, {1.0, 1.0}, {0.25, 300.0}}) {
    const right::beta_distribution<> d(a, b);
    compare(
        text("beta", a, b), random::beta<T>(fresh(), n, a, b), [d](double x) { return right::cdf(d, std::clamp(x, 0.0, 1.0)); },
        moments_of(d));
  }
}

}  // namespace

TEST(uniform) { uniforms<float>(), uniforms<double>(); }
TEST(gaussian) { normals<float>(), normals<double>(); }
TEST(by_inversion) { inversions<float>(), inversions<double>(); }
TEST(gamma) { gammas<float>(), gammas<double>(); }
TEST(beta) { betas<float>(), betas<double>(); }
