// breadth_first_search FILE SOURCE: how many vertices of a graph are 0, 1, 2, ... steps from a vertex. FILE has a line "U V" for each edge
// from U to V. A round looks at all edges that leave the frontier at once.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

struct Graph {
  int64_t vertices;
  Seq<int64_t> starts;  // of the edges of each vertex, and the number of edges at the end
  Seq<int64_t> targets;
};

static Graph read_graph(const char* name) {
  std::ifstream file(name);
  if (!file) throw ArgumentError(std::string(name) + " cannot be read");
  std::vector<std::pair<int64_t, int64_t>> edges;
  int64_t vertices = 0;
  for (int64_t u, v; file >> u >> v;) {
    if (u < 0 || v < 0) throw ArgumentError("a vertex has a negative number");
    edges.emplace_back(u, v);
    vertices = std::max(vertices, std::max(u, v) + 1);
  }
  const auto [from, to] = unzip(sort(Seq(edges)));
  const auto segments = Segments<int64_t>::of_lengths(to, histogram(from, vertices));
  force(segments.offsets(), to);
  return {vertices, segments.offsets(), to};
}

// The steps from the source to each vertex; -1 if there is no way.
static Seq<int64_t> distances(const Graph& graph, int64_t source) {
  auto distance = update(fill(int64_t{-1}, graph.vertices), source, int64_t{0});
  Seq<int64_t> frontier{source};
  for (int64_t step = 1; frontier.size() > 0; step++) {
    const auto degrees = map([&](auto u) { return graph.starts[u + 1] - graph.starts[u]; }, frontier);
    const auto edges = Segments<int64_t>::of_lengths(iota(sum(degrees).get()), degrees);
    const auto reached =
        map([&](auto edge, auto which) { return graph.targets[graph.starts[frontier[which]] + edge - edges.offsets()[which]]; },
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
  const int64_t source = std::atoll(argv[2]);
  if (source < 0 || source >= graph.vertices) return std::cerr << "breadth_first_search: the graph has no vertex " << source << "\n", 2;
  const Timing timing;
  const auto distance = distances(graph, source);
  const auto reached = filter([](auto d) { return d >= 0; }, distance);
  const auto counts = histogram(reached, max(reached).get() + 1);
  force(counts);
  timing.report(static_cast<double>(graph.targets.size()), "edges");
  std::cout << counts << "\n";
} catch (const Error& error) {
  std::cerr << "breadth_first_search: " << error.what() << "\n";
  return 2;
}
