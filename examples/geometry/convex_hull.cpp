// convex_hull [FILE]: the corners of the convex hull of points, a line "X Y" each, counterclockwise from the leftmost one; without a file, of
// points in a disc (quickhull). Each step is two passes: the farthest point from a line, then the points beyond the two new lines.
#include <algorithm>
#include <iostream>
#include <limits>

#include "../pairs.h"
#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Point = std::pair<double, double>;

// Twice the area of the triangle a b p: positive if p is to the left of the line from a to b; and the points for which it is.
template <class P> static auto area(Point a, Point b, const P& p) {
  return (b.first - a.first) * (p.second - a.second) - (b.second - a.second) * (p.first - a.first);
}
static Seq<Point> left_of(const Seq<Point>& s, Point a, Point b) {
  return filter([=](auto x, auto y) { return area(a, b, std::pair(x, y)) > 0; }, s);
}

// Adds the corners from a, exclusive, to b, inclusive, of points to the right of the line from a to b.
static void add_corners(const Seq<Point>& s, Point a, Point b, std::vector<Point>& corners) {
  if (s.size() == 0) return corners.push_back(b);
  const auto height = map([=](auto x, auto y) { return area(b, a, std::pair(x, y)); }, s);
  const Point far = s[argmax(height).get()].get();
  const auto first = left_of(s, far, a), second = left_of(s, b, far);
  force(first, second);
  add_corners(first, a, far, corners);
  add_corners(second, far, b, corners);
}

static std::vector<Point> convex_hull(const Seq<Point>& s) {
  const auto first = argmin(s), last = argmax(s);  // by x, then by y
  force(first, last);
  const Point left = s[first.get()].get(), right = s[last.get()].get();
  std::vector<Point> corners;
  add_corners(left_of(s, right, left), left, right, corners);
  if (left != right) add_corners(left_of(s, left, right), right, left, corners);
  return corners;
}

int main(int argc, char** argv) try {
  auto in_disc = [](auto i) {
    auto radius = sqrt(cast<double>(i * 7919 % 1000003) / 1000003), angle = cast<double>(i) * 2.399963;
    return std::pair(radius * cos(angle), radius * sin(angle));
  };
  constexpr double most = std::numeric_limits<double>::max();
  const auto s = argc > 1 ? Seq(read_pairs(argv[1], -most, most)) : tabulate(in_disc, 1000000).force();
  const Timing timing;
  const auto corners = convex_hull(s);
  timing.report(static_cast<double>(s.size()), "points");
  std::cout << corners.size() << " corners\n";
  for (size_t k = 0; k < std::min<size_t>(corners.size(), 20); k++) std::cout << corners[k].first << " " << corners[k].second << "\n";
} catch (const Error& error) {
  std::cerr << "convex_hull: " << error.what() << "\n";
  return 2;
}
