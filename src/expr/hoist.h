// Moves what is the same for all positions of a fold, or all steps of a loop, out of its body.
#pragma once

#include "expr/fn.h"

namespace wf {

// f with each operation and each read in a body that does not depend on the position or the variables computed before the fold or loop, and
// passed as a free value. Only reads move out of a body inside of another one. The Checks of such reads stay in the body, so that a fold
// without positions fails as little as before.
FnRef hoist_invariants(FnRef f);

}  // namespace wf
