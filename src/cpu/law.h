// Reductions of prefixes if f distributes over g, with no carry from chunk to chunk:
//
//     g over i of f(t, p[i]) = f(t, g over i of p[i])
//
// Each chunk is scanned from f's identity and its prefixes p are reduced by g to `best`. Afterwards `best` is shifted by the
// total t of all chunks before. Memory is read once and no worker waits.
//
// Sums under min and max are the case that matters: prefix and both extremes are computed in registers (loops/prefix.h). There the
// law fails if an integer sum wraps between one prefix and another, or a float is not finite. It holds if neither t + lowest
// nor t + highest wraps, so both extremes are kept; if it fails, the kernel runs again with chained carries.
#pragma once

#include <optional>
#include <vector>

#include "cpu/compiled_kernel.h"
#include "cpu/reductions/reduce.h"
#include "cpu/scan.h"

namespace wf::cpu {

// The results of the chunks: one total each, and per reduction by law the best prefix and the opposite extreme.
struct LawResults {
  LawResults(const CompiledKernel& compiled, int64_t chunks);
  std::vector<Bits64> totals;
  std::vector<std::vector<Bits64>> best, opposite;  // [reduction][chunk]; empty if the reduction is not by law
};

// One thread's scan of a chunk.
class LawScan {
 public:
  explicit LawScan(const CompiledKernel& compiled);
  void clear();
  void add(const void* values, int64_t count);
  void put(LawResults& results, int64_t chunk);

 private:
  struct Bounds {
    Bits64 carry, low, high;
  };
  bool in_bounds(size_t r) const;

  const CompiledKernel& compiled_;
  const Type type_;
  bool bounds_wanted_[2] = {}, prefix_wanted_[2] = {};  // [0]: of exclusive prefixes, [1]: of inclusive ones
  Bounds bounds_[2];
  Bits64 carry_;
  std::unique_ptr<Prefixer> prefixer_;  // for laws without a form in registers
  ColumnBlock prefixes_;                // exclusive, inclusive
  std::vector<std::unique_ptr<Reducer>> reducers_;
};

// Writes the values of all reductions by law to `scalars` (one entry per reduction; other entries are unchanged) and the scan's
// total to `total`, which contains the prefix before the first element. Returns false if the law does not hold.
bool join_by_law(const CompiledKernel& compiled, const LawResults& results, std::vector<Bits64>& scalars, Bits64& total);

}  // namespace wf::cpu
