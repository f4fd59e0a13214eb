// breadth_first_search: the steps from one vertex to each of n, with 16 random edges from each. Bytes: the edges, once.

#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

// A round marks the targets of all edges that leave the frontier. Marked vertices that were not reached before are the next frontier. Marks stay:
// those of earlier rounds are of vertices that were reached.
Seq<int32_t> search_from(const Seq<int64_t>& starts, const Seq<int32_t>& targets, int32_t source, const Context& context) {
  const int64_t vertices = starts.size() - 1;
  auto distance = update(fill(int32_t{-1}, vertices, context), source, int32_t{0});
  auto marked = fill(false, vertices, context);
  Seq<int32_t> frontier = singleton(source, context);
  for (int32_t step = 1; frontier.size() > 0; step++) {
    // The edges of the round: those of vertex `which` of the frontier begin at offset[which], and edge k is edge k + origin[which] of the graph.
    const auto [offset, all] = scan(plus, 0, map([&](auto u) { return starts[u + 1] - starts[u]; }, frontier));
    const auto origin = map([&](auto u, auto at) { return starts[u] - at; }, frontier, offset);
    force(offset, all, origin);
    const Segments<int64_t> edges(iota(all.get(), context), append(offset, singleton(all.get(), context)));
    const auto reached =
        map([&, first = origin](auto k, auto which) { return targets[k + first[which]]; }, edges.values(), segment_ids(edges));
    marked = scatter(logical_or, marked, reached, fill(true, reached.size(), context));
    const auto found = map([](auto mark, auto d) { return mark && d < 0; }, marked, distance);
    distance = map([=](auto is_found, auto d) { return where(is_found, step, d); }, found, distance);
    frontier = map([](auto v) { return cast<int32_t>(v); }, pack_index([](auto is_found) { return is_found; }, found));
    force(marked, distance, frontier);
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
  std::vector<int32_t> other(expected.size());
  Race race(bench, {"breadth_first_search", "i32", n, 4 * degree * n});
  race.enter_warpfold([&] { found = search_from(s, t, 0, context); }, [&] { return std::ranges::equal(found.span(), expected); });
  race.enter(
      "threads: blocks of vertices", [&] { other = threads::distances(graph, 0); }, [&] { return other == expected; });
  race.enter(
      "std::par for_each, copy_if", [&] { other = standard::distances(graph, 0); }, [&] { return other == expected; });
  race.enter_gpu_peers(&graph, other.data(), [&](int64_t) { return other == expected; });
  race.finish();
}

}  // namespace bench
