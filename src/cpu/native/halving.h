// Several steps of a tree reduction (cpu/reductions/reduce.h) in vector registers: neighbours are combined, then neighbours of the results, and so on.
#pragma once

#include "cpu/native/group.h"

namespace wf::cpu::native {

constexpr int halvings = 3;  // steps of one call

// Returns true if the program, a function of 2m parameters with m results, can be combined natively.
bool covers_halving(const BlockProgram::Impl& combine, Isa isa);

// Adds a function that reads `count` elements of m columns, locations 0 to m - 1 of Memory, and writes count >> halvings elements to locations m
// to 2m - 1. `count` is a multiple of halving_unit(isa).
void add_halving(ModuleText& module, const std::string& name, const BlockProgram::Impl& combine, std::span<const Type> types);
int64_t halving_unit(Isa isa);

}  // namespace wf::cpu::native
