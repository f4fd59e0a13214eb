// A kernel as the instructions of skeletons/interpreter.cuh: a structure that was never seen before runs without being compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/skeletons/bytecode.h"
#include "cuda/text/emit.h"
#include "cuda/text/literals.h"

namespace wf::cuda {

struct Bytecode {
  std::vector<interpreter::Instruction> instructions;
  interpreter::Arguments arguments{};  // without addresses, n and words
  Emitted emitted;                     // its arguments are the words
  std::vector<Bits64> constants;       // of words of kind Constant
  uint32_t registers = 0;              // of a thread
  double work = 0;                     // instructions for an element; a loop is taken to run a hundred times
  bool is_wide() const { return arguments.sums > 1 || arguments.locals > 1; }
};

// Nothing where the kernel calls source functions or has more columns, words or registers than the interpreter takes.
// With `folds` the minima and maxima of floats in folds are the hardware's, as in a compiled kernel of many elements. Cost: linear in the
// kernel's terms.
std::optional<Bytecode> assemble(const Kernel& kernel, const Literals& literals, bool folds);

}  // namespace wf::cuda
