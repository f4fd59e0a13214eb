// Distributions that are made from several nodes.
#pragma once

#include <span>
#include <string_view>

#include "lazy/node.h"
#include "random/distributions.h"

namespace wf::random {

// The draws, or none if no distribution of that name is made from several nodes. Arguments are as for `draw`.
NodeRef composed(std::string_view distribution, const NodeRef& key, std::span<const NodeRef> parameters, int64_t n, Type type);
// The log density or distribution function of x, or none, likewise.
NodeRef composed(std::string_view distribution, Asked asked, const NodeRef& x, std::span<const NodeRef> parameters);

inline constexpr const char* composed_names = ", permutation, categorical, dirichlet";

}  // namespace wf::random
