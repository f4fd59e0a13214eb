// Graphs that are too large for one plan, which are computed stretch by stretch.
//
// The planner cuts a graph if a kernel would have too many terms. A long graph is cut in the same way before it is planned: each stretch has
// its own plan, and its nodes are released once its ends are computed. So no plan has more than one stretch, and equal stretches
// share one plan.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace wf {

// The ends of the stretches of a chain of maps below `demanded`, the last one first. They are forced before it, in reverse order. Empty if one
// kernel can compute the chain. Needs no memory for the nodes between the ends.
std::vector<NodeRef> stretch_ends(const NodeRef& demanded);

// Returns true if one plan computes the graph: then it has no stretches, and neither has a chain in it.
bool is_one_stretch(const Graph& graph);

// The stretches of any other graph, as of a recurrence of two terms: the delayed nodes at the end of each, which are forced together and in
// order, before the graph. Empty if the graph is small, or has no places at which few nodes suffice. O(vertices and edges).
std::vector<std::vector<NodeRef>> stretches(const Graph& graph);

// visit(graph, is_last): the graphs of the stretches below the nodes, in order, each made after the visit of the one before it, and the last
// one, of the nodes themselves.
template <class Visit> void for_each_graph(std::span<const NodeRef> nodes, const PlanOptions& options, const Visit& visit) {
  Graph graph;
  if (make_small_graph(graph, nodes, options) && is_one_stretch(graph)) return visit(std::move(graph), true);
  const auto visit_parts = [&](std::span<const NodeRef> demanded, bool is_last) {
    graph = make_graph(demanded, options);
    std::vector<std::vector<NodeRef>> parts = stretches(graph);
    if (!parts.empty()) graph = {};
    for (std::vector<NodeRef>& part : parts) {
      visit(make_graph(part, options), false);
      part.clear();
    }
    if (!parts.empty()) graph = make_graph(demanded, options);
    visit(std::move(graph), is_last);
    graph = {};
  };
  graph = {};
  if (nodes.size() == 1)
    for (std::vector<NodeRef> ends = stretch_ends(nodes[0]); !ends.empty(); ends.pop_back()) visit_parts({&ends.back(), 1}, false);
  visit_parts(nodes, true);
}

}  // namespace wf
