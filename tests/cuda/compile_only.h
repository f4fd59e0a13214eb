// An engine that compiles the CUDA text of every kernel, for sm_80 and sm_90 in turns, and runs the kernel on the oracle's engine.
// It shows without a GPU that every kernel of the test programs compiles. If WARPFOLD_TEST_HIP is set, hipRTC compiles them, for gfx90a and gfx1030, whose
// wavefronts have 64 and 32 threads. WARPFOLD_TEST_EVERY=N compiles each N-th text.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compile_only {

// Returns null if the compiler is missing; `why` is then the reason.
std::unique_ptr<wf::Engine> make_engine(std::string& why);
// Returns the number of different texts so far.
int compiled();

}  // namespace compile_only
