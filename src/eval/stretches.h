// Long chains of maps, which are computed a stretch at a time.
//
// The planner cuts a chain where a kernel would hold too many terms. A long chain is cut so before it is planned: each stretch has a
// plan of its own, and releases its nodes once its end is computed. So no plan holds more than one stretch, and equal stretches
// share one plan.
#pragma once

#include <vector>

#include "lazy/node.h"

namespace wf {

// The ends of the stretches below `demanded`, the last one first: to be forced in reverse order, before it. None if one kernel
// can hold the chain.
std::vector<NodeRef> stretch_ends(const NodeRef& demanded);

}  // namespace wf
