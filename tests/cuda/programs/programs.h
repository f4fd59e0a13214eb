// Programs that together use every part of the CUDA engine, at any length. Each compares its results with the oracle's.
#pragma once

#include <cstdint>

namespace programs {

#define PROGRAM(name) void name(int64_t n);
#include "cuda/programs/programs.def"

// Appends 2000 sequences. It is not in programs.def, since NVRTC would take minutes to compile its kernel; it is interpreted.
void append_of_many(int64_t n);

}  // namespace programs
