// Folds rows of equal counts that are stored one after another, as in sums of the rows of a matrix, or are computed from such rows. The rows of
// a block are folded by one loop, several short rows in one vector: no step has work per row but its loads and the joins of its lanes
// (fold_code.h), so the bits are the same.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cpu/program/folds/matrix.h"
#include "cpu/program/folds/row_folder.h"

namespace wf::cpu {

class MatrixRows {
 public:
  // Returns true if value(j) of each column in row r is, without a check, either the element b + distance * r + j of an input, or computed from
  // such elements, from elements c + j of other inputs, and from numbers that are the same in every row. b is a number of the block, c and the
  // distance are numbers of the program; the distance is at least 2.
  static bool covers(const FoldCode& code);

  explicit MatrixRows(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // Returns true if rows of so many positions can be folded. Computed rows must leave no space between them: then the values of a row's
  // positions from `count` on are those of the next row.
  bool takes(int64_t count) const;
  bool reads() const { return matrix_.has_value(); }  // elements, without computing
  // outs[k][r] = value(0) f ... f value(count - 1) of row r < rows.
  void fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs);

 private:
  // Elements of an input that are the same in every row.
  struct Repeated {
    uint32_t slot;
    Type type;
    int64_t first;
    std::vector<Tile> copies;
  };
  void repeat(int64_t rows, int64_t count);
  // Column k of rows whose first one begins at `first`; `left` elements can be read from there.
  void fold_column(size_t k, const void* first, int64_t left, int64_t rows, int64_t count, std::byte* out);

  const FoldCode& code_;
  const int64_t distance_;
  std::optional<Matrix> matrix_;     // of elements that are read
  std::optional<RowFolder> folder_;  // of values that are computed
  std::vector<Repeated> repeated_;   // that values are computed from
  int64_t rows_of_repeated_ = 0;     // since the inputs were bound
  std::vector<InputView> inputs_;    // if there are repeated elements
  std::vector<Bits64> arguments_;
  std::vector<std::byte> copy_;  // of a row at the end of its column
};

}  // namespace wf::cpu
