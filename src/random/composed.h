// Distributions that are made from several nodes.
#pragma once

#include <span>
#include <string_view>

#include "lazy/node.h"

namespace wf::random {

// The draws, or none if no distribution of that name is made from several nodes. Arguments are as for `draw`.
NodeRef composed(std::string_view distribution, const NodeRef& key, std::span<const NodeRef> parameters, int64_t n, Type type);

}  // namespace wf::random
