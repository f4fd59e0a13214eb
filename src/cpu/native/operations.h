// The vector form of each operation that native code includes, with the bits of its meaning in ops.def.
#pragma once

#include <span>

#include "cpu/loops/isa.h"
#include "cpu/native/lanes.h"
#include "cpu/program/instruction.h"

namespace wf::cpu::native {

int bytes_of_vector(Isa isa);

// Returns true if the operation has a vector form. Mathematical functions, remainders of floats and random numbers have none: most of their time
// is not spent on loads and stores.
bool covers(const Operation& operation, Isa isa);

// The result of a covered operation.
Value write_operation(Lanes& lanes, const Operation& operation, std::span<const Value> operands);
Value write_application(Lanes& lanes, Op op, Type type, std::span<const Value> operands);
Value write_conversion(Lanes& lanes, Type from, Type to, const Value& x);

}  // namespace wf::cpu::native
