// Machine code from the text of an LLVM module.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/loops/isa.h"

namespace wf::cpu::native {

struct LlvmJit;

// Loaded code. Its functions exist as long as this object.
class Code {
 public:
  explicit Code(LlvmJit* jit) : jit_(jit) {}
  ~Code();
  Code(const Code&) = delete;

  // The address of a function. Throws CompileError.
  void* function(const std::string& name) const;

 private:
  LlvmJit* jit_;
};

// Compiles a module for the processor's instruction set. Throws CompileError, also without LLVM. Cost: some 10 ms.
std::shared_ptr<const Code> compile_module(const std::string& text, Isa isa);

// The features of the instruction set, for a function's attribute "target-features".
const char* features_of(Isa isa);

}  // namespace wf::cpu::native
