// Folds short rows of which each begins where the one before it ends, as in sums over segments of computed values and products with sparse
// matrices. The values of neighbouring rows are computed as if they were one row's, and each row is then folded where its values are stored.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {

class RowsTogether {
 public:
  // Returns true if the value at j depends on the row only through elements b + j of inputs, where b is a number of the row.
  // `along`, `free`: those of a FoldCode.
  static bool covers(const BlockProgram& along, std::span<const FoldCode::Free> free);

  explicit RowsTogether(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // outs[k][r] = value(0) f ... f value(counts[r] - 1) of row r. Writes whole tiles; rows without positions are undefined. So are long rows, of
  // which each is given to fold_long when its turn comes, so that memory is read in order. Returns false, and folds nothing, if few rows begin where
  // the one before them ends.
  bool fold(std::span<const Operand> free, std::span<const int64_t> counts, std::span<void* const> outs,
            const std::function<void(int32_t)>& fold_long);

  // Returns true if an index was out of range since the last call of forget_fault.
  bool has_fault() const { return frame_.fault().at >= 0; }
  void forget_fault() { frame_.forget_fault(); }

 private:
  // Neighbouring rows of a tile whose values are computed together.
  struct Group {
    size_t begin, end;
    size_t first;   // the first row that has positions
    int64_t total;  // positions
  };

  void enter(std::span<const Operand> free, int64_t first);
  bool follows(size_t row, int64_t count, size_t next) const;
  bool most_follow(std::span<const int64_t> counts) const;
  Group group_from(size_t begin, std::span<const int64_t> counts) const;
  void fold_group(const Group& group, std::span<const int64_t> counts, int64_t first, std::span<void* const> outs);
  const void* values(uint32_t k, int64_t count) const;

  const FoldCode& code_;
  Frame frame_;
  const int64_t most_positions_, longest_;  // of a group, of a row in it
  std::vector<LocationId> bases_;           // b
  ColumnBlock values_;                      // of columns that are read in place
};

}  // namespace wf::cpu
