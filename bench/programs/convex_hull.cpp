// convex_hull: the corners of the convex hull of n points in a disc, by quickhull. Bytes: the points, once.

#include <cmath>

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;
using Pair = std::pair<double, double>;

template <class P> auto height(Point a, Point b, const P& p) {
  return (b.x - a.x) * (std::get<1>(p) - a.y) - (b.y - a.y) * (std::get<0>(p) - a.x);
}

Seq<Pair> points_left_of(const Seq<Pair>& s, Point a, Point b) {
  return warpfold::filter([=](auto x, auto y) { return height(a, b, std::pair(x, y)) > 0; }, s);
}

// Two passes: the farthest point from a line, then the points beyond the two new lines.
void add_corners(const Seq<Pair>& s, Point a, Point b, std::vector<Point>& corners) {
  if (s.size() == 0) return corners.push_back(b);
  auto heights = map([=](auto x, auto y) { return std::tuple(height(b, a, std::pair(x, y)), x, y); }, s);
  auto higher = [](auto p, auto q) {
    auto takes_q = std::get<0>(q) > std::get<0>(p);
    return std::tuple(warpfold::max(std::get<0>(p), std::get<0>(q)), where(takes_q, std::get<1>(q), std::get<1>(p)),
                      where(takes_q, std::get<2>(q), std::get<2>(p)));
  };
  const auto [h, x, y] = warpfold::reduce(higher, {-1, 0, 0}, heights).get();
  const Point far{x, y};
  const auto first = points_left_of(s, far, a), second = points_left_of(s, b, far);
  force(first, second);
  add_corners(first, a, far, corners);
  add_corners(second, far, b, corners);
}

std::vector<Point> hull(const Seq<Pair>& s) {
  auto lesser = [](auto p, auto q) {
    auto takes_q = q.first < p.first || (q.first == p.first && q.second < p.second);
    return std::pair(where(takes_q, q.first, p.first), where(takes_q, q.second, p.second));
  };
  auto opposite = map([](auto x, auto y) { return std::pair(-x, -y); }, s);
  const auto least = warpfold::reduce(lesser, {INFINITY, INFINITY}, s), most = warpfold::reduce(lesser, {INFINITY, INFINITY}, opposite);
  force(least, most);
  const Point left{least.get().first, least.get().second}, right{-most.get().first, -most.get().second};
  std::vector<Point> corners;
  add_corners(points_left_of(s, right, left), left, right, corners);
  if (left != right) add_corners(points_left_of(s, left, right), right, left, corners);
  return corners;
}

}  // namespace

void convex_hull(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  const Array<Point> points(n, [](int64_t i) {
    const double radius = std::sqrt(double(random_bits(uint64_t(i)) >> 11) * 0x1p-53), angle = double(i) * 2.399963;
    return Point{radius * std::cos(angle), radius * std::sin(angle)};
  });
  const Array<double> x(n, [&](int64_t i) { return points[i].x; }), y(n, [&](int64_t i) { return points[i].y; });
  const Seq<Pair> s = zip(Seq<double>(x.view(), context), Seq<double>(y.view(), context));
  const std::vector<Point> expected = threads::convex_hull(points.view());
  std::vector<Point> found;
  const auto check = [&] { return found == expected; };
  Race race(bench, {"convex_hull", "f64, f64", n, 16 * n});
  race.enter_warpfold([&] { found = hull(s); }, check);
  race.enter(
      "threads", [&] { found = threads::convex_hull(points.view()); }, check);
  race.enter(
      "std::par max_element, copy_if", [&] { found = standard::convex_hull(points.view()); }, check);
  std::vector<Point> corners(expected.size());
  race.enter_gpu_peers(points.data(), corners.data(),
                       [&](int64_t count) { return size_t(count) == corners.size() && corners == expected; });
  race.finish();
}

}  // namespace bench
