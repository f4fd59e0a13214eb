// The native form of a BlockProgram: its phases with groups of instructions replaced by calls of native functions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/native/group.h"
#include "cpu/native/module.h"

namespace wf::cpu {

struct NativeProgram {
  std::shared_ptr<const native::Code> code;
  std::vector<native::Function> functions;
  Phase phases[2];  // instructions of kind Native call functions[detail]
};

namespace native {

// Returns true if some of the program's instructions, or of those of its loops and folds, would be native.
bool gains(const BlockProgram& program);

// Compiles the programs, and those of their loops and folds, and publishes their native forms. Frames use them from their next
// bind_inputs on. Throws CompileError, also without LLVM.
void compile(std::span<const std::shared_ptr<const BlockProgram>> programs);

}  // namespace native
}  // namespace wf::cpu
