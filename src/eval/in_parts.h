// A step that the parts of the context compute (plan/split/split.h).
#pragma once

#include "eval/context.h"
#include "plan/split/split.h"

namespace wf {

// Runs the step's split kernel over whole.n > 0 indices and fills in the launch's scalars and counts. Returns its outputs, in parts.
// Throws the same error on all processes: an IndexFault of the lowest index, or the error of the lowest part that has any.
Few<BufferRef> run_in_parts(const Step& step, Launch& whole, Context& context);

}  // namespace wf
