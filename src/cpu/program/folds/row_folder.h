// Folds single rows along their positions.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"
#include "cpu/reductions/reduce.h"

namespace wf::cpu {

class RowFolder {
 public:
  explicit RowFolder(const FoldCode& code);

  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // Sets the free values of the block's rows.
  void bind_free(std::span<const Operand> free);
  // Selects the row whose positions are folded next.
  void enter(int64_t row);
  // value(begin) f ... f value(end - 1) of the row, for 0 <= begin < end within one segment (see FoldCode::segment_of).
  void total(int64_t begin, int64_t end, std::span<Bits64> results);
  // The first index out of range in positions [0, count) of the row, by position.
  RangeFault first_fault(int64_t count);

  // Returns true if an index was out of range since the last call of first_fault.
  bool has_fault() const { return frame_.fault().at >= 0; }

 private:
  // The columns of value(begin), ..., value(begin + count - 1) of the row, at most a block, until the next call.
  std::span<const void* const> values(int64_t begin, int64_t count);
  void total_of_block(int64_t begin, int64_t count, std::span<Bits64> results);

  const FoldCode& code_;
  Frame frame_;
  std::unique_ptr<Reducer> reducer_;
  int64_t block_;
  std::vector<Operand> free_;
  std::vector<Tile> tiles_;  // of each free value of the row
  std::vector<const void*> columns_;
};

}  // namespace wf::cpu
