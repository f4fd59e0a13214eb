// heat [SIZE STEPS [FILE.png]]: a square plate that is hot in the middle and held at 0 at its border. The temperature spreads by
// u' = u + k (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 u(i, j)).
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Plate = Array<float, 2>;

// One kernel: translations are views, and 0 outside of the plate.
static Plate step(const Plate& u) {
  const auto around = translate(u, {1, 0}) + translate(u, {-1, 0}) + translate(u, {0, 1}) + translate(u, {0, -1});
  return u + 0.2f * (around - 4 * u);
}

// From black through red and yellow to white.
static Array<uint8_t, 3> picture(const Plate& u) {
  return cast<uint8_t>(clamp(7.65f * insert_axis(u, 2) - Array{0.0f, 255.0f, 510.0f}, 0.0f, 255.0f));
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 100;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 1000;
  if (n < 1 || steps < 0) return std::cerr << "usage: heat [SIZE STEPS [FILE.png]]\n", 2;
  const auto inside = [n](auto i) { return i >= n / 4 && i < n - n / 4; };
  Plate u = array([&](auto i, auto j) { return where(inside(i) && inside(j), 100.0f, 0.0f); }, n, n).force();
  const Timing timing;
  for (int k = 0; k < steps; k++) u = step(u).force();
  timing.report(static_cast<double>(n) * static_cast<double>(n) * steps, "cells");
  std::cout << "mean " << mean(u) << ", largest " << max(u) << ", in the middle " << u(n / 2, n / 2) << "\n";
  if (argc > 3) write_png(argv[3], picture(u));
} catch (const std::exception& error) {
  std::cerr << "heat: " << error.what() << "\n";
  return 2;
}
