// A closure's function, copied into the function of a node that reads more inputs than the closure captures.
#pragma once

#include <span>
#include <vector>

#include "lazy/node.h"

namespace wf {

// The elements at index `i` of the sequence in `slot`, one a column.
std::vector<Id> read(Builder& builder, uint32_t slot, std::span<const Type> types, Id i);

// Copies f into the builder; its captured slot k becomes slot k + by. Returns f's results.
std::vector<Id> inline_closure(Builder& builder, const Fn& f, std::span<const Id> args, uint32_t by);

// The function i -> f(all columns of inputs 0, 1, ... at i); f's captures come behind those inputs.
FnRef pointwise(const Fn& f, std::span<const NodeRef> inputs);

}  // namespace wf
