// The routine Linear on the CPU (lazy/linear/routine.h).
#pragma once

#include <memory>

#include "engine/engine.h"

namespace wf::cpu {

// Fills the launch's output. Many matrices share the cores, each core working on matrices of its own; few matrices are computed by all cores, one
// after another. Throws RangeError, which names the pivot, for a matrix that is singular or not positive definite. Working memory: 6 MiB per
// worker, and for the factorizations by orthogonal transformations a few times that of the matrix.
void linear(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool);

}  // namespace wf::cpu
