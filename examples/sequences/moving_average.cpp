// moving_average WINDOW [NUMBER...]: the mean of each WINDOW neighbours; without numbers, of a million of them, timed.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static Seq<double> moving_average(const Seq<double>& s, int64_t window) {
  return tabulate([&](auto i) { return sum(subseq(s, i, window)) / static_cast<double>(window); },
                  std::max<int64_t>(s.size() - window + 1, 0));
}

int main(int argc, char** argv) try {
  const int64_t window = argc > 1 ? std::atoll(argv[1]) : 0;
  if (window < 1) return std::cerr << "usage: moving_average WINDOW [NUMBER...]\n", 2;
  std::vector<double> numbers;
  for (int k = 2; k < argc; k++) numbers.push_back(std::atof(argv[k]));
  const auto s = numbers.empty() ? tabulate([](auto i) { return sin(cast<double>(i) * 0.01); }, 1000000) : Seq(std::move(numbers));
  force(s);
  const Timing timing;
  const auto means = moving_average(s, window);
  force(means);
  timing.report(static_cast<double>(s.size()), "numbers");
  std::cout << means << "\n";
} catch (const Error& error) {
  std::cerr << "moving_average: " << error.what() << "\n";
  return 2;
}
