// Functions in the written form that call functions by name: (name argument ...).
#pragma once

#include <functional>
#include <string_view>

#include "expr/fn.h"

namespace wf {

// The function of that name, not simplified, or null. The caller keeps it alive.
using FunctionsByName = std::function<const Fn*(std::string_view name)>;

// The function of this text, not simplified. A call is inlined; its arguments are converted to the parameters' types.
FnRef parse_unsimplified(std::string_view text, const FunctionsByName& named);

// The function (key, number, parameter, ...) -> value of draws from a distribution, not simplified; it lives forever. src/random, which has the
// distributions, defines it. Throws TypeError, and std::runtime_error for an unknown distribution or another number of parameters.
const Fn& draw_function(std::string_view distribution, size_t parameters, Type type);

}  // namespace wf
