// random_walk [STEPS]: writes a random walk in the plane to standard output, as a picture in SVG.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static Seq<double> walk(const random::Key& key, int64_t steps) { return scan_incl(plus, 0.0, random::gaussian<double>(key, steps)); }

int main(int argc, char** argv) try {
  const int64_t steps = argc > 1 ? std::atoll(argv[1]) : 10'000;
  if (steps < 1) return std::cerr << "usage: random_walk [STEPS], at least 1\n", 2;
  const random::Key key(2026);
  const Timing timing;
  const auto x = walk(key.split(0), steps), y = walk(key.split(1), steps);
  const auto [left, right] = minmax(x);
  const auto [top, bottom] = minmax(y);
  force(x, y, left, right, top, bottom);
  timing.report(double(steps), "steps");
  const double width = right - left, height = bottom - top, margin = std::max({width, height, 1.0}) / 50;
  const double corner[] = {left - margin, top - margin};
  std::printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.3f %.3f %.3f %.3f\">\n", corner[0], corner[1], width + 2 * margin,
              height + 2 * margin);
  std::printf("<polyline fill=\"none\" stroke=\"black\" stroke-width=\"%.3f\" points=\"", margin / 10);
  for (const auto& [px, py] : zip(x, y)) std::printf("%.3f,%.3f\n", px, py);
  std::printf("\"/>\n</svg>\n");
} catch (const Error& error) {
  std::cerr << "random_walk: " << error.what() << "\n";
  return 2;
}
