// Log densities and distribution functions against Boost.Math with 113 bits, over grids of parameters, and at the edges of the supports.
#include <boost/math/distributions.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

namespace right = boost::math;
using Quad = boost::multiprecision::cpp_bin_float_quad;
// A factor of a vanishing probability may overflow.
using Policy = right::policies::policy<right::policies::overflow_error<right::policies::ignore_error>>;
using Gamma = right::gamma_distribution<Quad, Policy>;
using ChiSquared = right::chi_squared_distribution<Quad, Policy>;

// The errors are at most tolerance max(1, |value|).
template <class T> constexpr double tolerance = sizeof(T) == 4 ? 1e-5 : 2e-13;

template <class T> std::string text(const char* name, std::initializer_list<double> parameters, T x) {
  std::ostringstream out;
  out.precision(17);
  out << name << (sizeof(T) == 4 ? " f32" : " f64");
  for (double p : parameters) out << " " << p;
  out << " at " << x;
  return out.str();
}

template <class T> void compare_value(const std::string& what, T got, const Quad& want) {
  const double error = fabs(Quad(got) - want).template convert_to<double>(), size = std::max(1.0, fabs(want).template convert_to<double>());
  if (!(error <= tolerance<T> * size)) CHECK_EQ(what + ": " + std::to_string(got), want.str(17));
}

template <class D> Quad log_density_of(const D& d, const Quad& x) { return log(right::pdf(d, x)); }
// Boost.Math's density overflows for large shapes.
Quad log_density_of(const Gamma& d, const Quad& x) {
  const Quad z = x / d.scale();
  return (d.shape() - 1) * log(z) - z - right::lgamma(d.shape()) - log(d.scale());
}
Quad log_density_of(const ChiSquared& d, const Quad& x) { return log_density_of(Gamma(d.degrees_of_freedom() / 2, 2), x); }

// D: the distribution of Boost.Math with the same parameters.
template <class T, class D, class... P> void compare_at(const char* name, const std::vector<double>& points, P... parameters) {
  std::vector<T> x(points.begin(), points.end());
  const D d{Quad(T(parameters))...};
  const auto density = random::log_density(name, Seq<T>(x), T(parameters)...).to_vector();
  const auto probability = random::distribution_function(name, Seq<T>(x), T(parameters)...).to_vector();
  for (size_t k = 0; k < x.size(); k++) {
    const std::string what = text(name, {double(parameters)...}, x[k]);
    if (const Quad log_p = log_density_of(d, x[k]); isfinite(log_p)) compare_value("log density of " + what, density[k], log_p);
    compare_value("distribution of " + what, probability[k], right::cdf(d, Quad(x[k])));
  }
}
template <class D, class... P> void compare(const char* name, const std::vector<double>& points, P... parameters) {
  compare_at<float, D>(name, points, parameters...);
  compare_at<double, D>(name, points, parameters...);
}

constexpr int steps = 60;
std::vector<double> between(double low, double high) {
  std::vector<double> x;
  for (int k = 0; k <= steps; k++) x.push_back(low + (high - low) * k / steps);
  return x;
}
std::vector<double> with_ratio(double low, double high) {
  std::vector<double> x;
  for (int k = 0; k <= steps; k++) x.push_back(low * std::pow(high / low, double(k) / steps));
  return x;
}
// Within `width` standard deviations, if positive; and the powers of ten from 10^-30 to 10^12.
std::vector<double> around(double mean, double deviation, double width = 6) {
  std::vector<double> x;
  for (double v : between(mean - width * deviation, mean + width * deviation))
    if (v > 0) x.push_back(v);
  for (double v = 1e-30; v < 1e13; v *= 10) x.push_back(v);
  return x;
}
std::vector<double> rounded(std::vector<double> x, double most = INFINITY) {
  for (double& v : x) v = std::clamp(std::round(v), 0.0, most);
  return x;
}

constexpr double inf = INFINITY;

template <class T, class... P> void edge_of(const char* name, double x, double density, double probability, P... parameters) {
  const std::string what = text(name, {double(parameters)...}, T(x));
  const double got = double(random::log_density(name, Scalar(T(x)), T(parameters)...).get());
  if (got != density && !(std::fabs(got - density) < 1e-14))
    CHECK_EQ("log density of " + what + ": " + std::to_string(got), std::to_string(density));
  const double below = double(random::distribution_function(name, Scalar(T(x)), T(parameters)...).get());
  if (!(std::fabs(below - probability) < 1e-7))
    CHECK_EQ("distribution of " + what + ": " + std::to_string(below), std::to_string(probability));
}
template <class... P> void edge(const char* name, double x, double density, double probability, P... parameters) {
  edge_of<float>(name, x, density, probability, parameters...);
  edge_of<double>(name, x, density, probability, parameters...);
}

template <class T> void at(const char* name, T x, double density, std::vector<T> p) {
  const Seq<T> xs{x};
  const Seq<T> got = p.size() == 1 ? random::log_density(name, xs, p[0]) : random::log_density(name, xs, p[0], p[1]);
  const T value = got.to_vector()[0];
  if (value != T(density))
    compare_value(
        text(name, p.size() == 1 ? std::initializer_list<double>{double(p[0])} : std::initializer_list<double>{double(p[0]), double(p[1])},
             x),
        value, density);
}

}  // namespace

TEST(by_inversion) {
  compare<right::uniform_distribution<Quad>>("uniform", between(-1.99, 4.99), -2.0, 5.0);
  compare<right::normal_distribution<Quad>>("gaussian", between(-9, 9));
  for (auto [mean, deviation] : {std::pair(3.0, 0.5), {-1e6, 1e-3}, {0.0, 1e12}})
    compare<right::normal_distribution<Quad>>("gaussian", between(mean - 8 * deviation, mean + 8 * deviation), mean, deviation);
  compare<right::lognormal_distribution<Quad>>("lognormal", with_ratio(1e-20, 1e20), 0.25, 0.5);
  for (double rate : {0.25, 1e-6, 1e6}) compare<right::exponential_distribution<Quad>>("exponential", between(0, 30 / rate), rate);
  for (double shape : {0.1, 1.0, 1.5, 30.0}) compare<right::weibull_distribution<Quad>>("weibull", with_ratio(0.01, 4), shape, 2.0);
  compare<right::extreme_value_distribution<Quad>>("gumbel", between(-4, 30), 1.0, 2.0);
  compare<right::laplace_distribution<Quad>>("laplace", between(-9, 7), -1.0, 0.5);
  compare<right::cauchy_distribution<Quad>>("cauchy", with_ratio(1e-10, 1e30), 2.0, 0.5);
}

TEST(gamma) {
  for (double shape : {1e-3, 0.1, 0.9, 1.0, 2.5, 7.99, 8.0, 40.0, 1e4, 1e6}) {
    const std::vector<double> points = around(shape, std::sqrt(shape));
    compare<Gamma>("gamma", points, shape);
    compare<ChiSquared>("chi_squared", points, shape);
  }
  for (double shape : {0.5, 30.0, 1e6}) compare<Gamma>("gamma", around(3 * shape, 3 * std::sqrt(shape)), shape, 3.0);
}

TEST(student_t) {
  for (double degrees : {1e-3, 0.5, 1.0, 3.0, 15.5, 16.0, 200.0, 1e6, 1e12}) {
    std::vector<double> x = with_ratio(1e-10, 1e25);
    for (double v : between(-9, 9)) x.push_back(v);
    compare<right::students_t_distribution<Quad>>("student_t", x, degrees);
  }
}

TEST(beta) {
  const std::pair<double, double> shapes[] = {{0.5, 0.5}, {1, 1},   {2, 5},   {0.25, 300}, {1e-3, 1e-3},
                                              {8, 8},     {9, 1e5}, {3, 1e5}, {1e6, 1e6}};
  for (auto [a, b] : shapes) {
    std::vector<double> x = with_ratio(1e-30, 0.999);
    const double mean = a / (a + b), deviation = std::sqrt(mean * (1 - mean) / (a + b + 1));
    for (double v : between(mean - 6 * deviation, mean + 6 * deviation))
      if (v > 0 && v < 1) x.push_back(v);
    compare<right::beta_distribution<Quad>>("beta", x, a, b);
  }
}

TEST(log_gamma) {
  for (double shape : {1e-3, 1.0, 7.5, 40.0, 1e4}) {
    std::vector<double> x = between(-80, 4 + std::log(shape));
    const Gamma d{Quad(shape)};
    const auto density = random::log_density("log_gamma", Seq<double>(x), shape).to_vector();
    const auto probability = random::distribution_function("log_gamma", Seq<double>(x), shape).to_vector();
    for (size_t k = 0; k < x.size(); k++) {
      const Quad g = exp(Quad(x[k]));
      compare_value(text("log_gamma", {shape}, x[k]), density[k], Quad(log_density_of(d, g) + x[k]));
      compare_value(text("log_gamma distribution", {shape}, x[k]), probability[k], right::cdf(d, g));
    }
  }
}

TEST(counts) {
  compare<right::bernoulli_distribution<Quad>>("bernoulli", {0, 1}, 0.3);
  for (double p : {1e-6, 0.2, 0.5, 0.99}) compare<right::geometric_distribution<Quad>>("geometric", rounded(with_ratio(1, 30 / p)), p);
  for (double mean : {1e-3, 0.25, 9.0, 1e3, 1e6})
    compare<right::poisson_distribution<Quad>>("poisson", rounded(around(mean, std::sqrt(mean))), mean);
  const std::pair<double, double> trials[] = {{1, 0.25}, {40, 0.3}, {1e6, 0.9}, {1e6, 1e-6}, {1e9, 1e-9}, {1e9, 0.5}};
  for (auto [n, p] : trials) {
    std::vector<double> x = rounded(around(n * p, std::sqrt(n * p * (1 - p))), n);
    if (n < 1e8) compare_at<float, right::binomial_distribution<Quad>>("binomial", x, n, p);
    compare_at<double, right::binomial_distribution<Quad>>("binomial", x, n, p);
  }
  for (auto [successes, p] : {std::pair(3.0, 0.2), {0.5, 0.01}, {1000.0, 0.9}, {1e-3, 0.5}, {1e6, 0.5}, {20.0, 1e-6}}) {
    const double mean = successes * (1 - p) / p;
    std::vector<double> x = rounded(around(mean, std::sqrt(mean / p)), 1e9);
    compare_at<double, right::negative_binomial_distribution<Quad>>("negative_binomial", x, successes, p);
  }
  CHECK_EQ(random::log_density("uniform_int", Scalar(int64_t(3)), -2, 8).get(), -std::log(10.0));
  CHECK_EQ(random::distribution_function("uniform_int", Scalar(int64_t(3)), -2, 8).get(), 0.6);
}

// Operands whose quotients overflow or whose differences cancel; values computed with 60 to 400 digits.
TEST(extreme_operands) {
  at<float>("beta", 0.9999998211860657, 15.8231467240873123, {73040672.0, 12.114274978637695});
  at<float>("beta", 0.9999815225601196, -5269.70162760091895, {306903328.0, 72.60407257080078});
  at<double>("beta", 0.9999129456571835, -1.25355636789155718, {386877.4249976052, 10.575533408406775});
  at<double>("beta", 0.7697034882781426, 2.32726977499316928, {13546790.403755981, 4045301.841043858});
  at<float>("cauchy", 2.659328679876406e+34, -195.655633849874267, {1.0, 2.3688184283406847e-16});
  at<float>("cauchy", 8.851167293927169e+34, -176.299343073379006, {1.0, 6.688351845696161e-07});
  at<double>("cauchy", 1.7758477239172713e+303, -1458.60194323947274, {0.0, 3.413391293512895e-27});
  at<double>("cauchy", 3.868486292452067e+302, -1409.55207314814889, {3.0981513427401784e+269, 3.247466455937406e-07});
  at<float>("chi_squared", 1.562447787722171e-42, 24.0141525578469899, {8.39555580223105e-32});
  at<float>("log_gamma", 38.11708068847656, -8608.95181887213135, {3.581273654165504e+16});
  at<float>("log_gamma", 38.19287109375, -34972.5507769949496, {3.86324792082432e+16});
  at<double>("log_gamma", 38.08193124953619, -470.61022768631606, {3.4575823203807724e+16});
  at<double>("log_gamma", 33.426830779917246, -2635.26635164441767, {328919710167800.7});
  at<float>("lognormal", 79.00672149658203, -251.039828495803366, {4.369533061981201, 5.688689519445234e-09});
  at<float>("lognormal", 10500.4404296875, -646.621454822127215, {9.259172439575195, 1.1413834322127059e-09});
  at<double>("lognormal", 10608.316085423055, -0.069439366063201487, {9.26939356025516, 1.2801767203326768e-08});
  at<double>("lognormal", 0.004025404782610018, 20.6164804701586578, {-5.515129802725321, 1.0983368840165613e-09});
  at<float>("poisson", 1764946560.0, -157186475623.526859, {1.3617208678569576e-30});
  at<float>("poisson", 18835912.0, -1776412953.23921777, {7.628229966557743e-35});
  at<float>("student_t", 2.0866970832314416e+35, -150.497715658642151, {1.8203795794800088e-30});
  at<double>("student_t", 6.59312497018744e+302, -1375.52603902045775, {5.454473580778496e-295});
  at<double>("student_t", 1.636683474657763e+302, -821.787194569998705, {4.143342097797561e-55});
  at<float>("weibull", 1.128079421881011e+34, -4.8645087135592121e+20, {0.3680250346660614, 6.940388777803599e-23});
  at<float>("weibull", 1.294087041880926e+33, -117800.791099093254, {0.09071075171232224, 1.6221345216337855e-23});
  at<double>("weibull", 9.781495101875873e-138, -1063.94393890464424, {1.6755015513707472, 4.716113424121168e+220});
  at<double>("weibull", 1.4815232726615544e-303, -47747.6352508057653, {52.204708263426646, 1.6603801997677567e+100});
  at<float>("weibull", 8.334476470947266f, -1.97479056895e+17, {1.368858905e+16f, 15354920.f});
  at<double>("weibull", 2.0, -inf, {1e300, 1.0}), at<double>("weibull", 9.14274e-132, -inf, {1e306, 1e-140});
  at<float>("gamma", 3.402823466e+38f, -3.39406677e+38, {9.539381737e+34f});
  // Parameters that are subnormal, to which the density is proportional.
  at<float>("chi_squared", 1e-45f, 0.916290731874, {7e-45f}), at<double>("chi_squared", 5e-324, 7.72422567557334, {2.235647047e-320});
  at<float>("student_t", 2.00094985961914f, -102.873939612, {8.4e-45f});
  at<float>("negative_binomial", 487207.f, -44741.66249, {8.4e-45f, 0.08752790838f});
  at<double>("gaussian", 1.5e308, -4.5 - std::log(1e308) - 0.91893853320467274178, {-1.5e308, 1e308});
  at<double>("weibull", 1e300, -inf, {2.0, 1e-300}), at<double>("gamma", 1e-300, -0.57236494292470008707, {0.5, 1e300});
}

TEST(edges) {
  edge("uniform", -0.5, -inf, 0), edge("uniform", 1.0, -inf, 1), edge("uniform", 5.0, -inf, 1, 2.0, 4.0);
  for (double x : {-inf, inf}) {
    const double below = x > 0;
    edge("gaussian", x, -inf, below), edge("gaussian", x, -inf, below, 1.0, 2.0), edge("lognormal", x, -inf, below, 0.0, 1.0);
    edge("exponential", x, -inf, below), edge("exponential", x, -inf, below, 3.0);
    edge("weibull", x, -inf, below, 2.0, 1.0), edge("weibull", x, -inf, below, 0.5, 1.0), edge("gumbel", x, -inf, below, 1.0, 2.0);
    edge("laplace", x, -inf, below, 1.0, 2.0), edge("cauchy", x, -inf, below, 1.0, 2.0), edge("student_t", x, -inf, below, 2.0);
    for (double shape : {0.5, 1.0, 20.0}) {
      edge("gamma", x, -inf, below, shape), edge("gamma", x, -inf, below, shape, 2.0), edge("chi_squared", x, -inf, below, shape);
      edge("log_gamma", x, -inf, below, shape), edge("beta", x, -inf, below, shape, shape);
    }
    edge("uniform_int", x, -inf, below, 0, 5), edge("bernoulli", x, -inf, below, 0.5), edge("geometric", x, -inf, below, 0.5);
    edge("poisson", x, -inf, below, 2.0), edge("binomial", x, -inf, below, 7, 0.5), edge("negative_binomial", x, -inf, below, 2.0, 0.5);
  }
  edge("lognormal", 0.0, -inf, 0, 0.0, 1.0), edge("exponential", 0.0, 0, 0);
  edge("weibull", 0.0, inf, 0, 0.5, 1.0), edge("weibull", 0.0, 0, 0, 1.0, 1.0), edge("weibull", 0.0, -inf, 0, 2.0, 1.0);
  edge("gamma", 0.0, inf, 0, 0.5), edge("gamma", 0.0, 0, 0, 1.0), edge("gamma", 0.0, -inf, 0, 2.0), edge("gamma", 0.0, -inf, 0, 20.0);
  edge("gamma", -1.0, -inf, 0, 0.5), edge("beta", -1.0, -inf, 0, 2.0, 2.0), edge("beta", 2.0, -inf, 1, 20.0, 20.0);
  edge("beta", 0.0, inf, 0, 0.5, 2.0), edge("beta", 0.0, -inf, 0, 20.0, 20.0), edge("beta", 1.0, inf, 1, 2.0, 0.5);
  edge("beta", 0.0, 0, 0, 1.0, 1.0), edge("beta", 1.0, 0, 1, 1.0, 1.0);
  edge("bernoulli", 2.0, -inf, 1, 0.5), edge("uniform_int", 9.0, -inf, 1, 0, 5), edge("uniform_int", 1.5, -inf, 0.5, 0, 4);
  edge("geometric", -1.0, -inf, 0, 0.5), edge("geometric", -1.0, -inf, 0, 1.0), edge("geometric", 0.0, 0, 1, 1.0);
  edge("geometric", 1.0, -inf, 1, 1.0), edge("poisson", 1.5, -inf, random::distribution_function("poisson", Scalar(1.0f), 0.5).get(), 0.5);
  edge("poisson", 0.0, 0, 1, 0.0), edge("poisson", 3.0, -inf, 1, 0.0), edge("negative_binomial", 0.0, 0, 1, 3.0, 1.0);
  edge("binomial", 0.0, 0, 1, 7, 0.0), edge("binomial", 1.0, -inf, 1, 7, 0.0), edge("binomial", 7.0, 0, 1, 7, 1.0);
  edge("binomial", 6.0, -inf, 0, 7, 1.0), edge("binomial", 8.0, -inf, 1, 7, 0.5), edge("binomial", 0.0, 0, 1, 0, 0.5);
}

// A NaN has no density, and an overflowing width no effect.
TEST(numbers_that_are_not_ordinary) {
  auto of_nan = [](const char* name, auto... parameters) {
    const Seq<double> x{NAN};
    CHECK(std::isnan(random::log_density(name, x, parameters...).to_vector()[0]));
    CHECK(std::isnan(random::distribution_function(name, x, parameters...).to_vector()[0]));
    CHECK(std::isnan(random::distribution_function(name, Scalar(NAN), parameters...).get()));
  };
  of_nan("uniform"), of_nan("uniform", 1, 2), of_nan("gaussian"), of_nan("lognormal", 0, 1), of_nan("exponential"), of_nan("weibull", 2, 1);
  of_nan("gumbel", 0, 1), of_nan("laplace", 0, 1), of_nan("cauchy", 0, 1), of_nan("gamma", 2), of_nan("gamma", 20, 3),
      of_nan("chi_squared", 3);
  of_nan("student_t", 3), of_nan("beta", 2, 3), of_nan("log_gamma", 2), of_nan("bernoulli", 0.5), of_nan("uniform_int", 0, 4);
  of_nan("geometric", 0.5), of_nan("poisson", 3), of_nan("binomial", 4, 0.5), of_nan("negative_binomial", 4, 0.5);
  of_nan("categorical", Seq<double>{1, 2});
  CHECK(std::isnan(random::log_density("dirichlet", Seq<double>{NAN, 0.5}, Seq<double>{1, 2}).to_vector()[0]));
  CHECK(std::isnan(random::log_density("dirichlet", Seq<double>{NAN, 0.5}, Seq<double>{2, 3}).to_vector()[0]));

  const double most = 1.5e308;
  compare_value("density", random::log_density("uniform", Scalar(1.0), -most, most).get(), -log(2 * Quad(most)));
  CHECK_EQ(random::distribution_function("uniform", Scalar(0.75e308), -most, most).get(), 0.75);
  CHECK_EQ(random::distribution_function("uniform", Scalar(-1.5e38f), -3e38f, 3e38f).get(), 0.25f);
  for (double scale : {1e308, 1e-322, 1e300, 1e-300}) {
    const Seq<double> weights{scale, scale, 0, 2 * (scale < 1 ? scale : scale / 2)};
    CHECK_EQ(random::distribution_function("categorical", Scalar(0.0), weights).get() * (scale < 1 ? 4 : 3), 1.0);
    CHECK_EQ(random::log_density("categorical", Scalar(2.0), weights).get(), -inf);
  }
}

TEST(dirichlet) {
  // A dirichlet distribution of two shapes is a beta distribution.
  for (auto [a, b] : {std::pair(0.5, 2.0), {20.0, 3.0}, {1e6, 1e6}, {1.0, 1.0}}) {
    std::vector<double> rows;
    const double mean = a / (a + b), deviation = std::sqrt(mean * (1 - mean) / (a + b + 1));
    for (double v : between(mean - 4 * deviation, mean + 4 * deviation))
      if (v > 1e-9 && v < 1 - 1e-9) rows.push_back(v), rows.push_back(1 - v);
    const auto density = random::log_density("dirichlet", Seq<double>(rows), Seq<double>{a, b}).to_vector();
    CHECK_EQ(density.size(), rows.size() / 2);
    const right::beta_distribution<Quad> d{Quad(a), Quad(b)};
    for (size_t k = 0; k < density.size(); k++) {
      const Quad want = log(right::pdf(d, Quad(rows[2 * k])));
      if (!(fabs(density[k] - want) < 1e-9)) CHECK_EQ(text("dirichlet", {a, b}, rows[2 * k]) + std::to_string(density[k]), want.str(17));
    }
  }
  // All points of the simplex are equally probable.
  const auto flat = random::log_density("dirichlet", Seq<float>{0.2f, 0.3f, 0.5f, 0, 0, 1}, Seq<int>{1, 1, 1}).to_vector();
  CHECK(std::fabs(flat[0] - std::log(2.0f)) < 1e-6f && std::fabs(flat[1] - std::log(2.0f)) < 1e-6f);
  const auto outside = random::log_density("dirichlet", Seq<double>{-0.5, 1.5, 0, 1}, Seq<double>{2, 3}).to_vector();
  CHECK(outside == std::vector<double>(2, -inf));
  CHECK_THROWS(SizeError, random::log_density("dirichlet", Seq<double>{1, 2, 3}, Seq<double>{1, 2}));
  const auto draws = random::dirichlet<float>(random::Key(3), 300000, Seq<double>{2, 3, 4});
  CHECK(std::isfinite(reduce(plus, 0.0f, random::log_density("dirichlet", draws, Seq<double>{2, 3, 4})).get()));
}

TEST(categorical) {
  const Seq<double> weights{1, 0, 2, 5};
  const Seq<int> x{-1, 0, 1, 2, 3, 4};
  const double densities[] = {-inf, std::log(0.125), -inf, std::log(0.25), std::log(0.625), -inf}, below[] = {0, 0.125, 0.125, 0.375, 1, 1};
  const auto density = random::log_density("categorical", x, weights).to_vector();
  const auto probability = random::distribution_function("categorical", x, weights).to_vector();
  for (size_t k = 0; k < 6; k++) CHECK_EQ(density[k], densities[k]), CHECK_EQ(probability[k], below[k]);
  CHECK_EQ(random::log_density("categorical", Scalar(2.5f), weights).get(), -INFINITY);
  CHECK_EQ(random::distribution_function("categorical", Scalar(2.5f), weights).get(), 0.375f);
}

// All permutations are equally probable, and so are all samples of some of their numbers, in order.
TEST(permutation) {
  auto density = [](const auto& x, const auto&... population) {
    const auto values = random::log_density("permutation", x, population...).to_vector();
    CHECK_EQ(values.size(), size_t(1));
    return values[0];
  };
  auto close = [](double got, const Quad& want) { CHECK(fabs(Quad(got) - want) <= 1e-14 * max(Quad(1), fabs(want))); };
  for (int64_t n : {0, 1, 2, 63, 64, 65, 2049, 100007}) {
    const auto order = random::permutation(random::Key(7), n);
    close(density(order), -right::lgamma(Quad(n + 1)));
    for (int64_t k : {int64_t(0), n / 3, n}) {
      close(density(take(order, k), n), right::lgamma(Quad(n - k + 1)) - right::lgamma(Quad(n + 1)));
      close(density(take(order, k), Scalar(double(n))), right::lgamma(Quad(n - k + 1)) - right::lgamma(Quad(n + 1)));
    }
    if (n > 1) {
      CHECK_EQ(density(map([=](auto i) { return where(i == n - 1, 0, i); }, order)), -inf);  // 0 twice
      CHECK_EQ(density(order, n - 1), -inf);
      CHECK_EQ(density(map([](auto i) { return i + 1; }, order)), -inf);
      CHECK_EQ(density(map([](auto i) { return i - 1; }, order)), -inf);
    }
  }
  close(density(Seq<int>{5}, 1e15), -log(Quad(1e15)));
  CHECK_EQ(density(Seq<float>{1, 0}), -std::log(2.0f));
  CHECK_EQ(density(Seq<float>{1, 0.5f}), -INFINITY);
  CHECK_EQ(density(Seq<double>{1, 0, NAN}), -inf);
  CHECK_EQ(density(Seq<uint8_t>{2, 1, 0}, 2), -inf);
  CHECK_THROWS(SizeError, random::log_density("permutation", Scalar(0.0)));
  CHECK_THROWS(SizeError, random::log_density("permutation", Seq<double>{0, 1}, Seq<int>{2, 2}));
}

TEST(parameters_per_element) {
  const auto x = random::log_density("gaussian", Seq<double>{0, 1, 2}, Seq<int>{0, 1, 2}, Seq<float>{1, 2, 4}).to_vector();
  for (int k = 0; k < 3; k++) compare_value("gaussian", x[size_t(k)], Quad(std::log(right::pdf(right::normal(k, std::pow(2, k)), k))));
  CHECK_THROWS(SizeError, random::log_density("gaussian", Seq<double>{0, 1, 2}, Seq<int>{0, 1}, 1));
  const Scalar<double> two = reduce(plus, 0.0, Seq<double>{0.5, 1.5});
  CHECK_EQ(random::log_density("gamma", Scalar(1.0), two).get(), random::log_density("gamma", Scalar(1.0), 2).get());
}

TEST(errors_name_the_functions_that_exist) {
  auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const ArgumentError& error) { return error.what(); }
    return "";
  };
  const Seq<double> x{1};
  const std::string all =
      "uniform, gaussian, lognormal, exponential, weibull, gumbel, laplace, cauchy, gamma, chi_squared, student_t, beta, "
      "log_gamma, bernoulli, uniform_int, geometric, poisson, binomial, negative_binomial";
  CHECK_EQ(message([&] { random::log_density("key", x); }),
           "log_density: key has no log density; expected one of " + all + ", permutation, dirichlet, categorical");
  CHECK_EQ(message([&] { random::distribution_function("permutation", x); }),
           "distribution_function: permutation has no distribution function; expected one of " + all + ", categorical");
  CHECK_EQ(message([&] { random::log_density("permutation", x, 1, 2); }), "log_density: permutation has 2 parameters; expected 0 or 1");
  CHECK_EQ(message([&] { random::distribution_function("dirichlet", x, x); }),
           "distribution_function: dirichlet has no distribution function; expected one of " + all + ", categorical");
  CHECK_EQ(message([&] { random::distribution_function("key", x); }),
           "distribution_function: key has no distribution function; expected one of " + all + ", categorical");
  CHECK_EQ(message([&] { random::log_density("normal", x); }),
           "log_density: distribution is \"normal\"; expected one of " + all + ", key, permutation, categorical, dirichlet");
  CHECK_EQ(message([&] { random::log_density("gamma", x); }), "log_density: gamma has 0 parameters; expected 1 or 2");
  CHECK_EQ(message([&] { random::log_density("categorical", x); }), "log_density: categorical has 0 parameters; expected 1");
}
