// k_means FILE CLUSTERS [FILE.png]: the centres of clusters of the points in a CSV file, a line "X,Y" each (Lloyd's algorithm).
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

struct Points {
  Seq<double> x, y;
};

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
  const auto count = histogram(cluster, k);
  const auto none = fill(0.0, k);
  auto mean = [](auto sum, auto count, auto before) { return where(count > 0, sum / cast<double>(count), before); };
  Points after{map(mean, scatter(plus, none, cluster, points.x), count, before.x),
               map(mean, scatter(plus, none, cluster, points.y), count, before.y)};
  force(after.x, after.y);
  return after;
}

// The regions of the centres in colours, and the points in white: size x size x 3.
static Array<uint8_t, 3> picture(const Points& points, const Points& centres, int64_t k, int64_t size) {
  const auto last = static_cast<double>(size - 1);
  const std::pair<double, double> xs = minmax(points.x), ys = minmax(points.y);
  auto place = [=](auto i, auto range) { return range.first + (range.second - range.first) * cast<double>(i) / last; };
  auto index = [=](auto x, auto range) { return cast<int64_t>((x - range.first) / (range.second - range.first) * last); };
  const Points pixels{tabulate([=](auto i) { return place(i % size, xs); }, size * size),
                      tabulate([=](auto i) { return place(i / size, ys); }, size * size)};
  const auto cell = map([=](auto x, auto y) { return index(y, ys) * size + index(x, xs); }, points.x, points.y);
  const auto region = scatter(assigned(pixels, centres, k), cell, fill(int64_t{-1}, points.x.size()));
  force(region);
  return array(
      [&](auto y, auto x, auto channel) {
        auto number = region[y * size + x];
        return cast<uint8_t>(where(number < 0, 255, 30 + (number + 1) * (61 + 37 * channel) % 140));
      },
      size, size, 3);
}

int main(int argc, char** argv) try {
  const int64_t k = argc == 3 || argc == 4 ? std::atoll(argv[2]) : 0;
  if (k < 1) return std::cerr << "usage: k_means FILE CLUSTERS [FILE.png]\n", 2;
  const auto table = read_csv(argv[1]);
  const int64_t n = table.extent(0);
  if (n < k || table.extent(1) != 2) return std::cerr << "k_means: expected two columns and at least " << k << " points\n", 2;
  const Points points{table.column(0).force(), table.column(1).force()};
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
  if (argc == 4) write_png(argv[3], picture(points, centres, k, 300));
} catch (const Error& error) {
  std::cerr << "k_means: " << error.what() << "\n";
  return 2;
}
