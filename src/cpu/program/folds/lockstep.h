// Folds many rows at once: a step computes value(j) of all rows that have a position j.
//
// Rows are ordered by their counts, longest first. So the rows of a step are the first ones, and no step computes a value that no row has.
//
// Lanes (see fold_code.h) are visited in the order in which they are joined. Of the tree of joins, only one partial result per level is kept.
// If rows of one count have at most two positions per lane, and values are elements that are read in place, 8 positions are joined at once.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {

class Lockstep {
 public:
  // `value`: the program lockstep or across of `code`.
  Lockstep(const FoldCode& code, std::shared_ptr<const BlockProgram> value);

  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  int64_t most_rows() const { return rows_; }  // of one run
  // Folds rows with these free values, with lanes or from the identity on. counts[k] is at least 1 and does not increase with k; with
  // lanes, it is at most a segment.
  void run(std::span<const Operand> free, std::span<const int64_t> counts);
  // With lanes: out = identity f the results of column k, in whole tiles.
  void prepend_identity(int k, void* out) const;
  // Column k of the results of the last run.
  void* result(int k) const { return results_.at(k); }

  // The most positions of rows whose elements are joined in place, if they are only read (across.h).
  static int64_t longest_joined(const FoldCode& code);

  bool has_fault() const { return frame_.fault().at >= 0; }
  void forget_fault() { frame_.forget_fault(); }

 private:
  using Columns = std::span<const void* const>;
  static constexpr int64_t most_joined = 2 * tile;  // positions of a row

  void bind_free(std::span<const Operand> free);
  int64_t rows_with(int64_t position) const;
  int64_t step(int64_t position);
  int64_t fold_subtree(const ColumnBlock& total, size_t level, int64_t first, int64_t stride, int64_t end);
  void combine(const ColumnBlock& left, Columns right, int64_t rows);
  bool find_elements(int64_t count, int64_t rows);
  void join_elements(const ColumnBlock& total, size_t level, int64_t first, int64_t stride, int64_t count);
  void combine_by_program(const ColumnBlock& left, Columns right, int64_t rows);
  Columns columns_of(const ColumnBlock& block);

  const FoldCode& code_;
  const int m_;
  const bool only_reads_;  // see across.h
  const bool has_checks_;
  Frame frame_;
  std::vector<Frame> combine_frame_;  // none or one
  int64_t rows_;
  std::span<const int64_t> counts_;
  Tile position_;
  std::vector<Tile> bases_;            // of each free value
  std::vector<Tile> identity_;         // of each column
  std::vector<ColumnBlock> partials_;  // per level of the tree of joins
  ColumnBlock results_;
  std::vector<const void*> values_;  // of the last step
  std::vector<const void*> columns_;
  std::vector<std::array<const void*, most_joined>> elements_;  // of each column, those of each position
};

}  // namespace wf::cpu
