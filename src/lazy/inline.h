// Copies a closure's function into the function of a node that reads further inputs.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lazy/node.h"

namespace wf {

// The elements at index `i` of the sequence in `slot`, one per column.
std::vector<Id> read(Builder& builder, uint32_t slot, std::span<const Type> types, Id i);

// Copies f into the builder; its captured slot k becomes slot k + by. Returns f's results.
std::vector<Id> inline_closure(Builder& builder, const Fn& f, std::span<const Id> args, uint32_t by);

// The function i -> f(all columns of inputs 0, 1, ... at i); f's captures follow those inputs.
FnRef pointwise(const FnRef& f, std::span<const NodeRef> inputs);

// The result of `make`, or its recent result in this thread for the same key and kept function. Programs build the same nodes again and
// again; if equal functions are one object, the planner finds its earlier plan. `kept` (may be null) is a part of the key.
FnRef remembered(std::span<const uint64_t> key, const FnRef& kept, const std::function<FnRef()>& make);

}  // namespace wf
