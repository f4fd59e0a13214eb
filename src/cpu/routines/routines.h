// Routines of the CPU engine: sort, merge and scatter (Routine, lazy/node.h).
#pragma once

#include <memory>

#include "engine/engine.h"

namespace wf::cpu {

// Fills the launch's outputs. Working memory comes from the pool: at most 48 bytes an element.
void run_routine(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool);

// The routine Scatter. Working memory: at most 4 MiB a worker.
void scatter(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool);

}  // namespace wf::cpu
