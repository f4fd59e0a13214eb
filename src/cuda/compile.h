// Compilation of a kernel's text to machine code by NVRTC or hipRTC, or to SPIR-V by clang, and a cache on disk.
#pragma once

#include <string>
#include <vector>

namespace wf::cuda {

// Returns the machine code of `text` for that architecture: "sm_90", "gfx90a" of AMD, or "spirv_90112", of OpenCL devices whose blocks have that many
// bytes of dynamic shared memory. Searches the files of code first (engine/code_files.h). A file's name is a hash of text, skeletons, options and the
// compiler's version. WARPFOLD_DUMP=DIR writes each text to DIR.
// Throws CompileError with the compiler's whole log if the text does not compile.
std::string machine_code(const std::string& text, const std::string& architecture);

// The same without the cache.
std::string compile(const std::string& text, const std::string& architecture);

bool is_spirv(const std::string& architecture);

// Ends the compilations that run, by a CompileError, and those that begin later, since the process ends. NVRTC before 12.8 and clang compile to the end.
void cancel_compilations();

}  // namespace wf::cuda
