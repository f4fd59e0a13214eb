// Reduction of columns by an associative function, in one of two forms.
//
// In registers, where every column goes by one operation of its own: see loops/fold.h.
// By a tree, for any function of m columns: neighbours are combined by the block evaluator, (0,1), (2,3), ..., all pairs of a
// block at once, and again, until few are left. Those wait in a buffer for the few of the next blocks; a full buffer is
// reduced the same way into the next one. So every element is combined once, n - 1 applications in all, almost all of
// them in long blocks, and in order: the function need not be commutative. How the elements are bracketed depends only
// on the lengths of the calls to add.
#pragma once

#include <memory>
#include <span>

#include "cpu/program/columns.h"

namespace wf::cpu {

class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual void bind_inputs(std::span<const InputView> inputs) = 0;
  virtual void clear() = 0;
  // Appends `count` elements; all calls but the last since clear() bring a multiple of 64.
  virtual void add(std::span<const void* const> columns, int64_t count) = 0;
  // Appends those whose mask is 1.
  virtual void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) = 0;
  // All of them combined; false, and results untouched, if there was none. Call it once between two clears.
  virtual bool total(std::span<Bits64> results) = 0;
  virtual void note_fault(RangeFault& first) const = 0;
};

std::unique_ptr<Reducer> make_reducer(const Combine& combine);

}  // namespace wf::cpu
