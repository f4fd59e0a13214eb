// Bounds of a term's integer values, for all inputs.
#pragma once

#include <span>
#include <vector>

#include "expr/fn.h"

namespace wf {

__extension__ typedef __int128 Wide;  // holds every integer of every type, their sums, and products of all but the largest

// The integers from low to high; a bool is 0 or 1. The range of a float is unknown.
struct Range {
  Wide low = 0, high = -1;
  bool known() const { return low <= high; }
  bool is_in(const Range& other) const { return known() && other.low <= low && high <= other.high; }
};

// All values of the type.
Range all_of(Type type);

// The range of a term, given those of the terms before it. `params` as below.
Range range_of(const Fn& fn, Id id, std::span<const Range> earlier, std::span<const Range> params);

// One range per term. `params` has the range of each parameter; if it is empty, a parameter may have any value of its type.
std::vector<Range> ranges(const Fn& fn, std::span<const Range> params = {});

// f without the Checks of indices that are always in range, here and in functions inside it; f itself if there are none. Elements must be
// memory.
FnRef without_proven_checks(FnRef f, std::span<const Range> params);

}  // namespace wf
