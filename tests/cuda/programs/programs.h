// Programs that together use every part of the CUDA engine, at any length. Each compares its results with the oracle's.
#pragma once

#include <cstdint>

namespace programs {

#define PROGRAM(name) void name(int64_t n);
#include "cuda/programs/programs.def"

// The programs of rows have at least this many elements in all: 2^18, so that threads, warps, blocks and several blocks
// share rows.
extern int64_t elements_in_rows;

// Reads 600 sequences. It is not in programs.def, since NVRTC would take long to compile its kernel; it is interpreted.
void many_inputs(int64_t n);

}  // namespace programs
