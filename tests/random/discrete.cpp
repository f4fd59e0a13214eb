// Distributions of integers against their probabilities, which Boost.Math computes.
#include <boost/math/distributions.hpp>
#include <map>

#include "random/statistics.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

using namespace statistics;
namespace right = boost::math;

constexpr int64_t n = 1000000;

int64_t next_key = 0;
random::Key fresh() { return random::Key(2027).split(next_key++); }

// Compares the counts in classes of `width` numbers from `first` on, and the rest on both sides, with the distribution function.
void compare(const std::string& what, const Seq<int64_t>& draws, const std::function<double(double)>& F, int64_t first, int64_t width,
             int64_t classes) {
  std::vector<double> counts(size_t(classes) + 2), expected(size_t(classes) + 2);
  for (int64_t x : draws.to_vector()) {
    const int64_t k = x < first ? 0 : int64_t(std::min((uint64_t(x) - uint64_t(first)) / uint64_t(width), uint64_t(classes))) + 1;
    counts[size_t(k)]++;
  }
  double before = 0;
  for (int64_t k = 0; k <= classes + 1; k++) {
    const double upto = k > classes ? 1 : F(double(int64_t(uint64_t(first) + uint64_t(k) * uint64_t(width) - 1)));
    expected[size_t(k)] = double(n) * (upto - before);
    before = upto;
  }
  within(what, chi_square(counts, expected), normal_limit);
}

// Over 60 classes within five standard deviations.
template <class D> void compare(const std::string& what, const Seq<int64_t>& draws, D d) {
  const double mean = right::mean(d), deviation = right::standard_deviation(d);
  const auto first = int64_t(std::max(0.0, std::floor(mean - 5 * deviation))), last = int64_t(std::ceil(mean + 5 * deviation)) + 1;
  const int64_t width = (last - first) / 60 + 1;
  compare(
      what, draws, [=](double x) { return x < 0                          ? 0
                                          : x > right::support(d).second ? 1
                                                                         : right::cdf(d, x); }, first, width,
      (last - first) / width + 1);
  std::vector<double> x;
  for (int64_t v : draws.to_vector()) x.push_back(double(v));
  const auto [m, v] = moments(x, {mean, deviation * deviation, right::kurtosis_excess(d)});
  within(what + " mean", m, normal_limit);
  within(what + " variance", v, normal_limit);
}

std::string text(const char* name, double a, double b = 0) { return std::string(name) + " " + std::to_string(a) + " " + std::to_string(b); }

}  // namespace

TEST(uniform_int) {
  // Ranges that 2^32 and 2^64 are far from being multiples of, and powers of two.
  const std::pair<int64_t, int64_t> ranges[] = {{0, 1},
                                                {0, 2},
                                                {-3, 4},
                                                {0, 1000},
                                                {-5, 3221225467},
                                                {0, 1LL << 32},
                                                {7, 12884901895},
                                                {-(1LL << 62), 1LL << 62},
                                                {0, (1LL << 62) + (1LL << 61)}};
  for (auto [low, high] : ranges) {
    const double first = double(low), range = double(high) - double(low);
    const int64_t width = std::max<int64_t>(1, int64_t(range / 50));
    compare(
        text("uniform_int", first, double(high)), random::uniform_int(fresh(), n, low, high),
        [=](double x) { return std::clamp((x - first + 1) / range, 0.0, 1.0); }, low, width, int64_t(std::min(50.0, range)));
  }
  const auto narrow = random::uniform_int<uint8_t>(fresh(), n, 10, 250).to_vector();
  CHECK_EQ(int(*std::min_element(narrow.begin(), narrow.end())), 10);
  CHECK_EQ(int(*std::max_element(narrow.begin(), narrow.end())), 249);
}

TEST(bernoulli) {
  for (double p : {1e-5, 0.25, 0.5, 0.999}) {
    const auto count = double(reduce(plus, int64_t(0), random::bernoulli<int64_t>(fresh(), n, p)).get());
    within(text("bernoulli", p), (count - double(n) * p) / std::sqrt(double(n) * p * (1 - p)), normal_limit);
  }
}

TEST(geometric) {
  for (double p : {1e-6, 0.01, 0.5, 0.99}) compare(text("geometric", p), random::geometric(fresh(), n, p), right::geometric(p));
}

TEST(poisson) {
  for (double mean : {1e-3, 0.5, 3.0, 9.99, 10.0, 25.0, 1000.0, 1e6})
    compare(text("poisson", mean), random::poisson(fresh(), n, mean), right::poisson(mean));
}

TEST(binomial) {
  const std::pair<double, double> parameters[] = {{1, 0.3},     {10, 0.5},   {20, 0.5},  {40, 0.3}, {100, 0.97},
                                                  {1000, 0.02}, {1e9, 1e-9}, {1e9, 0.3}, {1e9, 0.9}};
  for (auto [trials, p] : parameters)
    compare(text("binomial", trials, p), random::binomial(fresh(), n, trials, p), right::binomial(trials, p));
  CHECK(random::binomial(fresh(), 100, 7, 0.0).to_vector() == std::vector<int64_t>(100, 0));
  CHECK(random::binomial(fresh(), 100, 7, 1.0).to_vector() == std::vector<int64_t>(100, 7));
}

// Elements for such parameters mean nothing, but a force ends.
TEST(counts_for_parameters_that_are_not_numbers) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  for (double x : {not_a_number, infinite, -infinite, -1.0})
    for (double p : {not_a_number, infinite, -infinite, -1.0, 0.5}) {
      CHECK_EQ(random::binomial(fresh(), 100, x, p).size(), 100);
      force(random::binomial(fresh(), 100, x, p), random::negative_binomial(fresh(), 100, x, p), random::poisson(fresh(), 100, x),
            random::geometric(fresh(), 100, p));
    }
}

TEST(negative_binomial) {
  for (auto [successes, p] : {std::pair(3.0, 0.2), {0.5, 0.01}, {1000.0, 0.9}})
    compare(text("negative_binomial", successes, p), random::negative_binomial(fresh(), n, successes, p),
            right::negative_binomial(successes, p));
}

TEST(permutation) {
  for (int64_t size : {0, 1, 2, 100007}) {
    auto all = random::permutation(fresh(), size).to_vector();
    if (size > 2) CHECK(!std::is_sorted(all.begin(), all.end()));
    std::sort(all.begin(), all.end());
    for (int64_t k = 0; k < size; k++) CHECK_EQ(all[size_t(k)], k);
  }
  // Each of the six orders of three numbers.
  std::vector<double> counts(6);
  for (int k = 0; k < 6000; k++) {
    const auto p = random::permutation(fresh(), 3).to_vector();
    counts[size_t(p[0] * 2 + (p[1] > p[2]))]++;
  }
  within("permutations of 3", chi_square(counts, std::vector<double>(6, 1000)), normal_limit);
}

TEST(sample) {
  const Seq<int> squares = map([](auto i) { return cast<int>(i * i); }, iota(1000));
  auto some = random::sample(fresh(), squares, 100).to_vector();
  std::sort(some.begin(), some.end());
  CHECK(std::adjacent_find(some.begin(), some.end()) == some.end());
  for (int x : some) CHECK_EQ(int(std::round(std::sqrt(x))) * int(std::round(std::sqrt(x))), x);
  CHECK_EQ(some.size(), size_t(100));
  CHECK_EQ(random::sample(fresh(), squares, 0).size(), 0);
  CHECK_EQ(random::sample(fresh(), Seq<int>(), 0).size(), 0);
  CHECK_THROWS(RangeError, random::sample(fresh(), squares, 1001));
  // Each of the twelve ordered pairs of different elements out of four.
  std::vector<double> counts(16), expected(16, 500);
  for (int k = 0; k < 6000; k++) {
    const auto pair = random::sample(fresh(), iota<int>(4), 2).to_vector();
    counts[size_t(4 * pair[0] + pair[1])]++;
  }
  for (size_t k : {0, 5, 10, 15}) CHECK_EQ(counts[k], 0.0), expected[k] = 0;
  within("samples of 2 out of 4", chi_square(counts, expected), normal_limit);
}

TEST(categorical) {
  std::vector<std::vector<double>> cases{
      {1}, {1, 1}, {0, 3, 1}, {5, 0, 0, 1e-3, 2, 0}, {1e-9, 1, 1e9}, {1e307, 4e307, 0, 3e307}, {1e-320, 3e-320}, {1.7e308, 1.7e308}};
  cases.emplace_back();
  for (int k = 0; k < 1000; k++) cases.back().push_back((k * 7919) % 101 * (k % 3 == 0 ? 10.0 : 0.1));
  for (const auto& weights : cases) {
    long double sum = 0;
    for (double w : weights) sum += w;
    std::vector<double> counts(weights.size()), expected;
    for (double w : weights) expected.push_back(double((long double)(n)*w / sum));
    for (int64_t k : random::categorical(fresh(), n, Seq<double>(weights)).to_vector()) counts.at(size_t(k))++;
    within("categorical " + std::to_string(weights.size()), chi_square(counts, expected), normal_limit);
    for (size_t k = 0; k < weights.size(); k++)
      if (weights[k] == 0) CHECK_EQ(counts[k], 0.0);
  }
}

TEST(dirichlet) {
  const std::vector<double> shapes{0.01, 0.5, 3, 20};
  constexpr size_t rows_drawn = n / 4;
  const auto rows = random::dirichlet<double>(fresh(), n, Seq<double>(shapes)).to_vector();
  double total = 0;
  for (double a : shapes) total += a;
  for (size_t j = 0; j < 4; j++) {
    std::vector<double> x;
    for (size_t r = 0; r < rows_drawn; r++) x.push_back(rows[4 * r + j]);
    std::sort(x.begin(), x.end());
    const right::beta_distribution<> d(shapes[j], total - shapes[j]);
    within("dirichlet", kolmogorov(x, [d](double v) { return right::cdf(d, std::clamp(v, 0.0, 1.0)); }), kolmogorov_limit);
  }
  for (size_t r = 0; r < 1000; r++) CHECK(std::fabs(rows[4 * r] + rows[4 * r + 1] + rows[4 * r + 2] + rows[4 * r + 3] - 1) < 1e-14);
  CHECK_THROWS(SizeError, random::dirichlet<float>(fresh(), 7, Seq<double>(shapes)));
  CHECK_THROWS(SizeError, random::dirichlet<float>(fresh(), 0, Seq<double>()));
  CHECK_THROWS(SizeError, random::categorical(fresh(), 7, Seq<double>()));
  CHECK_EQ(random::categorical(fresh(), 0, Seq<double>()).size(), 0);
}
