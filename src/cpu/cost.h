// Estimates of a kernel's work, from which the lengths of its chunks follow.
#pragma once

#include <cstdint>
#include <span>

#include "expr/fn.h"

namespace wf::cpu {

// The lengths that a run knows, from which it estimates the counts of folds.
struct Lengths {
  int64_t n;                        // elements of the domain
  std::span<const int64_t> inputs;  // of the inputs, by slot
};

// The cost of an operation on elements of this type, in such operations on f32: vectors have half as many elements of 8 bytes.
inline int64_t width(Type type) { return size_of(type) == 8 ? 2 : 1; }

// The approximate cost per element in additions. Operations on numbers alone run once per run and cost nothing here. So a
// literal and an argument give chunks of the same length and sums with the same bracketing.
int64_t cost(const Fn& fn, const Lengths& lengths);

// The most positions of a fold of fn, approximately; 0 if there is none.
int64_t longest_fold(const Fn& fn, const Lengths& lengths);

}  // namespace wf::cpu
