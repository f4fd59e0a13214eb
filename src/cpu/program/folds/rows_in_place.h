// Folds rows that are consecutive elements of inputs, as in sums of rows and of segments. Each row is folded where it is stored, without a
// run of a program: a short row costs its loads and a few additions.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {

class RowsInPlace {
 public:
  // Returns true if value(j) of each column is the element b + j of an input, where b is a number of the row, and a row is checked by its ends.
  // `along`: the program of that name in a FoldCode.
  static bool covers(const BlockProgram& along);

  explicit RowsInPlace(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // outs[k][r] = value(0) f ... f value(counts[r] - 1) of row r. Writes whole tiles; rows without positions are undefined. So are the rows
  // that are not inside their inputs with 64 elements to spare, which are appended to `others`.
  void fold(std::span<const Operand> free, std::span<const int64_t> counts, std::span<void* const> outs, std::vector<int32_t>& others);

 private:
  void fold_column(uint32_t k, std::byte* out) const;
  bool find_inside(std::span<const int64_t> counts);
  const int64_t* bases(const Base& base) const;

  const FoldCode& code_;
  const BlockProgram::Impl& along_;
  Frame frame_;
  std::vector<InputView> inputs_;
  std::vector<const Stream*> streams_;  // of each column
  int64_t lengths_[tile];               // of the rows of the current tile; 0: skipped
};

}  // namespace wf::cpu
