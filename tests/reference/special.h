// The special functions in long double by Boost.Math and the C library, with the values at poles, infinities and outside of the domain that
// src/ops/special defines.
#pragma once

#include "ops/ops.h"

namespace reference {

using Long = long double;

// The function of op, whose cost is special.
Long special(wf::Op op, Long a, Long b = 0, Long c = 0);

// The size of the terms whose difference the value is; 0 if it does not cancel.
Long size_of_terms(wf::Op op, Long x);

}  // namespace reference
