// Programs that together use every part of the CUDA engine, at any length. Each compares its results with the oracle's.
#pragma once

#include <cstdint>

namespace programs {

#define PROGRAM(name) void name(int64_t n);
#include "cuda/programs.def"

}  // namespace programs
