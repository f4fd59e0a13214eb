// Statistics of draws: each returns a distance that is a standard normal or Kolmogorov variable for draws from the right distribution.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "check.h"

namespace statistics {

// Kolmogorov and Smirnov's sqrt(n) max |F_n - F| of sorted draws, to within stride / sqrt(n): F is evaluated at every stride-th one.
// It exceeds 2.2 with probability 1.3e-4.
inline double kolmogorov(const std::vector<double>& sorted, const std::function<double(double)>& F) {
  constexpr size_t stride = 50;
  const auto n = double(sorted.size());
  double most = 0;
  for (size_t k = 0; k < sorted.size(); k += stride) {
    if (k > 0 && sorted[k] == sorted[k - 1]) continue;
    most = std::max(most, std::fabs(double(k) / n - F(sorted[k])));
  }
  return std::sqrt(n) * most;
}
constexpr double kolmogorov_limit = 2.2;

// Pearson's statistic of counts, standardized. Classes with few expected draws are joined with the next ones.
inline double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double sum = 0, count = 0, of_class = 0;
  int classes = 0;
  for (size_t k = 0; k < counts.size(); k++) {
    count += counts[k], of_class += expected[k];
    if (of_class < 10 && k + 1 < counts.size()) continue;
    if (of_class < 1e-9) {
      if (count > 0) return 1e9;
      continue;
    }
    sum += (count - of_class) * (count - of_class) / std::max(of_class, 1.0);
    count = of_class = 0, classes++;
  }
  if (classes < 2) return 0;
  // Wilson and Hilferty: the cube root is nearly normal.
  const double freedom = classes - 1, spread = 2 / (9 * freedom);
  return (std::cbrt(sum / freedom) - (1 - spread)) / std::sqrt(spread);
}
constexpr double normal_limit = 4;  // exceeded with probability 6e-5

inline double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = double(x.size());
  double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
  for (size_t k = 0; k < x.size(); k++) sx += x[k], sy += y[k];
  for (size_t k = 0; k < x.size(); k++) {
    const double a = x[k] - sx / n, b = y[k] - sy / n;
    xx += a * a, yy += b * b, xy += a * b;
  }
  return std::sqrt(n) * xy / std::sqrt(xx * yy);
}

// The mean and the variance of draws, as distances from those of the distribution.
struct Moments {
  double mean, variance, excess;  // excess kurtosis
};
inline std::pair<double, double> moments(const std::vector<double>& x, const Moments& right) {
  const auto n = double(x.size());
  double mean = 0, squares = 0;
  for (double v : x) mean += v - right.mean;
  mean /= n;
  for (double v : x) squares += (v - right.mean) * (v - right.mean);
  return {mean / std::sqrt(right.variance / n), (squares / n / right.variance - 1) / std::sqrt((right.excess + 2) / n)};
}

inline void within(const std::string& what, double distance, double limit) {
  if (!(std::fabs(distance) <= limit)) CHECK_EQ(what + ": " + std::to_string(distance), "within " + std::to_string(limit));
}

}  // namespace statistics
