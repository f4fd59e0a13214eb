// Long chains of maps, which are computed stretch by stretch.
//
// The planner cuts a chain if a kernel would have too many terms. A long chain is cut in the same way before it is planned: each stretch has
// its own plan, and its nodes are released once its end is computed. So no plan has more than one stretch, and equal stretches
// share one plan.
#pragma once

#include <vector>

#include "lazy/node.h"

namespace wf {

// The ends of the stretches below `demanded`, the last one first. They are forced before it, in reverse order. Empty if one kernel can
// compute the chain.
std::vector<NodeRef> stretch_ends(const NodeRef& demanded);

}  // namespace wf
