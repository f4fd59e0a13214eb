// Prefixes of columns by an associative function f. A worker (worker.h) scans chunk after chunk: it sums the chunk, waits for the
// carry of the chunk before, publishes its own, and evaluates the chunk again with prefixes from the carry on. A Prefixer computes the
// prefixes of a block in one of these forms.
//
// In registers, if every column is scanned by one operation of its own: see loops/prefix.h. A scan that restarts at flags does so from
// one flag to the next.
// In a tree (Blelloch, 1990), for any function of m columns. Up: neighbours are combined, x'[i] = x[2i] f x[2i+1], until one
// element is left. Down: the prefixes before the pairs are those before their left halves, and E[2i+1] = E'[i] f x[2i].
// 2n applications, almost all of them in long blocks.
#pragma once

#include <memory>
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

// `block`: the most elements per run.
std::unique_ptr<Prefixer> make_prefixer(const Combine& combine, int64_t block);

}  // namespace wf::cpu
