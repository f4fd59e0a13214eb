// Folds long rows of equal counts across: a step computes value(j) of neighbouring rows, which read neighbouring elements.
//
// Each lane (fold_code.h) is folded from the left. A group of lanes is folded at once: its positions are neighbours, and its totals stay in a
// cache of the core. If values are elements that are read, 4 positions of each lane are folded at once: they begin 4 runs of memory that the
// positions of the next lanes continue. Threads share the groups of segments. The lanes' totals are joined by halving and the segments' from
// the left, in strips of rows that threads share; so the bits depend neither on the groups nor on the number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"

namespace wf::cpu {

// Returns true if each result of a program across is an element that is read, and the position only places it: instructions on elements, if
// any, check indices.
bool only_reads(const BlockProgram& across);

class Across {
 public:
  explicit Across(const FoldCode& code);  // with a program across, and lanes
  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments);
  // outs[k][r] = value(0) f ... f value(count - 1) of row r < rows, in whole tiles.
  void fold(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs, int threads);
  bool has_fault() const;
  void forget_fault();

 private:
  static constexpr int64_t rounds = simd::few_across;  // positions of a lane that are folded at once
  static constexpr int64_t most_elements = rounds * tile;
  // One thread's program.
  struct Steps {
    Steps(const FoldCode& code);
    Frame frame;
    Tile positions;
    std::vector<Tile> bases;                                       // of each free value
    std::vector<std::array<const void*, most_elements>> elements;  // of each column, those of positions that are folded at once
  };
  // Segments that threads share at once.
  struct Segments {
    int64_t first, count;
    int64_t length;
    int64_t positions;  // of a row, in all of its segments
    int64_t begin(int64_t s) const { return (first + s) * length; }
    int64_t end(int64_t s) const { return std::min(begin(s) + length, positions); }
  };
  struct Group {
    int64_t begin, end;   // of the segment
    int64_t lane, lanes;  // the first one, and their number
    int64_t totals;       // in totals_
  };

  void fold_block(std::span<const Operand> free, int64_t rows, int64_t count, std::span<void* const> outs, int threads);
  void fold_groups(const Segments& segments, int64_t lanes, int64_t rows, int threads);
  void fold_group(Steps& steps, const Group& group, int64_t rows) const;
  void fold_value(const Steps& steps, const Group& group, int64_t j, int64_t index, int64_t rows) const;
  bool fold_reads(Steps& steps, const Group& group, int64_t first, int64_t rows) const;
  void fold_tile(Steps& steps, const Group& group, int64_t first, int64_t rows) const;
  static int64_t rounds_at_once(const Group& group) { return std::max(rounds, tile / group.lanes); }
  // Position t of the group from `first` on: all lanes of one round, then those of the next one.
  int64_t position_of(const Group& group, int64_t first, int64_t t) const {
    return first + t / group.lanes * lanes_ + group.lane + t % group.lanes;
  }
  std::byte* total_of(const Group& group, int64_t index, size_t k, int64_t rows) const;
  void join_strip(int64_t begin, const Segments& segments, int64_t rows, std::span<void* const> outs) const;
  void join_lanes(int64_t totals, int64_t count, int64_t stride, int64_t width) const;
  void combine(std::byte* left, const void* right, size_t k, int64_t rows) const;
  void bind_free(Steps& steps, std::span<const Operand> free) const;
  int64_t lanes_of_group(int64_t rows, int64_t segments, int threads) const;

  const FoldCode& code_;
  const size_t m_;
  const int64_t lanes_;
  const bool positions_are_bases_;  // no instruction on elements reads a number that depends on the position: it only places streams
  const bool only_reads_;           // and each result is an element that is read
  std::vector<simd::FoldTable::Across*> folds_;  // of each column
  std::vector<InputView> inputs_;
  std::vector<Bits64> arguments_;
  std::vector<std::unique_ptr<Steps>> steps_;  // one per thread
  ColumnBlock totals_;                         // of lanes of segments, a column of rows each
};

}  // namespace wf::cpu
