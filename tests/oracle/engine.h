// An engine that runs a kernel one index at a time, exactly as plan/kernel.h specifies. It tests the planner without any other
// engine: WARPFOLD_TEST_CONTEXT=oracle.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace oracle {

std::unique_ptr<wf::Engine> make_engine();

}  // namespace oracle
