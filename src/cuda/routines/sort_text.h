// The text of the kernels that sort and merge rows of given columns in a given order.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "plan/routine.h"

namespace wf::cuda {

struct SortText {
  std::string text;
  int threads = 0, items = 0;  // of a block; rows per thread
  int tile() const { return threads * items; }
};

// True if rows of n elements of these types are sorted each on its own.
bool sorts_rows(std::span<const Type> types, int64_t n);

struct SortRowsText {
  std::string text;
  int threads = 0;
  int64_t rows = 0;  // of a block
};

// The kernel warpfold_sort_rows, for rows of n elements. Its one argument is a structure of 8-byte words: the address of each column read, of each
// column written, the number of rows and their length.
SortRowsText sort_rows_text(const RoutineCall& call, int64_t n);

// The kernels warpfold_sort_tiles, warpfold_find_begins and warpfold_merge_tiles. Their one argument is a structure of 8-byte words: the
// address of each column read, of each column written, the number of rows, the rows of the first run of a pair, those of a pair, and the
// address of one word per tile.
// Throws UnsupportedError if a row is larger than a block's shared memory, or the order calls a function without source.
SortText sort_text(const RoutineCall& call);

}  // namespace wf::cuda
