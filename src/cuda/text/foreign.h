// Functions that users define in CUDA C++: their definitions and calls in a kernel's text.
#pragma once

#include <string>

#include "plan/kernel.h"

namespace wf::cuda {

// Returns the definitions of the kernel's source functions, each in its own namespace, which declares the short names of the scalar
// types. Compiler messages state the function's name and line numbers within its source.
std::string source_definitions(const Kernel& kernel);

// Returns the function's qualified name in a kernel's text. Throws UnsupportedError if the function has no source.
std::string callable_name(const Foreign& function);

bool calls_foreign(const Kernel& kernel);

// Returns the kernel without its host function pointers. The copy refers to no user memory, so it may be cached, and kernels that
// differ only in host functions compare equal.
Kernel for_device(const Kernel& kernel);

}  // namespace wf::cuda
