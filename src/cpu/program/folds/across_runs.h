// Folds long rows of equal counts across, if the elements of each position follow those of the position before, as in sums of all
// columns of a matrix.
//
// So the elements of one position of each lane (fold_code.h) are one run of memory, and element e of a run is folded into total e. No step
// has work per position. Memory is read in order: few rows take as long as a plain read. Narrow runs are folded one after another, others eight
// at a time, which read their totals once. Threads share the segments, or parts of their
// runs. Lanes and segments are joined as in across.h, so the bits are the same.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/folds/matrix.h"

namespace wf::cpu {

class AcrossRuns {
 public:
  // Returns the number of rows that can be folded this way, or 0: value(j) of each column is the element b + rows * j + r in row r, without a
  // check, where b is a number of the block.
  static int64_t rows_of(const FoldCode& code);

  explicit AcrossRuns(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) { matrix_.bind_inputs(inputs, arguments); }
  // outs[k][r] = value(0) f ... f value(count - 1) of row r < rows_of(code), in whole tiles. Returns false, and folds nothing, if an element is outside of
  // its input.
  bool fold(std::span<const Operand> free, int64_t count, std::span<void* const> outs, int threads);

 private:
  int parts_of_runs(int64_t segments, int threads) const;
  void fold_part(int64_t begin, int64_t count, int64_t part, int64_t parts, int64_t totals) const;
  void fold_rest(int64_t begin, int64_t count, int64_t totals);
  void join_lanes(int64_t totals) const;
  void fill_with_neutral(size_t k, void* out, int64_t count) const;
  const std::byte* elements(size_t k, int64_t position) const {
    return matrix_.column(k).first(totals_.size(int(k))) + position * rows_ * totals_.size(int(k));
  }

  const FoldCode& code_;
  const size_t m_;
  const int64_t lanes_, rows_, run_;             // run_: elements
  std::vector<simd::FoldTable::Across*> folds_;  // of each column
  Matrix matrix_;
  ColumnBlock totals_;  // of segments, a run each
  ColumnBlock rest_;    // a run of elements, of which the first ones are positions
};

}  // namespace wf::cpu
