// Functions given as CUDA C++: where their text stands in a kernel's, and what a kernel is to this engine.
#pragma once

#include <string>

#include "plan/kernel.h"

namespace wf::cuda {

// The definitions of all source functions of the kernel, each text in a namespace of its own, in which the scalar types have their
// short names. The compiler names the function and its own lines.
std::string source_definitions(const Kernel& kernel);

// What a kernel's text calls the function. Throws UnsupportedError where it has no source.
std::string callable_name(const Foreign& function);

bool calls_foreign(const Kernel& kernel);

// The kernel without what only the CPU can call: it holds no memory of a user's, so it may be kept, and kernels are equal that
// differ only there.
Kernel for_device(const Kernel& kernel);

}  // namespace wf::cuda
