// jacobi [N]: solves a x = b for a matrix with a dominant diagonal by Jacobi's method: x' = x + (b - a x) / diagonal of a, until x changes by
// less than 1e-10.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
  if (n < 1) return std::cerr << "usage: jacobi [N]\n", 2;
  const Array<double, 2> a = array([n](auto i, auto j) { return where(i == j, 2.0 * n, sin(cast<double>(i * n + j))); }, n, n).force();
  const Array<double, 1> b = array([](auto i) { return cast<double>(i + 1); }, n);
  const Array<double, 1> d = diagonal(a);
  const auto product = [&](const Array<double, 1>& x) { return sum(a * x, 1); };
  Array<double, 1> x = zeros<double>(n);
  const Timing timing;
  int steps = 0;
  for (double change = 1; change > 1e-10; steps++) {
    const auto correction = (b - product(x)) / d;
    const auto size = norm(correction);
    x += correction;
    force(x, size);
    change = size.get();
  }
  timing.report(steps, "steps");
  std::cout << steps << " steps, residual " << norm(b - product(x)) << "\n" << x << "\n";
} catch (const std::exception& error) {
  std::cerr << "jacobi: " << error.what() << "\n";
  return 2;
}
