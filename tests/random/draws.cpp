// Draws through the C++ layer: what they depend on, their plans, keys, parameters and errors.
#include <algorithm>
#include <cmath>
#include <set>

#include "check.h"
#include "random/statistics.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

constexpr int64_t n = 100007;
const random::Key key(15210);

std::string kernels(const std::string& plan) { return plan.substr(0, plan.find('\n')); }

}  // namespace

TEST(parts_equal_the_whole) {
  auto check = [](const auto& s) {
    using T = typename std::decay_t<decltype(s)>::value_type;
    const std::vector<T> whole = s().to_vector();
    for (int64_t start : {0, 1, 2, 3, 5, 64, 1025, 99999})
      for (int64_t length : {1, 3, 100}) {
        const int64_t count = std::min(length, n - start);
        const std::vector<T> part = subseq(s(), start, count).to_vector();
        CHECK(std::equal(part.begin(), part.end(), whole.begin() + start));
      }
    std::vector<T> back = rev(s()).to_vector();
    std::reverse(back.begin(), back.end());
    CHECK(back == whole);
    CHECK_EQ(nth(s(), 4711).get(), whole[4711]);
  };
  struct Uniform {
    using value_type = float;
    auto operator()() const { return random::uniform<float>(key, n); }
  };
  struct Wide {
    using value_type = double;
    auto operator()() const { return random::uniform<double>(key, n); }
  };
  struct Gaussian {
    using value_type = float;
    auto operator()() const { return random::gaussian<float>(key, n); }
  };
  struct Gamma {
    using value_type = double;
    auto operator()() const { return random::gamma<double>(key, n, 0.7); }
  };
  struct Integers {
    using value_type = int64_t;
    auto operator()() const { return random::uniform_int(key, n, 0, 3000000000); }
  };
  check(Uniform()), check(Wide()), check(Gaussian()), check(Gamma()), check(Integers());
}

TEST(fewer_draws_are_the_first_ones) {
  const auto many = random::uniform<float>(key, n).to_vector();
  for (int64_t count : {0, 1, 63, 64, 65, 4097}) {
    const auto few = random::uniform<float>(key, count).to_vector();
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
  }
}

TEST(a_monte_carlo_estimate_reads_no_memory) {
  const auto x = random::uniform<float>(key.split(0), n), y = random::uniform<float>(key.split(1), n);
  const auto inside = reduce(plus, int64_t(0), map([](auto x, auto y) { return cast<int64_t>(x * x + y * y < 1.0f); }, x, y));
  const std::string plan = explain(inside);
  CHECK_EQ(kernels(plan), "1 kernel");
  CHECK(plan.find(" 0 B read") != std::string::npos);
  if (plan.find(" 0 B read") == std::string::npos) CHECK_EQ(plan, "");
  CHECK(std::abs(4.0 * double(inside.get()) / double(n) - 3.14159265) < 5 * 1.64 / std::sqrt(double(n)));
  // Parameters that are known when the kernel starts are not read from memory either.
  const auto sum = reduce(plus, 0.0f, random::gamma<float>(key, n, 2.5f, Scalar<float>(3.0f)));
  CHECK_EQ(kernels(explain(sum)), "1 kernel");
}

TEST(keys_split) {
  std::set<uint64_t> seen{key.bits().get()};
  const auto keys = random::keys(key, 1000).to_vector();
  for (int64_t i = 0; i < 1000; i++) {
    CHECK_EQ(key.split(i).bits().get(), keys[size_t(i)]);
    seen.insert(keys[size_t(i)]), seen.insert(key.split(i).split(0).bits().get());
  }
  CHECK_EQ(seen.size(), size_t(2001));
  // A key that is computed splits to the same keys.
  const random::Key computed(reduce(plus, uint64_t(0), Seq<uint64_t>{15000, 210}));
  CHECK_EQ(computed.split(7).bits().get(), keys[7]);
  CHECK(random::uniform<float>(computed, n).to_vector() == random::uniform<float>(key, n).to_vector());
  CHECK(random::uniform<float>(key.split(1), n).to_vector() != random::uniform<float>(key.split(2), n).to_vector());
}

TEST(a_key_per_element) {
  const auto each = random::gaussian<float>(random::keys(key, n)).to_vector();
  for (int64_t i : {0, 1, 77, 100006}) CHECK_EQ(each[size_t(i)], random::gaussian<float>(key.split(i), 1).to_vector()[0]);
}

TEST(parameters_are_numbers_scalars_or_sequences) {
  const auto by_number = random::gaussian<float>(key, n, 3, 0.5f).to_vector();
  const Scalar<float> mean = reduce(plus, 0.0f, Seq<float>{1.0f, 2.0f});
  CHECK(random::gaussian<float>(key, n, mean, 0.5f).to_vector() == by_number);
  CHECK(random::gaussian<float>(key, n, tabulate([](auto) { return 3; }, n), 0.5).to_vector() == by_number);
  const auto kept = filter([](auto i) { return i % 2 == 0; }, iota(2 * n));
  CHECK(random::gaussian<float>(key, n, map([](auto i) { return i * 0 + 3; }, kept), 0.5).to_vector() == by_number);
  const auto varied = random::uniform<double>(key, n, 0.0, iota<int32_t>(n)).to_vector();
  for (int64_t i = 1; i < n; i++) CHECK(varied[size_t(i)] >= 0 && varied[size_t(i)] < double(i));
}

TEST(bounds_are_kept) {
  for (float x : random::uniform<float>(key, 2000000, 1, 2).to_vector()) CHECK(x >= 1 && x < 2);
  for (double x : random::uniform<double>(key, n).to_vector()) CHECK(x >= 0 && x < 1);
  for (int64_t x : random::uniform_int(key, n, -3, 4).to_vector()) CHECK(x >= -3 && x < 4);
  CHECK(random::uniform_int(key, 10, 5, 5).to_vector() == std::vector<int64_t>(10, 5));
  // A width that overflows.
  const double most = 1.5e308;
  const auto wide = random::uniform<double>(key, n, -most, most).to_vector();
  CHECK_EQ(std::count_if(wide.begin(), wide.end(), [&](double x) { return !(x >= -most && x < most); }), 0);
  const auto below = std::count_if(wide.begin(), wide.end(), [&](double x) { return x < -most / 2; });
  CHECK(std::abs(double(below) / double(n) - 0.25) < 0.01);
  CHECK(random::bernoulli(key, 100, 0.0).to_vector() == std::vector<bool>(100, false));
  CHECK(random::bernoulli(key, 100, 1.0).to_vector() == std::vector<bool>(100, true));
  CHECK(random::geometric(key, 100, 1.0).to_vector() == std::vector<int64_t>(100, 0));
}

// Between neighbours, between the streams of neighbouring and of split keys, and between words of 32 and 64 bits.
TEST(draws_are_uncorrelated) {
  constexpr int64_t many = 1000000;
  auto draws = [](const random::Key& from) { return random::uniform<double>(from, many + 64).to_vector(); };
  const auto x = draws(random::Key(1));
  auto compare = [&](const std::string& what, const std::vector<double>& y, int64_t lag) {
    const std::vector<double> a(x.begin(), x.begin() + many), b(y.begin() + lag, y.begin() + lag + many);
    statistics::within(what, statistics::correlation(a, b), statistics::normal_limit);
    std::vector<double> counts(64 * 64);
    for (size_t k = 0; k < a.size(); k++) counts[size_t(a[k] * 64) * 64 + size_t(b[k] * 64)]++;
    statistics::within(what + ", pairs", statistics::chi_square(counts, std::vector<double>(64 * 64, double(many) / 4096)),
                       statistics::normal_limit);
  };
  for (int64_t lag : {1, 2, 3, 4, 63}) compare("lag " + std::to_string(lag), x, lag);
  compare("next key", draws(random::Key(2)), 0);
  compare("split key", draws(random::Key(1).split(0)), 0);
  const auto y = draws(random::Key(1).split(1));
  compare("another split key", y, 0);
  const auto narrow = random::uniform<float>(random::Key(1), many + 64).to_vector();
  compare("words of 32 bits", {narrow.begin(), narrow.end()}, 0);
}

TEST(wrong_arguments) {
  CHECK_THROWS(SizeError, random::uniform<float>(key, -1));
  CHECK_THROWS(SizeError, random::uniform<float>(key, -2));
  CHECK_THROWS(ArgumentError, random::uniform<float>(key, 5, 1));
  CHECK_THROWS(TypeError, random::uniform<int>(key, 5));
  CHECK_THROWS(SizeError, random::gaussian<float>(key, 5, iota<float>(4), 1));
}

// An expression of the key and the number is that element of the sequence, with any kind of parameters.
TEST(lambdas_draw) {
  auto same = [](const auto& drawn, const auto& expected) { CHECK(drawn.to_vector() == expected.to_vector()); };
  auto each = [](auto f) { return tabulate(f, n); };
  const Scalar<float> three = reduce(plus, 0.0f, Seq<float>{1.0f, 2.0f});
  same(each([](auto i) { return random::uniform(key, i); }), random::uniform(key, n));
  same(each([](auto i) { return random::uniform<double>(key, i, -1, 2.5f); }), random::uniform<double>(key, n, -1, 2.5f));
  same(each([&](auto i) { return random::gaussian(key, i, three, 0.5); }), random::gaussian(key, n, 3, 0.5));
  same(each([](auto i) { return random::gaussian(key, i, cast<float>(i), 2); }), random::gaussian(key, n, iota<float>(n), 2));
  same(each([](auto i) { return random::exponential<double>(key, i); }), random::exponential<double>(key, n));
  same(each([](auto i) { return random::gamma(key, i, 0.7); }), random::gamma(key, n, 0.7));
  same(each([](auto i) { return random::poisson<int>(key, i, 30); }), random::poisson<int>(key, n, 30));
  same(each([](auto i) { return random::bernoulli(key, i, 0.25); }), random::bernoulli(key, n, 0.25));
  same(each([](auto i) { return random::uniform_int(key, i, 0, 1LL << 40); }), random::uniform_int(key, n, 0, 1LL << 40));
  same(each([](auto i) { return random::split(key, i); }), random::keys(key, n));
  same(each([](auto i) { return random::gaussian(random::split(key, i), 0); }), random::gaussian(random::keys(key, n)));
  same(map([](auto k) { return random::uniform(k, 0); }, random::keys(key, n)), random::uniform(random::keys(key, n)));
}

// Loops draw numbers of their own for each element, also those that draw by rejection.
TEST(loops_draw) {
  auto sum_of = [](auto draw) {
    return tabulate(
        [=](auto i) {
          const auto [sum, k] = loop(
              std::tuple(0.0, int64_t(0)), [](auto, auto k) { return k < 7; },
              [=](auto sum, auto k) { return std::tuple(sum + draw(random::split(key, i), k), k + 1); });
          return sum;
        },
        1000);
  };
  auto compare = [&](auto draw) {
    const auto sums = sum_of(draw).to_vector();
    for (int64_t i = 0; i < 1000; i++) {
      double sum = 0;
      const random::Key of_chain = key.split(i);
      for (double x : tabulate([&](auto k) { return draw(of_chain, k); }, 7).to_vector()) sum += x;
      CHECK_EQ(sums[size_t(i)], sum);
    }
  };
  compare([](auto k, auto i) { return random::uniform<double>(k, i); });
  compare([](auto k, auto i) { return random::gamma<double>(k, i, 2.5); });
  compare([](auto k, auto i) { return random::gaussian<double>(k, i); });
  compare([](auto k, auto i) { return random::gamma<double>(k, i, 0.5, 3.0); });
}

// A sequential iteration draws, too: a random walk that stays above 0.
TEST(iterations_draw) {
  auto step = [](auto x, auto i) { return max(x + random::gaussian<double>(key, i), 0.0); };
  double x = 0;
  for (double z : random::gaussian<double>(key, 5000).to_vector()) x = std::max(x + z, 0.0);
  CHECK_EQ(iterate(step, 0.0, iota(5000)).get(), x);
}

// Functions draw by the operations, too.
TEST(lambdas_draw_words) {
  const auto words = tabulate([](auto i) { return philox32(uint64_t(7), cast<uint64_t>(i), uint64_t(0)); }, n).to_vector();
  const auto drawn = random::uniform<float>(random::Key(7), n).to_vector();
  for (int64_t i = 0; i < n; i++) CHECK_EQ(drawn[size_t(i)], float(double(int32_t(uint32_t(words[size_t(i)])) >> 8) / 16777216.0 + 0.5));
}
