// The functions in the written form of texts/, parsed once.
#pragma once

#include <string_view>

#include "expr/fn.h"

namespace wf::random {

// The function of that name for the floating-point type `real`, not simplified, or null if there is none.
const Fn* function(std::string_view name, Type real);

}  // namespace wf::random
