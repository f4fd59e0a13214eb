// iterate and its prefixes: loops over the elements of a sequence, which are in memory.
#pragma once

#include "lazy/node.h"

namespace wf {

// f(... f(f(initial, s[0]), s[1]) ..., s[n - 1]). f: columns of the state, columns of s -> columns of the state. Rank 0.
NodeRef iterate(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s);
// n + 1 states: initial, f(initial, s[0]), f(f(initial, s[0]), s[1]), ... s has a known length n.
NodeRef iterate_prefixes(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s);

}  // namespace wf
