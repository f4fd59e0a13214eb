// Reduction of columns by an associative function, in one of two forms.
//
// In registers, if every column is reduced by one operation of its own: see loops/fold.h. Lanes that round are combined in a tree in long runs, which
// wait for memory rather than for the tree: those of a span of 8192 elements with those of the span before it, those of two spans with those of the
// two before them, and so on. So the rounding error of a sum is that of some 128 additions in a row.
// In a tree, for any function of m columns: the block evaluator combines neighbours, (0,1), (2,3), ..., all pairs of a block at once, and repeats
// until one partial result of each 64 elements is left. Those are appended to a buffer; a full buffer is reduced the same way into the next one.
// So there are n - 1 applications in all, almost all of them in long blocks, and in order: the function need not be commutative. The bracketing
// depends on the number of elements alone; with masks, also on the lengths of the calls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cpu/program/columns.h"

namespace wf::cpu {

class Reducer {
 public:
  virtual ~Reducer() = default;
  virtual void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) = 0;
  // The number of elements of the run that begins.
  virtual void begin(int64_t /*n*/) {}
  virtual void clear() = 0;
  // Appends `count` elements; in all calls but the last since clear(), `count` is a multiple of 64.
  virtual void add(std::span<const void* const> columns, int64_t count) = 0;
  // The lanes of column k, valid until clear(), into which the caller folds elements: all of a block, or those of a mask. In the second case it
  // also folds the mask into taken(), lanes of bools. Null unless the columns are reduced in registers.
  virtual void* lanes(int, bool /*all*/) { return nullptr; }
  virtual void* taken() { return nullptr; }
  // The number of elements, whole tiles, that the caller may fold next, and its report that it has.
  virtual int64_t room() const { return INT64_MAX; }
  virtual void note_folded(int64_t /*count*/) {}
  // The number of the next `count` elements, whole tiles, that native code may combine with the body before they are appended: native/halving.h.
  // 0: none. Then the memory for column k of their results, and their append.
  virtual int64_t begin_halved(int64_t /*count*/) { return 0; }
  virtual void* halved(int) { return nullptr; }
  virtual void add_halved(int64_t /*count*/) {}
  // Appends the elements whose mask is 1.
  virtual void add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) = 0;
  // Combines all appended elements. Returns false, and does not write results, if there was none. Call it once between clears.
  virtual bool total(std::span<Bits64> results) = 0;
  virtual void note_fault(RangeFault& first) const = 0;
};

std::unique_ptr<Reducer> make_reducer(const Combine& combine);

}  // namespace wf::cpu
