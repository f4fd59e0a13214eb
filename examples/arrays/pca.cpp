// pca TABLE.csv [K]: the K principal components of the rows: the directions of the largest variance, which are eigenvectors of the covariance
// matrix.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

int main(int argc, char** argv) try {
  const int64_t k = argc > 2 ? std::atoll(argv[2]) : 2;
  if (argc < 2 || k < 1) return std::cerr << "usage: pca TABLE.csv [K]\n", 2;
  const auto table = read_csv(argv[1]);
  const auto [n, columns] = table.shape();
  if (n < 2 || columns < k) return std::cerr << "pca: expected at least two rows and K columns\n", 2;
  const Timing timing;
  const auto centered = table - mean(table, 0);
  const auto [values, vectors] = eigen(inner(centered, centered) / static_cast<double>(n - 1));
  const auto largest_first = slice({}, {}, -1);
  const auto share = values(largest_first)(slice(0, k)) / sum(values);
  const auto directions = vectors(every, largest_first)(every, slice(0, k));
  const auto coordinates = matmul(centered, directions);
  force(share, coordinates);
  timing.report(static_cast<double>(n), "rows");
  std::cout << "shares of the variance: " << share << "\ndirections, one per column:\n"
            << directions << "\nrows along them:\n"
            << coordinates << "\n";
} catch (const std::exception& error) {
  std::cerr << "pca: " << error.what() << "\n";
  return 2;
}
