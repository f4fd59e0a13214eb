// A kernel as CUDA text: its functions as straight-line code inside the structures that a skeleton uses.
//
// The text depends only on the kernel's structure and its Form. Pointers, lengths and literals are arguments of the launch, except
// literals whose value affects code generation (see literals.h). The Form contains the properties of a launch that shape the text.
#pragma once

#include <cstdint>
#include <string>

#include "cuda/form.h"
#include "cuda/signature.h"

namespace wf::cuda {

// The bytes of parameters that a kernel may have, from CUDA 12.1 on. More arguments are passed in device memory.
constexpr size_t most_parameter_bytes = 32764;

struct Emitted {
  std::string text;
  Signature signature;
  bool arguments_in_memory = false;  // the kernel's one parameter is the address of its arguments in device memory
  uint32_t shared_bytes = 0;         // dynamic
};

// Returns true if the kernel calls mathematical functions, whose last bits depend on NVRTC's version.
bool uses_math(const Kernel& kernel);
bool uses_special_functions(const Kernel& kernel);
// Returns true if the kernel's functions check indices.
bool has_checks(const Kernel& kernel);

// Returns the kernel's text. Throws UnsupportedError if the kernel calls a function without source.
Emitted emit(const Kernel& kernel, const Form& form);

}  // namespace wf::cuda
