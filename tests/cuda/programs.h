// Programs that together use every part of the CUDA engine, at any length; each compares with the oracle.
#pragma once

#include <cstdint>

namespace programs {

#define PROGRAM(name) void name(int64_t n);
#include "cuda/programs.def"

}  // namespace programs
