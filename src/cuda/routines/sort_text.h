// The text of the kernels that sort and merge rows of given columns in a given order.
#pragma once

#include <string>

#include "plan/routine.h"

namespace wf::cuda {

struct SortText {
  std::string text;
  int threads = 0, items = 0;  // of a block; rows per thread
  int tile() const { return threads * items; }
};

// The kernels warpfold_sort_tiles, warpfold_find_begins and warpfold_merge_tiles. Their one argument is a structure of 8-byte words: the
// address of each column read, of each column written, the number of rows, the rows of the first run of a pair, those of a pair, and the
// address of one word per tile.
// Throws UnsupportedError if a row is larger than a block's shared memory, or the order calls a function without source.
SortText sort_text(const RoutineCall& call);

}  // namespace wf::cuda
