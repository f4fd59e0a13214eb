// autofuse [NUMBER]: the sum of a chain of eight maps over so many numbers, fused and step by step. The first takes one pass over no memory at
// all, since the numbers are computed too; the second writes and reads every step. The sums differ in rounding at most, since the order in which
// floats are added depends on the kernel.
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

template <class Step> static Scalar<float> sum_of_steps(int64_t n, Step after_each) {
  auto s = after_each(tabulate([](auto i) { return cast<float>(i % 1000) * 0.001f; }, n));
  for (int k = 0; k < 4; k++) {
    s = after_each(map([=](auto x) { return x * 0.5f + static_cast<float>(k); }, s));
    s = after_each(map([](auto x) { return sqrt(x); }, s));
  }
  return sum(s);
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 10000000;
  const Timing fused;
  const auto lazy = sum_of_steps(n, [](const auto& s) { return s; });
  const float total = lazy.get();
  fused.report(static_cast<double>(n), "numbers");
  std::cout << explain(lazy) << "\n";

  const Timing stepwise;
  const float same = sum_of_steps(n, [](const auto& s) { return force(s), s; }).get();
  stepwise.report(static_cast<double>(n), "numbers");
  const bool agree = std::abs(same - total) <= 1e-5f * total;
  std::cout << "sum " << total << (agree ? ", the same step by step\n" : ", another one step by step\n");
  return agree ? 0 : 1;
} catch (const Error& error) {
  std::cerr << "autofuse: " << error.what() << "\n";
  return 2;
}
