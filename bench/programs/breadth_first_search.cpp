// breadth_first_search: the steps from one vertex to each of n, with 16 random edges from each. Bytes: the edges, once.

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

// A round looks at all edges that leave the frontier at once.
Seq<int32_t> search_from(const Seq<int64_t>& starts, const Seq<int32_t>& targets, int32_t source, const Context& context) {
  auto distance = update(fill(int32_t{-1}, starts.size() - 1, context), source, int32_t{0});
  Seq<int32_t> frontier = singleton(source, context);
  for (int32_t step = 1; frontier.size() > 0; step++) {
    const auto degrees = map([&](auto u) { return starts[u + 1] - starts[u]; }, frontier);
    const auto edges = Segments<int64_t>::of_lengths(iota(sum(degrees).get(), context), degrees);
    const auto reached = map([&](auto edge, auto which) { return targets[starts[frontier[which]] + edge - edges.offsets()[which]]; },
                             edges.values(), segment_ids(edges));
    const auto found = warpfold::filter([&](auto v) { return distance[v] < 0; }, reached);
    distance = scatter(warpfold::max, distance, found, map([=](auto) { return step; }, found));
    frontier = map([](auto v) { return cast<int32_t>(v); }, pack_index([=](auto d) { return d == step; }, distance));
    force(distance, frontier);
  }
  return distance;
}

}  // namespace

void breadth_first_search(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  constexpr int64_t degree = 16;
  const Array<int64_t> starts(n + 1, [](int64_t u) { return degree * u; });
  const Array<int32_t> targets(degree * n, [n](int64_t e) { return int32_t(random_bits(uint64_t(e)) % uint64_t(n)); });
  const Graph graph{starts.view(), targets.view()};
  const Seq<int64_t> s(starts.view(), context);
  const Seq<int32_t> t(targets.view(), context);
  const std::vector<int32_t> expected = threads::distances(graph, 0);
  Seq<int32_t> found;
  std::vector<int32_t> other;
  Race race(bench, {"breadth_first_search", "i32", n, 4 * degree * n});
  race.enter_warpfold([&] { found = search_from(s, t, 0, context); }, [&] { return std::ranges::equal(found.span(), expected); });
  race.enter(
      "threads: atomics", [&] { other = threads::distances(graph, 0); }, [&] { return other == expected; });
  race.enter(
      "std::par, atomics", [&] { other = standard::distances(graph, 0); }, [&] { return other == expected; });
  race.finish();
}

}  // namespace bench
