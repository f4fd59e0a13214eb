// iterate: a function from state to state, applied to the elements of a sequence one after another.
#pragma once

#include "lazy/node.h"

namespace wf {

// f(... f(f(initial, s[0]), s[1]) ..., s[n - 1]). f: columns of the state, columns of s -> columns of the state. Rank 0; a loop of one
// thread over s in memory.
NodeRef iterate(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s);

// initial, f(initial, s[0]), f(f(initial, s[0]), s[1]), ...: n + 1 states, by the routine Iterate. f captures nothing.
NodeRef iterated_states(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s);

}  // namespace wf
