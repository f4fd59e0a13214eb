// The native form of a BlockProgram: its phases with groups of instructions replaced by calls of native functions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/native/group.h"
#include "cpu/native/module.h"
#include "cpu/program/columns.h"

namespace wf::cpu {

struct NativeFunction {
  native::Function function;
  std::vector<LocationId> stored = {};     // the locations that it writes
  native::Function past_caches = nullptr;  // the same with stores past the caches; null if there is none
};

struct NativeProgram {
  std::shared_ptr<const native::Code> code;
  std::vector<NativeFunction> functions;
  Phase phases[2];                                             // instructions of kind Native call functions[detail]
  native::Function halving = nullptr, halving_once = nullptr;  // of a combining function: several steps, and one. See native/halving.h
  std::optional<Phase> folding;                                // phase 0 with native::Epilogue
};

namespace native {

// Returns true if some of the program's instructions, or of those of its loops and folds, would be native.
bool gains(const BlockProgram& program);

// A program whose native form ends in folds.
struct Ending {
  std::shared_ptr<const BlockProgram> program;
  Epilogue epilogue;
};

// The use of memory by programs that no other program runs.
struct Traffic {
  bool reads_ahead = false;  // they read memory in order, each element once, and so prefetch it
  bool only_stores = false;  // their results are only stored: some functions have a form that stores past the caches
};

// Returns an estimate of the nanoseconds that compile() takes, from the number of instructions alone.
int64_t price(std::span<const std::shared_ptr<const BlockProgram>> programs, std::span<const Ending> endings);

// Compiles the programs, and those of their loops and folds, and publishes their native forms. Frames use them from their next
// bind_inputs on. Programs of `combines` are halved natively, too. Throws CompileError, also without LLVM.
void compile(std::span<const std::shared_ptr<const BlockProgram>> programs, std::span<const Combine* const> combines = {},
             std::span<const Ending> endings = {}, Traffic traffic = {});

}  // namespace native
}  // namespace wf::cpu
