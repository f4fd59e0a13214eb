// Several steps of a tree reduction (cpu/reductions/reduce.h) in vector registers: neighbours are combined, then neighbours of the results, and so on.
#pragma once

#include "cpu/native/group.h"

namespace wf::cpu::native {

constexpr int halvings = 3;  // steps of one call

// Returns true if the program, a function of 2m parameters with m results, can be combined natively.
bool covers_halving(const BlockProgram::Impl& combine, Isa isa);

// The columns of a tree reduction, and those among them whose values are never NaNs, which native code does not test for them.
struct Halved {
  const BlockProgram::Impl& combine;
  std::span<const Type> types;
  std::vector<bool> numbers = {};  // empty: none
};

// Adds a function that reads `count` elements of m columns, locations 0 to m - 1 of Memory, and writes count >> steps elements to locations m
// to 2m - 1. `count` is a multiple of halving_unit(isa, steps).
void add_halving(ModuleText& module, const std::string& name, const Halved& halved, int steps);
int64_t halving_unit(Isa isa, int steps = halvings);

// Adds a function that computes the group and combines its results `values`, the m columns of an element: column k of the count >> halvings
// results is written to lanes[k] of Memory. `count` is a multiple of halving_unit(isa). Notes in `halved` which columns are numbers.
void add_halving(ModuleText& module, const std::string& name, const BlockProgram::Impl& program, const Group& group,
                 std::span<const uint32_t> values, Halved& halved);

}  // namespace wf::cpu::native
