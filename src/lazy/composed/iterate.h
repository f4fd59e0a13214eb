// iterate: a loop over the elements of a sequence, which are in memory, by one thread of one kernel.
#pragma once

#include "lazy/node.h"

namespace wf {

// f(... f(f(initial, s[0]), s[1]) ..., s[n - 1]). f: columns of the state, columns of s -> columns of the state. Rank 0.
NodeRef iterate(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s);

}  // namespace wf
