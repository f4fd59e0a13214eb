// A kernel as instructions for skeletons/interpreter.cuh: a kernel with a new structure runs without being compiled.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/signature.h"
#include "cuda/skeletons/bytecode.h"
#include "cuda/text/literals.h"

namespace wf::cuda {

struct Bytecode {
  std::vector<interpreter::Instruction> instructions;
  interpreter::Arguments arguments{};  // without addresses, n and words
  Signature signature;                 // its arguments are the words
  uint32_t registers = 0;              // per thread
  double work = 0;                     // instructions per element; a loop of an unknown number of iterations counts as a hundred
  bool is_wide() const { return arguments.sums > 1 || arguments.locals > 1; }
};

// Returns nullopt if the kernel calls source functions, or has more columns, words or registers than the interpreter supports.
// With `folds`, folds use the hardware's float minimum and maximum, as a compiled kernel over many elements does.
// Cost: linear in the kernel's terms.
std::optional<Bytecode> assemble(const Kernel& kernel, const Literals& literals, bool folds);

}  // namespace wf::cuda
