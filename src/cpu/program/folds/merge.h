// Joins folds over the same positions into one.
#pragma once

#include "expr/fn.h"

namespace wf::cpu {

// f with one fold instead of several that have the same count, do not depend on each other, and combine in the same lanes. Their values share
// what they have in common, and their results keep their bits.
FnRef merge_folds(FnRef f);

}  // namespace wf::cpu
