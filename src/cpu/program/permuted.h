// Copies of permuted arrays: a kernel that stores the elements of one input in another order of its axes, and computes nothing.
//
// Consecutive elements of the result are far apart in the input. So squares are copied: as many elements of a row of the result as a cache line has,
// from as many rows of the input, and then the squares after it along these rows. Processors predict such reads, each line of the input is read
// once, and whole lines of the result are written.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "expr/indices/walk.h"

namespace wf::cpu {

class PermutedCopy {
 public:
  // Nothing for any other kernel.
  static std::optional<PermutedCopy> of(const Kernel& kernel);
  // Returns false, and writes nothing, if squares would not repay: short axes, few elements, parts of an axis, or indices outside of the input.
  bool run(const Launch& launch) const;

 private:
  PermutedCopy(Walk walk, uint32_t slot, int64_t size) : walk_(std::move(walk)), slot_(slot), size_(size) {}

  Walk walk_;  // the input's index of each element
  uint32_t slot_;
  int64_t size_;  // bytes per element
};

}  // namespace wf::cpu
