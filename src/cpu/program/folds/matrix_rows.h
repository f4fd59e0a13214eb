// Folds rows of equal counts that are stored one after another, as in sums of the rows of a matrix. The rows of a block are folded by one loop,
// several short rows in one vector: no step has work per row but its loads and the joins of its lanes (fold_code.h), so the bits are the same.
#pragma once

#include <span>
#include <vector>

#include "cpu/program/folds/matrix.h"

namespace wf::cpu {

class MatrixRows {
 public:
  // Returns true if value(j) of each column is the element b + distance * r + j in row r, without a check, where b is a number of the block and
  // the distance a number of the program, greater than 1.
  static bool covers(const FoldCode& code);

  explicit MatrixRows(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) { matrix_.bind_inputs(inputs, arguments); }
  // outs[k][r] = value(0) f ... f value(count - 1) of row r < rows, in whole tiles. count: a segment at most.
  void fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs);

 private:
  void fold_column(size_t k, int64_t rows, int64_t count, std::byte* out);

  const FoldCode& code_;
  const int64_t distance_;
  Matrix matrix_;
  std::vector<std::byte> copy_;  // of a row at the end of its input
};

}  // namespace wf::cpu
