// Reciprocal roots in f32 of operands that are not subnormal, for which the GPU's instruction needs no scaling.
#pragma once

#include <vector>

#include "expr/fn.h"

namespace wf::cuda {

struct NormalRoots {
  std::vector<bool> is_root;  // for each term: it is a root whose operand is at least one of the literals, or NaN
  std::vector<Id> literals;   // roots are as said if all of these are normal numbers above 0
};
NormalRoots normal_roots(const Fn& fn);

}  // namespace wf::cuda
