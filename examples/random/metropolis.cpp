// metropolis [CHAINS [STEPS]]: the mean and the variance of the density x^2 exp(-x) / 2, which are 3, by independent Markov chains (N. Metropolis and
// others, 1953). A chain is a loop in a function, and draws by its own key; all chains are one kernel.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// The last point of each chain, and the number of accepted moves.
static Seq<std::pair<double, int64_t>> chains(const random::Key& key, int64_t n, int64_t steps) {
  auto log_density = [](auto x) { return where(x > 0.0, 2.0 * log(x) - x, -INFINITY); };
  auto chain = [=](auto of_chain) {
    auto moves = random::split(of_chain, 0), chances = random::split(of_chain, 1);
    auto going = [=](auto, auto, auto k) { return k < steps; };
    auto next = [=](auto x, auto accepted, auto k) {
      auto candidate = x + 2.5 * random::gaussian<double>(moves, k);
      auto accepts = log(random::uniform<double>(chances, k)) < log_density(candidate) - log_density(x);
      return std::tuple(where(accepts, candidate, x), accepted + cast<int64_t>(accepts), k + 1);
    };
    auto [x, accepted, k] = loop(std::tuple(1.0, int64_t(0), int64_t(0)), going, next);
    return std::pair(x, accepted);
  };
  return map(chain, random::keys(key, n));
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 100'000, steps = argc > 2 ? std::atoll(argv[2]) : 100;
  if (n < 1 || steps < 1) return std::cerr << "usage: metropolis [CHAINS [STEPS]], both at least 1\n", 2;
  const Timing timing;
  const auto [x, accepted] = unzip(chains(random::Key(2026), n, steps));
  const auto sum = reduce(plus, 0.0, x), squares = reduce(plus, 0.0, map([](auto x) { return x * x; }, x));
  const auto moves = reduce(plus, int64_t(0), accepted);
  force(sum, squares, moves);
  timing.report(double(n) * double(steps), "moves");
  const double mean = sum / double(n), variance = squares / double(n) - mean * mean;
  std::printf("mean %.4f, variance %.4f, %.1f%% of the moves accepted\n", mean, variance, 100.0 * double(moves.get()) / double(n * steps));
} catch (const Error& error) {
  std::cerr << "metropolis: " << error.what() << "\n";
  return 2;
}
