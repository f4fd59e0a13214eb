// logistic TABLE.csv [STEPS]: logistic regression. The last column, 0 or 1, as a function of the others: steps of gradient descent, each one call of
// a compiled function of the weights, whose gradient is derived from the loss.
#include <iostream>
#include <string>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 3) return std::cerr << "usage: logistic TABLE.csv [STEPS]\n", 2;
  const auto table = read_csv(argv[1]);
  const auto [n, columns] = table.shape();
  if (columns < 2) return std::cerr << "logistic: expected at least two columns\n", 2;
  const int steps = argc == 3 ? std::stoi(argv[2]) : 1000;
  const Timing timing;
  const Array<double, 2> x = pack(ones<double>(n, 1), table(every, slice(0, -1))).force();
  const Array<double, 1> y = table.column(-1).force();

  // The mean of -log(the probability that the model gives to y).
  const auto loss = [](const auto& samples, const auto& labels, const auto& weights) {
    return mean(map([](auto p, auto t) { return softplus(p) - t * p; }, matmul(samples, weights), labels));
  };
  const auto step = jit([=](auto samples, auto labels, auto weights) {
    const auto [value, gradient] = value_and_grad<2>(loss)(samples, labels, weights);
    return std::pair(value, weights - gradient);
  });

  Array<double, 1> w = zeros<double>(columns);
  double first = 0, last = 0;
  for (int k = 0; k < steps; k++) {
    const auto [value, next] = step(x, y, w);
    last = value;
    if (k == 0) first = last;
    w = next;
  }
  const auto is_right = map([](auto p, auto t) { return (p > 0.0) == (t > 0.5); }, matmul(x, w), y);
  timing.report(static_cast<double>(n) * steps, "rows");
  std::cout << "loss " << first << " to " << last << " in " << steps << " steps\nright: " << count(is_right) << " of " << n << "\n";
} catch (const std::exception& error) {
  std::cerr << "logistic: " << error.what() << "\n";
  return 2;
}
