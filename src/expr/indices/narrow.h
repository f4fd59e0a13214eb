// The domain indices for which a condition holds.
#pragma once

#include "expr/fn.h"
#include "expr/range.h"

namespace wf {

// Bounds of the values of parameter 0 in `index` for which the condition holds; not known() if it never does. Comparisons of literals with the
// parameter, or with a quotient or remainder of it, narrow the range, as do conjunctions of them.
Range narrow(const Fn& f, Id condition, Range index);

}  // namespace wf
