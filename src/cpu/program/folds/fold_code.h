// A fold inside a function, compiled.
//
// A row is the fold of one element of a block. The programs of its value differ in their domain:
//   along     the positions j of one row: elements at consecutive positions are read in place, as in a map. Free values are numbers
//   lockstep  the rows of a block: one run computes value(j) of all rows that have a position j. j is a number
//   across    the same, for consecutive rows: free values that are base + stride * i in row i are known by their base, so elements of
//             neighbouring rows are read at equal distances, and in place if they are neighbours in memory
//   through   all positions of the rows of a block, one row after another, if their elements follow each other in memory: free values that are
//             no numbers are columns, with a value for each position, except for those of type i64, which are indices (matrix_rows.h)
//
// The order of combination depends on the count and the fold alone, so every way gives the same bits. If each column is combined by
// one operation, position j belongs to lane j modulo `lanes`, each lane is folded from the left, and the lanes are joined by halving, in
// each segment of positions (see loops/fold.h); the segments are folded from the left. Rows of 2^11 positions or more have several segments, so
// that threads that share one block of rows fold different positions: each reads one part of a matrix, the same part as in other loops, some of
// which its caches contain (bench/results/cpu.md). Other functions, for which the order of operands matters, fold short rows from the left and
// long ones in a tree (cpu/reductions/reduce.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cpu/program/columns.h"

namespace wf::cpu {

constexpr int64_t shortest_shared = simd::longest_segment + 1;  // positions of a row that threads may share
constexpr int64_t shortest_tree = 64;                           // positions of a row that a tree reduces
constexpr int64_t ordered_block = 256;  // positions of one step of a tree: the smallest block, so that it fits every program
constexpr int no_lanes = 0;

// Rows of a block that are read in place and folded across, if they have `fewest_of_wide` positions or more: these repay long runs of memory,
// and threads that share one block.
constexpr int64_t widest_block = 1 << 15, fewest_of_wide = 2048;

// The lanes in which each column of `combine` is folded, or no_lanes.
int lanes_of(const Combine& combine);

struct FoldCode {
  struct Free {
    bool is_number;  // one tile, the same for all rows
    int32_t stride;  // base + stride * i in row i; 0: any value
    bool operator==(const Free&) const = default;
  };
  FoldCode(const Fn::LoopInfo& info, std::span<const Free> free);
  // The programs above compile the folds inside of the value one by one, so n nested folds would be compiled 2^n times. While the outermost one
  // is compiled, equal folds share one FoldCode.
  static std::shared_ptr<const FoldCode> of(const Fn::LoopInfo& info, std::span<const Free> free);

  // The positions of a segment of a row of `count` positions.
  int64_t segment_of(int64_t count) const;

  Combine combine;
  int lanes;  // a power of 2; no_lanes: the operands' order matters, or lanes of different columns differ
  std::vector<Free> free;
  std::vector<Type> free_types;
  std::vector<bool> only_bases;  // of free values: along uses them only as the base of an index
  std::shared_ptr<const BlockProgram> along, lockstep;
  std::shared_ptr<const BlockProgram> across;   // null unless its reads are faster than lockstep's
  std::shared_ptr<const BlockProgram> through;  // null unless rows can be computed so
  bool prefers_across = false;                  // they are faster than along's, too
  bool is_strided;                              // an element is read at an index that is a function of j, but not j + base or base - j
  bool reads_inputs;                            // or arguments
  bool in_place;                                // rows_in_place.h folds most rows
  bool together;                                // rows_together.h can fold most rows
};

}  // namespace wf::cpu
