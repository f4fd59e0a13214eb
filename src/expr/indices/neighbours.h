// Functions of an index that read neighbours in a matrix, such as blurs, convolutions and cellular automata.
#pragma once

#include <optional>

#include "expr/fn.h"

namespace wf {

// Returns true for i div n or i rem n, where i is parameter 0 and n is a literal.
bool is_digit_of_index(const Fn& fn, const Term& t, Op op);

// The extent of the rows if the function, of index i, reads several elements at columns next to i rem width, in rows that depend on i div width.
std::optional<int64_t> neighbourhood_width(const Fn& fn);

}  // namespace wf
