// Index arithmetic of views of views, simplified with the ranges of terms.
#pragma once

#include "expr/fn.h"
#include "expr/range.h"

namespace wf {

// The body of a kernel, whose reads and parameters cannot fail, equal in value where parameter 0 is in the range: quotients and remainders by
// literals are simplified, comparisons that ranges decide are literals, and Checks that always hold are removed. f itself if it has none of i64.
FnRef simplify_indices(FnRef f, const Range& index);

}  // namespace wf
