// k_means FILE CLUSTERS: the centres of clusters of the points in a CSV file, a line "X,Y" each (Lloyd's algorithm).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

struct Points {
  Seq<double> x, y;
};

static Points read_points(const char* name) {
  std::ifstream file(name);
  if (!file) throw ArgumentError(std::string(name) + " cannot be read");
  std::vector<double> x, y;
  for (std::string line; std::getline(file, line);) {
    double px, py;
    if (std::sscanf(line.c_str(), "%lf,%lf", &px, &py) == 2) x.push_back(px), y.push_back(py);
  }
  return {Seq(std::move(x)), Seq(std::move(y))};
}

// The number of the nearest centre, for each point.
static Seq<int64_t> assigned(const Points& points, const Points& centres, int64_t k) {
  auto nearest = [&](auto px, auto py) {
    auto candidate = [&](auto c) {
      auto dx = px - centres.x[c], dy = py - centres.y[c];
      return std::pair(dx * dx + dy * dy, c);
    };
    auto nearer = [](auto a, auto b) { return std::pair(min(a.first, b.first), where(b.first < a.first, b.second, a.second)); };
    auto [distance, number] = reduce(nearer, {INFINITY, 0}, tabulate(candidate, k));
    return number;
  };
  return map(nearest, points.x, points.y);
}

static Points means(const Points& points, const Seq<int64_t>& cluster, const Points& before, int64_t k) {
  const auto count = histogram(cluster, k), zeros = tabulate([](auto) { return int64_t{0}; }, k);
  const auto none = tabulate([](auto) { return 0.0; }, k);
  auto mean = [](auto sum, auto count, auto before) { return where(count > 0, sum / cast<double>(count), before); };
  Points after{map(mean, scatter(plus, none, cluster, points.x), count, before.x),
               map(mean, scatter(plus, none, cluster, points.y), count, before.y)};
  force(after.x, after.y);
  return after;
}

int main(int argc, char** argv) try {
  const int64_t k = argc == 3 ? std::atoll(argv[2]) : 0;
  if (k < 1) return std::cerr << "usage: k_means FILE CLUSTERS\n", 2;
  const Points points = read_points(argv[1]);
  const int64_t n = points.x.size();
  if (n < k) return std::cerr << "k_means: " << n << " points for " << k << " clusters\n", 2;
  auto start = [&](const Seq<double>& s) { return tabulate([=](auto c) { return s[c * n / k]; }, k); };
  Points centres{start(points.x), start(points.y)};
  constexpr int rounds = 20;
  const Timing timing;
  for (int round = 0; round < rounds; round++) {
    const auto cluster = assigned(points, centres, k);
    force(cluster);
    centres = means(points, cluster, centres, k);
  }
  timing.report(static_cast<double>(n * k) * rounds, "distances");
  for (auto [x, y] : sort(zip(centres.x, centres.y))) std::cout << x << "," << y << "\n";
} catch (const Error& error) {
  std::cerr << "k_means: " << error.what() << "\n";
  return 2;
}
