// The programs written with std::par, and by loops on threads. Vectors are made outside of the timed part if the program keeps them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace bench {

// Words of small letters, separated by other characters.
struct WordCounts {
  int64_t words, distinct, most;  // most: the count of the most frequent word
  bool operator==(const WordCounts&) const = default;
};

// The edges of vertex u are targets[starts[u]], ..., targets[starts[u + 1] - 1].
struct Graph {
  std::span<const int64_t> starts;
  std::span<const int32_t> targets;
  int64_t vertices() const { return int64_t(starts.size()) - 1; }
};

struct Point {
  double x, y;
  bool operator==(const Point&) const = default;
};
// Twice the area of the triangle a b p: positive if p is to the left of the line from a to b.
inline double area(Point a, Point b, Point p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); }
inline bool is_left_of(Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

constexpr int dimensions = 8, clusters = 16, k_means_rounds = 4;
using Columns = std::array<std::span<const float>, dimensions>;
using Centre = std::array<double, dimensions>;
using Centres = std::array<Centre, clusters>;
struct ClusterInput {
  Columns points;
  Centres start;
};

inline bool is_letter(uint8_t c) { return c >= 'a' && c <= 'z'; }

// The number of the centre that is nearest to point i; of equally near ones, the first.
inline int nearest(const Columns& points, const std::array<std::array<float, dimensions>, clusters>& centres, size_t i) {
  int best = 0;
  float least = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int d = 0; d < dimensions; d++) distance += (points[d][i] - centres[c][d]) * (points[d][i] - centres[c][d]);
    if (c == 0 || distance < least) least = distance, best = c;
  }
  return best;
}

// The sums and the numbers of the points of each cluster.
struct Totals {
  std::array<Centre, clusters> sums = {};
  std::array<int64_t, clusters> counts = {};
  void add(const Totals& other) {
    for (int c = 0; c < clusters; c++) {
      counts[c] += other.counts[c];
      for (int d = 0; d < dimensions; d++) sums[c][d] += other.sums[c][d];
    }
  }
  void add(const Columns& points, int c, size_t i) {
    counts[c]++;
    for (int d = 0; d < dimensions; d++) sums[c][d] += points[d][i];
  }
};
inline std::array<std::array<float, dimensions>, clusters> rounded(const Centres& centres) {
  std::array<std::array<float, dimensions>, clusters> to;
  for (int c = 0; c < clusters; c++)
    for (int d = 0; d < dimensions; d++) to[c][d] = float(centres[c][d]);
  return to;
}
inline void set_means(Centres& centres, const Totals& totals) {
  for (int c = 0; c < clusters; c++)
    for (int d = 0; d < dimensions; d++)
      if (totals.counts[c] > 0) centres[c][d] = totals.sums[c][d] / double(totals.counts[c]);
}

namespace standard {
WordCounts count_words(std::span<const uint8_t> text);
std::vector<int32_t> primes(int64_t n);                              // below n
std::vector<int32_t> distances(const Graph& graph, int32_t source);  // -1: not reached
std::vector<Point> convex_hull(std::span<const Point> points);
void k_means(const Columns& points, Centres& centres, int rounds);
}  // namespace standard

namespace threads {
WordCounts count_words(std::span<const uint8_t> text);
std::vector<int32_t> primes(int64_t n);
std::vector<int32_t> distances(const Graph& graph, int32_t source);
std::vector<Point> convex_hull(std::span<const Point> points);
void k_means(const Columns& points, Centres& centres, int rounds);
}  // namespace threads

}  // namespace bench
