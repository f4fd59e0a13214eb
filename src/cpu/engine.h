// The CPU engine: all cores through oneTBB, block evaluation in L1, a single pass over memory for scans and filters.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace wf::cpu {

std::unique_ptr<Engine> make_engine(std::shared_ptr<Pool> pool);

}  // namespace wf::cpu
