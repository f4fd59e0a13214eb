// k_means: 4 rounds of Lloyd's algorithm on n points of 8 dimensions and 16 clusters. Bytes: the points, once a round.

#include <cmath>
#include <memory>
#include <utility>

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

constexpr int rounds = 4;

template <size_t... d> Centres moved(const std::array<Seq<float>, dimensions>& points, const Centres& centres, std::index_sequence<d...>) {
  const Context context = points[0].context();
  std::array<Seq<float>, dimensions> at;
  for (int k = 0; k < dimensions; k++) {
    std::vector<float> column;
    for (const Centre& centre : centres) column.push_back(float(centre[k]));
    at[k] = Seq<float>(column, context);
  }
  auto nearest = [&](auto... x) {
    auto candidate = [&](auto c) { return std::pair((((x - at[d][c]) * (x - at[d][c])) + ...), c); };
    auto nearer = [](auto a, auto b) { return std::pair(warpfold::min(a.first, b.first), where(b.first < a.first, b.second, a.second)); };
    auto [distance, number] = warpfold::reduce(nearer, {INFINITY, 0}, tabulate(candidate, clusters));
    return number;
  };
  const Seq<int64_t> cluster = map(nearest, points[d]...).force();
  const auto [keys, members] = collect(zip(cluster, iota(cluster.size(), context)));
  auto sum_of = [&, &segments = members](const Seq<float>& column) {
    const auto values = map([&](auto i) { return cast<double>(column[i]); }, segments.values());
    return warpfold::reduce(plus, 0.0, Segments<double>(values, segments.offsets()));
  };
  const std::array sums{sum_of(points[d])...};
  const auto lengths = members.lengths();
  force(lengths, sums[d]...);
  const std::vector<int64_t> present = keys.to_vector(), counts = lengths.to_vector();
  Totals totals;
  for (size_t k = 0; k < present.size(); k++) totals.counts[size_t(present[k])] = counts[k];
  for (size_t column = 0; column < dimensions; column++) {
    const std::vector<double> all = sums[column].to_vector();
    for (size_t k = 0; k < present.size(); k++) totals.sums[size_t(present[k])][column] = all[k];
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
  std::array<Seq<float>, dimensions> points;
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
        for (int round = 0; round < rounds; round++) found = moved(points, found, std::make_index_sequence<dimensions>());
      },
      check);
  race.enter(
      "threads", [&] { found = start, threads::k_means(columns, found, rounds); }, check);
  race.enter(
      "std::par transform_reduce", [&] { found = start, standard::k_means(columns, found, rounds); }, check);
  race.finish();
}

}  // namespace bench
