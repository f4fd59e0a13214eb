// The elements that the rows of a fold read, if they are a matrix in memory: value(j) of row r is the element first + r * rows + j * positions,
// in each column, without a check. Elements may be outside of the input if the function loads them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {

class Matrix {
 public:
  // Elements from one row, or position, to the next one.
  struct Distances {
    int64_t rows, positions;
  };
  // Returns nothing if the elements are no matrix, or those of columns have different distances.
  static std::optional<Distances> distances_of(const FoldCode& code);

  explicit Matrix(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // Finds the first row of a block with these free values.
  void find_first(std::span<const Operand> free);
  struct Column {
    const InputView* input;
    int64_t index;  // of position 0 of that row
    // The element, if it is inside.
    const std::byte* first(int64_t size) const { return static_cast<const std::byte*>(input->data) + index * size; }
    // The elements from there to the end of the input; 0 if it is outside.
    int64_t left() const { return index < 0 || index > input->length ? 0 : input->length - index; }
  };
  const Column& column(size_t k) const { return columns_[k]; }

 private:
  const FoldCode& code_;
  std::vector<InputView> inputs_;
  Frame frame_;
  Tile position_;
  std::vector<Tile> bases_;  // of each free value
  std::vector<Column> columns_;
};

}  // namespace wf::cpu
