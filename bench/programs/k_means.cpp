// k_means: 4 rounds of Lloyd's algorithm on n points of 8 dimensions and 16 clusters. Bytes: the points, once a round.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

constexpr int rounds = k_means_rounds;

using Position = std::array<float, dimensions>;

// The number of the nearest centre to each point; of equally near ones, the first.
Seq<uint8_t> nearest_centres(const Seq<Position>& points, const Centres& centres) {
  const auto nearest = [&](const auto& x) {
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
  return map(nearest, points);
}

Centres moved(const Seq<Position>& points, const Centres& centres) {
  const auto add = [](auto a, const auto& b) {
    for (size_t d = 0; d < dimensions; d++) a[d] = a[d] + b[d];
    return a;
  };
  const auto cluster = nearest_centres(points, centres);
  const auto counts = histogram(cluster, clusters);
  const auto sums = scatter(add, fill(Position{}, clusters, points.context()), cluster, points);
  force(counts, sums);
  Totals totals;
  std::ranges::copy(counts.to_vector(), totals.counts.begin());
  for (size_t c = 0; const Position& sum : sums.to_vector()) std::ranges::copy(sum, totals.sums[c++].begin());
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
  std::array<Seq<float>, dimensions> coordinates;
  for (int d = 0; d < dimensions; d++) {
    arrays.push_back(std::make_unique<Array<float>>(n, [d](int64_t i) {
      const float middle = float(random_bits(random_bits(uint64_t(i)) % clusters * dimensions + uint64_t(d)) % 100);
      return middle + random_float(uint64_t(i) * dimensions + uint64_t(d), -20, 20);
    }));
    columns[d] = arrays.back()->view();
    coordinates[d] = Seq<float>(columns[d], context);
  }
  const Seq<Position> points = zip(coordinates);
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
