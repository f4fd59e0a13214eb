// Moves what is the same for all positions of a fold out of its value.
#pragma once

#include "expr/fn.h"

namespace wf::cpu {

// f with each operation and each read in a fold's value that does not depend on the position computed before the fold, and passed as a free
// value. The Checks of such reads stay in the value, so that a fold without positions fails as little as before.
FnRef hoist_invariants(FnRef f);

}  // namespace wf::cpu
