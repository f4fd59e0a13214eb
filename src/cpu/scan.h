// Prefixes of columns by an associative function f. A worker (worker.h) scans chunk after chunk: it sums the chunk, waits for the
// carry of the chunk before, publishes its own, and evaluates the chunk again with prefixes from the carry on. A Prefixer computes the
// prefixes of a block in one of these forms.
//
// In registers, if every column is scanned by one operation of its own: see loops/prefix.h. So is one that restarts at flags.
// In a tree (Blelloch, 1990), for any function of m columns. Up: neighbours are combined, x'[i] = x[2i] f x[2i+1], until one
// element is left. Down: the prefixes before the pairs are those before their left halves, and E[2i+1] = E'[i] f x[2i].
// 2n applications, almost all of them in long blocks.
//
// Along an axis (lazy/scan_axis.h), arrays of rows follow each other, and an element is combined with the one above it:
//   whole   a worker scans whole arrays, block by block. Blocks cross the ends of rows and of arrays (PrefixTable::along)
//   parts   few arrays are divided between rows and within them: a chunk waits for the latest prefix of each column, as in a chain
//   strips  of wide rows, or for any function, a worker takes a strip of neighbouring columns, and goes down their elements with one lane per
//           column: inclusive[c] = exclusive[c] f x[c], which are the exclusive prefixes of the next element
//   rows    for any function, a worker scans each vector whose elements are neighbours by itself, block by block
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/program/columns.h"
#include "lazy/scan_axis.h"

namespace wf::cpu {

// Destinations of the prefixes, one per column; null: not stored.
struct PrefixTargets {
  std::vector<std::byte*> exclusive, inclusive;
};

class Prefixer {
 public:
  virtual ~Prefixer() = default;
  virtual void bind_inputs(std::span<const InputView> inputs) = 0;
  // exclusive[i] = carry f x[0] f ... f x[i-1], inclusive[i] = exclusive[i] f x[i], carry = inclusive[count-1].
  virtual void run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry, const PrefixTargets& targets) = 0;
  // The sum of the blocks added since begin_sum(), and carry = carry f that sum.
  virtual void begin_sum() = 0;
  virtual void add(std::span<const void* const> columns, int64_t count) = 0;
  virtual void add_sum_to(std::span<Bits64> carry) = 0;
  // Returns true if the carry after run() may have other bits than a carry to which the sum was added.
  virtual bool sums_round_apart() const = 0;
  virtual void note_fault(RangeFault& first) const = 0;
};

// The prefixes of blocks of arrays, by a function in registers.
class ArrayPrefixes {
 public:
  ArrayPrefixes(const Combine& combine, const ScanAxis& axis);
  // The prefixes of elements [at, at + count). The element before `at` was the last one of the run before, unless an array begins there.
  void run(std::span<const void* const> columns, int64_t at, int64_t count, const PrefixTargets& targets);

  // The same without prefixes, for elements after none: only what a chunk adds to the carries.
  void begin_sum();
  void sum(std::span<const void* const> columns, int64_t at, int64_t count);
  // Takes over the carries of the elements before, and adds the sum to them; unless it begins with an array, which they do not precede.
  void pass(const ColumnBlock& carries, bool begins_array);

  const ScanAxis& axis() const { return axis_; }

 private:
  void run(std::span<const void* const> columns, int64_t at, int64_t count, const ColumnBlock& carries, const PrefixTargets& targets);

  const Combine& combine_;
  const ScanAxis axis_;
  ColumnBlock carries_, sums_;  // the latest prefix of each column of an array
  PrefixTargets none_;
};

// The prefixes of a strip of columns at one element after another.
class ColumnPrefixes {
 public:
  // most: columns of a strip.
  ColumnPrefixes(const Combine& combine, int64_t most);
  void bind_inputs(std::span<const InputView> inputs);

  // The next element is the first one of `count` columns.
  void begin(int64_t count);
  // Goes on to the next element, x.
  void next(std::span<const void* const> x, int64_t count);
  // The prefixes before and after the element; valid until the next one but one.
  const ColumnBlock& before() const { return prefixes_[1 - latest_]; }
  const std::byte* exclusive(int k) const { return before().at(k); }
  const std::byte* inclusive(int k) const { return prefixes_[latest_].at(k); }

 private:
  const Combine& combine_;
  std::optional<Frame> frame_;  // none if each column is combined by one operation
  ColumnBlock prefixes_[2];
  int latest_ = 0;
};

// Returns true if a scan along the axis goes in strips.
bool goes_in_strips(const ScanAxis& axis, const Fn& combine);
// See Engine::scans_along.
bool scans_along(const ScanAxis& axis, int64_t elements, const Fn& combine);

std::unique_ptr<Prefixer> make_prefixer(const Combine& combine);

}  // namespace wf::cpu
