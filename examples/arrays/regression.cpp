// regression TABLE.csv: the last column as a linear function of the others, by least squares: the normal equations, solved by Cholesky's
// factorization.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: regression TABLE.csv\n", 2;
  const auto table = read_csv(argv[1]);
  const auto [n, columns] = table.shape();
  if (columns < 2) return std::cerr << "regression: expected at least two columns\n", 2;
  const Timing timing;
  const Array<double, 2> x = pack(ones<double>(n, 1), table(every, slice(0, -1)));
  const Array<double, 1> y = table.column(-1);
  const auto l = cholesky(inner(x, x));
  const auto b = solve_cholesky(l, matmul(t(x), y)).force();
  const auto residual = y - matmul(x, b);
  const auto explained = 1 - sum(residual * residual) / (variance(y) * static_cast<double>(n));
  force(explained);
  timing.report(static_cast<double>(n), "rows");
  std::cout << "y = " << b(0);
  for (int64_t k = 1; k < columns; k++) std::cout << " + " << b(k) << " x" << k;
  std::cout << "\nexplained: " << explained << " of the variance\n";
} catch (const std::exception& error) {
  std::cerr << "regression: " << error.what() << "\n";
  return 2;
}
