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

}  // namespace wf
