// An engine that compiles the CUDA text of every kernel, for sm_80 and sm_90 in turns, and runs the kernel on the oracle's engine.
// It shows without a GPU that every kernel of the test programs compiles.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compile_only {

// Returns null if NVRTC is missing; `why` is then the reason.
std::unique_ptr<wf::Engine> make_engine(std::string& why);
// Returns the number of compilations so far, one per different text.
int compiled();

}  // namespace compile_only
