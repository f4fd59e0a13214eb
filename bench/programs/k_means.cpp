// k_means: 4 rounds of Lloyd's algorithm on n points of 8 dimensions and 16 clusters. Bytes: the points, once a round.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

constexpr int rounds = k_means_rounds;

using Points = std::array<Seq<float>, dimensions>;

// The number of the nearest centre to each point; of equally near ones, the first.
Seq<uint8_t> nearest_centres(const Points& points, const Centres& centres) {
  const auto nearest = [&](const auto&... coordinates) {
    const std::array x{coordinates...};
    Expr<float> least = INFINITY;
    Expr<uint8_t> best = uint8_t{0};
    for (uint8_t c = 0; c < clusters; c++) {
      Expr<float> distance = 0.0f;
      for (size_t d = 0; d < dimensions; d++) distance = distance + (x[d] - float(centres[c][d])) * (x[d] - float(centres[c][d]));
      best = where(distance < least, c, best);
      least = warpfold::min(least, distance);
    }
    return best;
  };
  return std::apply([&](const auto&... columns) { return map(nearest, columns...); }, points);
}

// f(0), f(1), ...: a value for each cluster.
template <class F> auto of_each_cluster(F f) {
  return [&]<size_t... k>(std::index_sequence<k...>) { return std::array{f(uint8_t(k))...}; }
  (std::make_index_sequence<clusters>());
}

// The sum of the column over the points of each cluster, in one pass: a point adds 0 to the sums of the other clusters.
auto sums_of(const Seq<float>& column, const Seq<uint8_t>& cluster) {
  const auto alone = [](const auto& c, const auto& x) {
    return of_each_cluster([&](uint8_t k) { return where(c == k, cast<double>(x), 0.0); });
  };
  const auto add = [](const auto& a, const auto& b) { return of_each_cluster([&](uint8_t k) { return a[k] + b[k]; }); };
  return warpfold::reduce(add, {}, map(alone, cluster, column));
}

// Sums are computed one dimension after another. A GPU computes those of one while the host plans the next.
Centres moved(const Points& points, const Centres& centres) {
  const auto cluster = nearest_centres(points, centres).force();
  const auto counts = histogram(cluster, clusters);
  std::vector<decltype(sums_of(points[0], cluster))> sums;
  for (const Seq<float>& column : points) {
    sums.push_back(sums_of(column, cluster));
    force(sums.back());
  }
  Totals totals;
  std::ranges::copy(counts.to_vector(), totals.counts.begin());
  for (size_t d = 0; d < dimensions; d++) {
    const auto of_clusters = sums[d].get();
    for (size_t c = 0; c < clusters; c++) totals.sums[c][d] = of_clusters[c];
  }
  Centres after = centres;
  set_means(after, totals);
  return after;
}

bool equal(const Centres& a, const Centres& b) {
  for (int c = 0; c < clusters; c++)
    for (int d = 0; d < dimensions; d++)
      if (!close(a[c][d], b[c][d], 1e-3)) return false;
  return true;
}

}  // namespace

void k_means(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  std::vector<std::unique_ptr<Array<float>>> arrays;
  Columns columns;
  Points points;
  for (int d = 0; d < dimensions; d++) {
    arrays.push_back(std::make_unique<Array<float>>(n, [d](int64_t i) {
      const float middle = float(random_bits(random_bits(uint64_t(i)) % clusters * dimensions + uint64_t(d)) % 100);
      return middle + random_float(uint64_t(i) * dimensions + uint64_t(d), -20, 20);
    }));
    columns[d] = arrays.back()->view();
    points[d] = Seq<float>(columns[d], context);
  }
  Centres start;
  for (int c = 0; c < clusters; c++)
    for (int d = 0; d < dimensions; d++) start[c][d] = columns[d][size_t(c * n / clusters)];
  Centres expected = start, found;
  threads::k_means(columns, expected, rounds);
  const auto check = [&] { return equal(found, expected); };
  Race race(bench, {"k_means", "f32 x 8", n, 4 * dimensions * n * rounds});
  race.enter_warpfold(
      [&] {
        found = start;
        for (int round = 0; round < rounds; round++) found = moved(points, found);
      },
      check);
  race.enter(
      "threads", [&] { found = start, threads::k_means(columns, found, rounds); }, check);
  race.enter(
      "std::par transform_reduce", [&] { found = start, standard::k_means(columns, found, rounds); }, check);
  const ClusterInput input{columns, start};
  race.enter_gpu_peers(&input, &found, [&](int64_t) { return check(); });
  race.finish();
}

}  // namespace bench
