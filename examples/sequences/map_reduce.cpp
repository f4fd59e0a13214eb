// map_reduce NUMBER...: the mean, standard deviation and extremes of the numbers, in one pass over them.
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  std::vector<double> numbers;
  for (int k = 1; k < argc; k++) numbers.push_back(std::atof(argv[k]));
  if (numbers.empty()) return std::cerr << "usage: map_reduce NUMBER...\n", 2;
  double n = static_cast<double>(numbers.size());
  Seq s(std::move(numbers));

  auto sum = reduce(plus, 0.0, s);
  auto squares = reduce(plus, 0.0, map([](auto x) { return x * x; }, s));
  auto smallest = reduce(min, s), largest = reduce(max, s);
  auto mean = sum / n;
  auto deviation = sqrt(max(squares / n - mean * mean, 0.0));

  std::cout << explain(mean, deviation, smallest, largest) << "\n";
  const Timing timing;
  force(mean, deviation, smallest, largest);
  timing.report(n, "numbers");
  std::cout << "mean " << mean << ", deviation " << deviation << ", from " << smallest << " to " << largest << "\n";
} catch (const Error& error) {
  std::cerr << "map_reduce: " << error.what() << "\n";
  return 2;
}
