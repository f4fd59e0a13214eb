// Reductions whose result may be known before all elements are read: `any`, `all`, and the first index for which a condition holds.
#pragma once

#include <span>
#include <vector>

#include "plan/kernel.h"

namespace wf::cpu {

struct Decisive {
  // The index from which on no element changes this result of some elements.
  int64_t end(Bits64 result, std::span<const Bits64> arguments) const;

  bool is_index;  // the least of where(condition, i, other) for all indices i
  Term other;     // a literal or an argument; of `or` and `and`, the result that no further element changes
};

// One per reduction of a kernel that does nothing else and cannot fail; none if a reduction needs all elements.
std::vector<Decisive> decisive_reductions(const Kernel& kernel);

}  // namespace wf::cpu
