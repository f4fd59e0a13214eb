// clang, which compiles kernels to SPIR-V for OpenCL devices: a program that is started for each kernel.
#pragma once

#include <string>
#include <vector>

namespace wf::cuda {

// Returns clang's version, "clang version 22.1.0". The program is WARPFOLD_CLANG, or else clang-22 or clang in the PATH. Throws DeviceError if there is
// none, or it is older than 22.
const std::string& clang_version();

// Returns the image of the kernels of `text`: the number of its bytes in 8 bytes, and SPIR-V. Takes seconds. Throws CompileError with clang's log.
std::string compile_by_clang(const std::string& text, const std::vector<std::string>& options);

}  // namespace wf::cuda
