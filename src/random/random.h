// Random numbers without state: element i is a function of a key and i alone, so it is the same on every engine, in any order, whole or in
// parts. The nodes are pull arrays, which fuse with their readers.
#pragma once

#include <span>
#include <string_view>

#include "lazy/node.h"

namespace wf::random {

// A key with these bits: a u64 of rank 0.
NodeRef key(std::shared_ptr<NodeContext> context, uint64_t seed);
// The key number i of those that `key` splits into. It is computed at once if `key` was made by these two functions.
NodeRef split(const NodeRef& key, int64_t i);

constexpr int64_t as_scalar = -1;

// n independent draws from a distribution of distributions.def; one draw of rank 0 for n = as_scalar. `key` and parameters have rank 0 or n
// elements. If there is one key per element, element i is the first draw of key i.
NodeRef draw(std::string_view distribution, const NodeRef& key, std::span<const NodeRef> parameters, int64_t n, Type type);

// The logarithm of the density of each element of x, or of its probability, and the probability of numbers up to it. f32 if x is, else f64.
// Parameters have rank 0 or x's length.
NodeRef log_density(std::string_view distribution, const NodeRef& x, std::span<const NodeRef> parameters);
NodeRef distribution_function(std::string_view distribution, const NodeRef& x, std::span<const NodeRef> parameters);

}  // namespace wf::random
