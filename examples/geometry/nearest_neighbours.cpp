// nearest_neighbours [K [POINTS]]: the K points that are nearest to a query, for points in a square, and all points' nearest one.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  const int64_t k = argc > 1 ? std::atoll(argv[1]) : 5, n = argc > 2 ? std::atoll(argv[2]) : 4000;
  if (k < 1 || n < 2 || k > n) return std::cerr << "usage: nearest_neighbours [K [POINTS]], with K at most POINTS\n", 2;
  const auto x = tabulate([](auto i) { return cast<float>(i * 7919 % 10007) / 10007; }, n);
  const auto y = tabulate([](auto i) { return cast<float>(i * 104729 % 9973) / 9973; }, n);
  force(x, y);

  auto distances = map([](auto x, auto y) { return (x - 0.5f) * (x - 0.5f) + (y - 0.5f) * (y - 0.5f); }, x, y);
  for (auto [distance, i] : take(sort(zip(distances, iota(n))), k)) std::cout << "point " << i << ", distance " << sqrt(distance) << "\n";

  // The nearest other point of each: the least pair (squared distance, number).
  const Timing timing;
  const auto nearest = tabulate(
      [&](auto i) {
        auto distance = [&](auto j) {
          auto dx = x[i] - x[j], dy = y[i] - y[j];
          return std::pair(where(i == j, 4.0f, dx * dx + dy * dy), j);
        };
        auto nearer = [](auto a, auto b) {
          auto takes_b = b.first < a.first || (b.first == a.first && b.second < a.second);
          return std::pair(where(takes_b, b.first, a.first), where(takes_b, b.second, a.second));
        };
        return reduce(nearer, {5.0f, n}, tabulate(distance, n));
      },
      n);
  const auto sum_of_distances = sum(map([](auto squared, auto) { return sqrt(squared); }, nearest)).get();
  timing.report(static_cast<double>(n) * static_cast<double>(n), "pairs");
  std::cout << "the mean distance to the nearest is " << sum_of_distances / static_cast<float>(n) << "\n";
} catch (const Error& error) {
  std::cerr << "nearest_neighbours: " << error.what() << "\n";
  return 2;
}
