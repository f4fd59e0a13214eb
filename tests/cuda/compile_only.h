// An engine that compiles the CUDA text of every kernel it is given, for sm_80 and sm_90, and lets the oracle's engine run it.
// So every kernel of the test programs is known to compile, without a GPU.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace compile_only {

// Null where NVRTC is missing; `why` says so.
std::unique_ptr<wf::Engine> make_engine(std::string& why);
// Different texts that were compiled so far, for one architecture each.
int compiled();

}  // namespace compile_only
