// life [SIZE STEPS]: Conway's Game of Life on a torus, from random cells. Prints the upper left corner and the number of living cells.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// A cell lives if it has three living neighbours, or two and lives already. The planner computes all of it in one kernel.
static Array<uint8_t, 2> next(const Array<uint8_t, 2>& cells, int64_t n) {
  return array(
      [&](auto i, auto j) {
        const auto up = where(i == 0, n - 1, i - 1), down = where(i == n - 1, 0, i + 1);
        const auto left = where(j == 0, n - 1, j - 1), right = where(j == n - 1, 0, j + 1);
        const auto around = cells(up, left) + cells(up, j) + cells(up, right) + cells(i, left) + cells(i, right) + cells(down, left) +
                            cells(down, j) + cells(down, right);
        return cast<uint8_t>(around == 3 || (around == 2 && cells(i, j) == 1));
      },
      n, n);
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
  if (n < 1 || steps < 0) return std::cerr << "usage: life [SIZE STEPS]\n", 2;
  auto cells = reshape(map([](auto x) { return cast<uint8_t>(x < 0.3f); }, random::uniform<float>(random::Key(15210), n * n)), n, n);
  cells.force();
  const Timing timing;
  for (int step = 0; step < steps; step++) cells = next(cells, n).force();
  timing.report(static_cast<double>(n) * static_cast<double>(n) * steps, "cells");
  const auto corner = cells(slice(0, 8), slice(0, 8));
  std::cout << corner << "\n" << sum(cast<int64_t>(cells)) << " cells live\n";
} catch (const std::exception& error) {
  std::cerr << "life: " << error.what() << "\n";
  return 2;
}
