// One thread's state for a Fold instruction: chooses who folds the rows of a block.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cpu/program/folds/across.h"
#include "cpu/program/folds/across_runs.h"
#include "cpu/program/folds/lockstep.h"
#include "cpu/program/folds/matrix_rows.h"
#include "cpu/program/folds/row_folder.h"
#include "cpu/program/folds/rows_in_place.h"
#include "cpu/program/folds/rows_together.h"
#include "cpu/program/folds/ways.h"

namespace wf::cpu {

class FoldState {
 public:
  explicit FoldState(const FoldCode& code);
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);

  struct Block {
    Operand count;
    std::span<const Operand> free;
    int64_t rows;
    const unsigned char* active;  // the mask of rows that are folded; null: all
    std::span<void* const> outs;  // a column each
    bool may_use_threads;
  };
  // Returns the first index out of range, in the first row that has one. Folding stops soon after a fault: every result is then the identity.
  RangeFault run(const Block& block);
  // The same for any number of rows of a matrix, of which `free` has the first tile of each value. Returns false if they have too many positions.
  bool run_of_matrix(const Block& block);
  void fill_with_identity(std::span<void* const> outs, int64_t rows) const;
  // Returns the ways of the runs since the inputs were bound.
  FoldWays ways() const { return ways_; }

 private:
  enum class Way : uint8_t { Along, Lockstep, Across };

  bool read_counts(const Block& block);
  bool set_equal_counts(int64_t count, size_t rows);
  bool goes_by_matrix_rows() const;
  void fold_matrix_rows();
  bool goes_in_place() const;
  void fold_in_place();
  bool fold_together();
  void finish_rows();
  Way way_of_equal_rows() const;
  void fold_equal_rows();
  void fold_sorted();
  void sort_short_rows(int64_t longest);
  void leave_longest_to_along();
  void fold_in_lockstep(Way way, std::span<const Operand> free, std::span<const int64_t> counts, bool is_sorted);
  bool goes_in_runs() const;
  bool fold_in_runs();
  void fold_across();
  void prepend_identity(size_t k, void* values, int64_t rows) const;
  std::vector<Operand> sorted_free_values();
  void fold_along();
  void begin_totals(int64_t rows);
  void fold_alone(size_t k);
  void fold_segments();
  void fold_item(RowFolder& folder, int64_t item, int64_t first_segment);
  void write_along();
  void join(std::span<const Bits64> left, std::span<const Bits64> right, std::span<Bits64> results) const;
  void spread_first_row(int64_t rows) const;
  RangeFault first_fault();
  int64_t longest_lockstep() const;
  Lockstep& lockstep(Way way);
  int threads() const;
  RowFolder& folder(size_t thread);

  const FoldCode& code_;
  const size_t m_;
  int64_t step_cost_, row_cost_;  // nanoseconds of a step and of a row, in addition to those of their elements
  const int64_t rows_of_runs_;    // of a block that is folded in runs; 0: none
  std::vector<InputView> inputs_;
  std::vector<Bits64> arguments_;
  std::optional<Lockstep> lockstep_, lockstep_across_;
  std::vector<std::unique_ptr<RowFolder>> folders_;  // one per thread
  std::optional<MatrixRows> matrix_rows_;            // if the code allows it
  std::optional<RowsInPlace> in_place_;              // the same
  std::optional<RowsTogether> together_;             // the same
  std::optional<Across> across_;                     // the same, for long rows
  int64_t shortest_across_ = 0;                      // positions of those
  std::optional<AcrossRuns> runs_;                   // made at its first use

  const Block* block_ = nullptr;
  std::vector<int64_t> counts_;  // 0: not folded
  int64_t longest_ = 0, shortest_ = 0;
  std::vector<int32_t> along_;   // rows that are folded along their positions
  std::vector<int32_t> sorted_;  // the others, longest first
  std::vector<int64_t> sorted_counts_;
  std::vector<std::vector<Tile>> sorted_free_;
  std::vector<Bits64> total_, part_;  // of the row that is folded alone, of one of its segments
  ColumnBlock totals_;                // of rows or segments
  FoldWays ways_;
};

}  // namespace wf::cpu
