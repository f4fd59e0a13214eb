// The CPU engine: all cores, block evaluation in L1, a single pass over memory for scans and filters.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace wf::cpu {

struct CompiledKernel;  // cpu/compiled_kernel.h

// Runs the launch's kernel in its compiled form.
void run_compiled(const CompiledKernel& compiled, Launch& launch);

std::unique_ptr<Engine> make_engine(std::shared_ptr<Pool> pool);

}  // namespace wf::cpu
