// Quickhull by std::par and by loops on threads. Compiled without contraction: the sign of an area decides, and must be 0 for the line's ends.
#include <algorithm>
#include <execution>

#include <tbb/parallel_invoke.h>

#include "peers.h"

namespace bench {

namespace standard {

constexpr auto par = std::execution::par;

namespace {

std::vector<Point> left_of(std::span<const Point> s, Point a, Point b) {
  std::vector<Point> kept(s.size());
  kept.erase(std::copy_if(par, s.begin(), s.end(), kept.begin(), [=](Point p) { return area(a, b, p) > 0; }), kept.end());
  return kept;
}

// Adds the corners from a, exclusive, to b, inclusive, of points to the right of the line from a to b.
void add_corners(const std::vector<Point>& s, Point a, Point b, std::vector<Point>& corners) {
  if (s.empty()) return corners.push_back(b);
  const Point far = *std::max_element(par, s.begin(), s.end(), [=](Point p, Point q) { return area(b, a, p) < area(b, a, q); });
  add_corners(left_of(s, far, a), a, far, corners);
  add_corners(left_of(s, b, far), far, b, corners);
}

}  // namespace

std::vector<Point> convex_hull(std::span<const Point> points) {
  const auto [least, most] = std::minmax_element(par, points.begin(), points.end(), is_left_of);
  std::vector<Point> corners;
  add_corners(left_of(points, *most, *least), *least, *most, corners);
  if (*least != *most) add_corners(left_of(points, *least, *most), *most, *least, corners);
  return corners;
}

}  // namespace standard

namespace threads {

namespace {

using Points = std::vector<Point>;

Points left_of(std::span<const Point> s, Point a, Point b) {
  Points kept;
  for (Point p : s)
    if (area(a, b, p) > 0) kept.push_back(p);
  return kept;
}

// The corners from a, exclusive, to b, inclusive, of points to the right of the line from a to b.
Points corners_between(const Points& s, Point a, Point b) {
  if (s.empty()) return {b};
  const Point far = *std::ranges::max_element(s, [=](Point p, Point q) { return area(b, a, p) < area(b, a, q); });
  Points first, second;
  tbb::parallel_invoke([&] { first = corners_between(left_of(s, far, a), a, far); },
                       [&] { second = corners_between(left_of(s, b, far), far, b); });
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Points convex_hull(std::span<const Point> points) {
  const auto [least, most] = std::ranges::minmax_element(points, is_left_of);
  const Point left = *least, right = *most;
  Points first, second;
  tbb::parallel_invoke([&] { first = corners_between(left_of(points, right, left), left, right); },
                       [&] {
                         if (left != right) second = corners_between(left_of(points, left, right), right, left);
                       });
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace threads

}  // namespace bench
