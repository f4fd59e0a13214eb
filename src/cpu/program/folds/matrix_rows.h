// Folds rows of equal counts that are stored one after another, as in sums of the rows of a matrix, or are computed from such rows. The rows of
// a block are folded by one loop, several short rows in one vector: no step has work per row but its loads and the joins of its lanes
// (fold_code.h), so the bits are the same.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cpu/program/folds/matrix.h"

namespace wf::cpu {

// The values of several rows, computed by one run of the program `through`, in which the positions of a row are followed by those of the next.
class RowValues {
 public:
  // Returns false if covers() would, whatever the program.
  static bool may_cover(const FoldCode& code);
  // Returns true if value(j) of each column in row r is, without a check, computed from elements b + distance * r + j of inputs, from elements
  // c + j of other inputs, from numbers, and from free values that are no indices. b is a number of the block, c and the distance are numbers of
  // the program.
  static bool covers(const FoldCode& code);
  static int64_t distance_of(const FoldCode& code);

  explicit RowValues(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  int64_t block() const { return code_.through->block(); }  // positions of a run
  // The columns of value(0), ..., value(count - 1) of row `row`, then of the next ones; count: the distance.
  std::span<const void* const> run(std::span<const Operand> free, int64_t row, int64_t rows, int64_t count);

 private:
  // Elements of an input that are the same in every row.
  struct Repeated {
    uint32_t slot;
    Type type;
    int64_t first;
    std::vector<Tile> copies;
  };
  void repeat_elements(int64_t rows, int64_t count);
  const void* repeated_value(size_t k, const std::byte* values, int64_t rows, int64_t count);

  const FoldCode& code_;
  Frame frame_;
  std::vector<Repeated> repeated_;
  int64_t rows_of_repeated_ = 0;   // since the inputs were bound
  std::vector<InputView> inputs_;  // if there are repeated elements
  std::vector<Bits64> arguments_;
  std::vector<std::vector<Tile>> free_;  // a tile of each index, a column of each other free value
  std::vector<const void*> columns_;
};

class MatrixRows {
 public:
  // Returns true if value(j) of each column in row r is either as in RowValues, or the element b + distance * r + j of an input, and the distance
  // is at least 2.
  static bool covers(const FoldCode& code);
  // Returns true if the elements are read, without computing.
  static bool reads(const FoldCode& code);

  explicit MatrixRows(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // Returns true if rows of so many positions can be folded. Computed rows must leave no space between them.
  bool takes(int64_t count) const;
  bool reads() const { return matrix_.has_value(); }
  // outs[k][r] = identity f value(0) f ... f value(count - 1) of row r < rows. If rows are read, any number of them may follow the block.
  void fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs);

 private:
  // Column k of rows of `count` positions, of which the first one begins at element `first` of the input.
  void fold_column(size_t k, const InputView& input, int64_t first, int64_t rows, int64_t count, std::byte* out);

  const FoldCode& code_;
  int64_t distance_;
  std::optional<Matrix> matrix_;
  std::optional<RowValues> values_;
  std::vector<std::byte> copy_;  // of a row at the end of its column
};

}  // namespace wf::cpu
