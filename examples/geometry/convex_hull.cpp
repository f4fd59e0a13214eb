// convex_hull [FILE]: the corners of the convex hull of points, a line "X Y" each, counterclockwise from the leftmost one; without a file, of
// points in a disc (quickhull). Each step is two passes: the farthest point from a line, then the points beyond the two new lines.
#include <fstream>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Point = std::pair<double, double>;

// Twice the area of the triangle a b p: positive if p is to the left of the line from a to b.
template <class P> static auto area(Point a, Point b, const P& p) {
  return (b.first - a.first) * (p.second - a.second) - (b.second - a.second) * (p.first - a.first);
}

static Seq<Point> left_of(const Seq<Point>& s, Point a, Point b) {
  return filter([=](auto x, auto y) { return area(a, b, std::pair(x, y)) > 0; }, s);
}

// Adds the corners from a, exclusive, to b, inclusive, of points to the right of the line from a to b.
static void add_corners(const Seq<Point>& s, Point a, Point b, std::vector<Point>& corners) {
  if (s.size() == 0) return corners.push_back(b);
  auto height = map([=](auto x, auto y) { return std::tuple(area(b, a, std::pair(x, y)), x, y); }, s);
  auto higher = [](auto p, auto q) {
    auto takes_q = std::get<0>(q) > std::get<0>(p);
    return std::tuple(max(std::get<0>(p), std::get<0>(q)), where(takes_q, std::get<1>(q), std::get<1>(p)),
                      where(takes_q, std::get<2>(q), std::get<2>(p)));
  };
  const auto [h, x, y] = reduce(higher, {-1, 0, 0}, height).get();
  const Point far{x, y};
  const auto first = left_of(s, far, a), second = left_of(s, b, far);
  force(first, second);
  add_corners(first, a, far, corners);
  add_corners(second, far, b, corners);
}

static std::vector<Point> convex_hull(const Seq<Point>& s) {
  auto lesser = [](auto p, auto q) {
    auto takes_q = q.first < p.first || (q.first == p.first && q.second < p.second);
    return std::pair(where(takes_q, q.first, p.first), where(takes_q, q.second, p.second));
  };
  auto opposite = map([](auto x, auto y) { return std::pair(-x, -y); }, s);
  const auto least = reduce(lesser, {INFINITY, INFINITY}, s), most = reduce(lesser, {INFINITY, INFINITY}, opposite);
  force(least, most);
  const Point left = least.get(), right{-most.get().first, -most.get().second};
  std::vector<Point> corners;
  add_corners(left_of(s, right, left), left, right, corners);
  if (left != right) add_corners(left_of(s, left, right), right, left, corners);
  return corners;
}

int main(int argc, char** argv) try {
  std::vector<Point> points;
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (argc > 1 && !file) return std::cerr << "convex_hull: " << argv[1] << " cannot be read\n", 2;
  for (double x, y; file >> x >> y;) points.emplace_back(x, y);
  const auto disc = tabulate(
      [](auto i) {
        auto radius = sqrt(cast<double>(i * 7919 % 1000003) / 1000003), angle = cast<double>(i) * 2.399963;
        return std::pair(radius * cos(angle), radius * sin(angle));
      },
      1000000);
  const auto s = argc > 1 ? Seq(points) : disc;
  if (s.size() == 0) return std::cerr << "convex_hull: no points\n", 2;
  force(s);
  const Timing timing;
  const auto corners = convex_hull(s);
  timing.report(static_cast<double>(s.size()), "points");
  std::cout << corners.size() << " corners\n";
  for (size_t k = 0; k < std::min<size_t>(corners.size(), 20); k++) std::cout << corners[k].first << " " << corners[k].second << "\n";
} catch (const Error& error) {
  std::cerr << "convex_hull: " << error.what() << "\n";
  return 2;
}
