// Joins folds over the same positions into one.
#pragma once

#include <functional>
#include <vector>

#include "expr/fn.h"

namespace wf {

// For each term of f: the group of a Fold, such that the engine computes folds of one group by one loop, or 0 if the Fold stays apart.
using GroupsOfFolds = std::function<std::vector<int>(const Fn& f)>;

// f with one fold instead of several of a group that have the same count and do not depend on each other. Their values share what they have in
// common.
FnRef merge_folds(FnRef f, const GroupsOfFolds& groups_of);

}  // namespace wf
