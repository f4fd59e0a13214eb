// Prefixes of columns by an associative function f. A worker (worker.h) scans chunk after chunk: it sums the chunk, waits for the
// carry of the chunk before, publishes its own, and evaluates the chunk again with prefixes from the carry on. A Prefixer computes the
// prefixes of a block in one of these forms.
//
// In registers, if every column is scanned by one operation of its own: see loops/prefix.h. A scan that restarts at flags does so from
// one flag to the next.
// In a tree (Blelloch, 1990), for any function of m columns. Up: neighbours are combined, x'[i] = x[2i] f x[2i+1], until one
// element is left. Down: the prefixes before the pairs are those before their left halves, and E[2i+1] = E'[i] f x[2i].
// 2n applications, almost all of them in long blocks.
//
// Along an axis (lazy/scan_axis.h), a worker scans each row by itself, block by block. Of columns it takes a strip of neighbours, and goes down
// their elements with one lane per column: inclusive[c] = exclusive[c] f x[c], which are the exclusive prefixes of the next element.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/program/columns.h"

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
  virtual void note_fault(RangeFault& first) const = 0;
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

// `block`: the most elements per run.
std::unique_ptr<Prefixer> make_prefixer(const Combine& combine, int64_t block);

}  // namespace wf::cpu
