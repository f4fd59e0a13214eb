// Neighbouring elements of a matrix as a function of a column and a row, for functions that read neighbours (neighbours.h).
#pragma once

#include <vector>

#include "expr/range.h"

namespace wf {

// The function from column x and row y of a pack's first element to the results of its elements, where `body` is a function of the index
// y * width + x. Equal indices are equal terms, and so are equal reads. Elements whose neighbours are limited, as at a border, differ from others;
// the bounds of x and y decide which of them there are.
FnRef body_of_pack(const Fn& body, int64_t width, int64_t pack, const Range& columns, const Range& rows);

// The index x * column + y * row + constant, in a function whose parameters 0 and 1 are a column and a row.
struct Plane {
  bool known = false;
  int64_t x = 0, y = 0, constant = 0;
  bool operator==(const Plane&) const = default;
};
std::vector<Plane> planes(const Fn& fn);  // one per term

// The indices of a plane at these columns and rows.
Range indices_of(const Plane& plane, const Range& columns, const Range& rows);

}  // namespace wf
