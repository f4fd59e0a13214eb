// Merges by a comparison, as native code: several merges in turns, so that the latency of one comparison hides behind those of the others.
#pragma once

#include "cpu/native/group.h"

namespace wf::cpu::native {

constexpr int merges_at_once = 4;

// A merge in progress. Elements are numbered in their columns; neither run is empty at the beginning.
struct MergeLane {
  int64_t a, b;  // the next elements
  int64_t a_end, b_end;
  int64_t out, out_end;
};

// Returns true if the program, a function of the columns of two elements to a bool, can be compiled natively.
bool covers_merging(const BlockProgram::Impl& less, Isa isa);

// Compiles less(x, y) and publishes it as the program's native form. Throws CompileError, also without LLVM.
void compile_merging(const BlockProgram& less, std::span<const Type> types);

class Merger {
 public:
  // The columns of the runs a and b and of the output. The program has a native form.
  Merger(const BlockProgram& less, std::span<const std::byte* const> a, std::span<const std::byte* const> b,
         std::span<std::byte* const> to);
  // Takes `steps` elements in each of the merges, of which there are 1 or merges_at_once.
  void run(std::span<MergeLane> merges, int64_t steps);

 private:
  Function one_, several_;
  std::vector<Operand> operands_;
};

}  // namespace wf::cpu::native
