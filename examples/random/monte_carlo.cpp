// monte_carlo [N]: pi and the price of a call option, estimated from N random points, with standard errors. One kernel each, which reads no memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

struct Estimate {
  double mean, error;
};

// The mean of f(0), ..., f(n - 1), which are independent.
template <class F> static Estimate estimate(F f, int64_t n) {
  const Seq<double> x = tabulate(f, n);
  const auto sum = reduce(plus, 0.0, x), squares = reduce(plus, 0.0, map([](auto x) { return x * x; }, x));
  force(sum, squares);
  const double mean = sum / double(n);
  return {mean, std::sqrt((squares / double(n) - mean * mean) / double(n))};
}

static Estimate pi(const random::Key& key, int64_t n) {
  auto inside = [x_key = key.split(0), y_key = key.split(1)](auto i) {
    auto x = random::uniform<double>(x_key, i), y = random::uniform<double>(y_key, i);
    return where(x * x + y * y < 1.0, 4.0, 0.0);
  };
  return estimate(inside, n);
}

// A share that costs 100 now, with the interest 0.02 and the volatility 0.3, may be bought for 105 in a year.
constexpr double price = 100, strike = 105, interest = 0.02, volatility = 0.3;

static Estimate call_option(const random::Key& key, int64_t n) {
  auto payoff = [&](auto i) {
    auto then = price * exp(interest - volatility * volatility / 2 + volatility * random::gaussian<double>(key, i));
    return std::exp(-interest) * max(then - strike, 0.0);
  };
  return estimate(payoff, n);
}

static double black_scholes() {
  auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double d = (std::log(price / strike) + interest) / volatility + volatility / 2;
  return price * below(d) - strike * std::exp(-interest) * below(d - volatility);
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
  if (n < 1) return std::cerr << "usage: monte_carlo [N], with N at least 1\n", 2;
  const random::Key key(2026);
  const Timing timing;
  const Estimate area = pi(key.split(0), n), option = call_option(key.split(1), n);
  timing.report(2.0 * double(n), "points");
  std::printf("pi %.6f, error %.6f\n", area.mean, area.error);
  std::printf("call option %.5f, error %.5f; by Black and Scholes %.5f\n", option.mean, option.error, black_scholes());
} catch (const Error& error) {
  std::cerr << "monte_carlo: " << error.what() << "\n";
  return 2;
}
