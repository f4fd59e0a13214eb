// Compilation of a kernel's text to machine code: NVRTC, and a cache on disk.
#pragma once

#include <string>
#include <vector>

namespace wf::cuda {

// Returns the machine code of `text` for that architecture ("sm_90"). Searches the cache on disk first: $XDG_CACHE_HOME/warpfold or
// ~/.cache/warpfold, with one file per kernel. A file's name is a hash of text, skeletons, architecture and NVRTC's version.
// A file is written under a temporary name and renamed, so that processes may share the cache. Its checksum is verified when it is
// read, and a damaged file is replaced.
// WARPFOLD_CACHE=0 turns the cache off. WARPFOLD_DUMP=DIR writes each text to DIR.
// Throws CompileError with the compiler's whole log if the text does not compile.
std::string machine_code(const std::string& text, const std::string& architecture);

// The same without the cache.
std::string compile(const std::string& text, const std::string& architecture);

}  // namespace wf::cuda
