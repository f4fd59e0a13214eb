// breadth_first_search FILE SOURCE: how many vertices of a graph are 0, 1, 2, ... steps from a vertex. FILE has a line "U V" for each edge
// from U to V. A round looks at all edges that leave the frontier at once.
#include <algorithm>
#include <charconv>
#include <iostream>

#include "../pairs.h"
#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr int64_t most_vertices = int64_t{1} << 40;

// The vertices to which edges lead from each vertex.
using Graph = Segments<int64_t>;

static Graph read_graph(const char* name) {
  const auto edges = read_pairs<int64_t>(name, 0, most_vertices - 1);
  int64_t vertices = 0;
  for (const auto& [u, v] : edges) vertices = std::max({vertices, u + 1, v + 1});
  const auto [from, to] = unzip(sort(Seq(edges)));
  Graph graph = Graph::of_lengths(to, histogram(from, vertices));
  force(graph.values(), graph.offsets());
  return graph;
}

// The steps from the source to each vertex; -1 if there is no way.
static Seq<int64_t> distances(const Graph& graph, int64_t source) {
  const auto targets = graph.values(), starts = graph.offsets();
  auto distance = update(fill(int64_t{-1}, graph.size()), source, int64_t{0});
  Seq<int64_t> frontier{source};
  for (int64_t step = 1; frontier.size() > 0; step++) {
    const auto degrees = map([&](auto u) { return starts[u + 1] - starts[u]; }, frontier);
    const auto edges = Segments<int64_t>::of_lengths(iota(sum(degrees).get()), degrees);
    const auto reached = map([&](auto edge, auto which) { return targets[starts[frontier[which]] + edge - edges.offsets()[which]]; },
                             edges.values(), segment_ids(edges));
    const auto found = filter([&](auto v) { return distance[v] < 0; }, reached);
    frontier = unique(sort(found));
    distance = scatter(distance, frontier, fill(step, frontier.size()));
    force(distance);
  }
  return distance;
}

int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: breadth_first_search FILE SOURCE\n", 2;
  const Graph graph = read_graph(argv[1]);
  const std::string vertex = argv[2];
  int64_t source = -1;
  const auto end = std::from_chars(vertex.data(), vertex.data() + vertex.size(), source).ptr;
  if (end != vertex.data() + vertex.size() || source < 0 || source >= graph.size())
    throw ArgumentError("SOURCE is " + vertex + ", and the graph has " + std::to_string(graph.size()) +
                        " vertices; expected a vertex, which is a number from 0 on and below that");
  const Timing timing;
  const auto distance = distances(graph, source);
  const auto reached = filter([](auto d) { return d >= 0; }, distance);
  const auto counts = histogram(reached, max(reached).get() + 1);
  force(counts);
  timing.report(static_cast<double>(graph.values().size()), "edges");
  std::cout << counts << "\n";
} catch (const Error& error) {
  std::cerr << "breadth_first_search: " << error.what() << "\n";
  return 2;
}
