// From text to machine code: NVRTC, and a cache of what it made on disk.
#pragma once

#include <string>
#include <vector>

namespace wf::cuda {

// Machine code of `text` for that architecture ("sm_90"). Looks into the cache on disk first: $XDG_CACHE_HOME/warpfold or
// ~/.cache/warpfold, a file a kernel, named by a hash of text, skeletons, architecture and NVRTC's version; written aside and
// moved into place, so that processes may share it; checked when read, and made anew where it is damaged.
// WARPFOLD_CACHE=0 turns the cache off. WARPFOLD_DUMP=DIR writes each text to DIR.
// Throws CompileError with the compiler's whole log where the text does not compile.
std::string machine_code(const std::string& text, const std::string& architecture);

// The same without the cache.
std::string compile(const std::string& text, const std::string& architecture);

}  // namespace wf::cuda
