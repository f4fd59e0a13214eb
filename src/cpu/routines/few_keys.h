// Sorting by keys that take few different values: elements are counted by key, and each is stored at its place at once.
#pragma once

#include <memory>
#include <span>

#include "cpu/routines/rows.h"

namespace wf::cpu {

// The order words of a key column are `least` + a number of `bits` bits each.
struct KeyRange {
  uint64_t least;
  int bits;
};

// Sorts the rows by their first columns, one per range, if these take few different values together. Returns false if they do not.
bool sort_few_keys(const Rows& rows, std::span<const KeyRange> ranges, bool descending, const std::shared_ptr<Pool>& pool);

}  // namespace wf::cpu
