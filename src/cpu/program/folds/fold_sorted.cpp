// Rows of different counts: who folds each, and the order of those in lockstep. See fold_state.h.
#include <algorithm>
#include <numeric>

#include "cpu/program/folds/fold_state.h"

namespace wf::cpu {
namespace {

constexpr int64_t longest_counted = shortest_tree;  // positions; longer rows are sorted by comparisons

template <class T> void take_rows_as(void* out, const void* values, std::span<const int32_t> rows) {
  for (size_t k = 0; k < rows.size(); k++) static_cast<T*>(out)[k] = static_cast<const T*>(values)[rows[k]];
}
void take_rows(void* out, const void* values, int64_t size, std::span<const int32_t> rows) {
  (size == 1 ? take_rows_as<uint8_t> : size == 4 ? take_rows_as<uint32_t> : take_rows_as<uint64_t>)(out, values, rows);
}

}  // namespace

// Counting sort if counts are small.
void FoldState::sort_short_rows(int64_t longest) {
  sorted_.clear();
  if (longest > longest_counted) {
    for (size_t row = 0; row < counts_.size(); row++)
      if (counts_[row] > 0 && counts_[row] <= longest) sorted_.push_back(int32_t(row));
    std::ranges::stable_sort(sorted_, std::greater(), [&](int32_t row) { return counts_[row]; });
  } else {
    int32_t starts[longest_counted + 2] = {};  // of the rows with count c, at index longest - c
    for (int64_t count : counts_)
      if (count > 0 && count <= longest) starts[longest - count + 1]++;
    std::partial_sum(starts, starts + longest + 1, starts);
    sorted_.resize(size_t(starts[longest]));
    for (size_t row = 0; row < counts_.size(); row++)
      if (counts_[row] > 0 && counts_[row] <= longest) sorted_[size_t(starts[longest - counts_[row]]++)] = int32_t(row);
  }
  sorted_counts_.resize(sorted_.size());
  for (size_t k = 0; k < sorted_.size(); k++) sorted_counts_[k] = counts_[sorted_[k]];
}

// Moves the longest rows from lockstep to along as long as the steps that they alone have cost more.
void FoldState::leave_longest_to_along() {
  size_t moved = 0;
  int64_t steps = 0;
  for (size_t k = 0, best = 0; k < sorted_.size(); k++) {
    const int64_t next = k + 1 < sorted_.size() ? sorted_counts_[k + 1] : 0;
    steps += sorted_counts_[k] - next;
    if (steps * step_cost_ > int64_t(k + 1 - best) * row_cost_) moved = best = k + 1, steps = 0;
  }
  along_.insert(along_.end(), sorted_.begin(), sorted_.begin() + int64_t(moved));
  sorted_.erase(sorted_.begin(), sorted_.begin() + int64_t(moved));
  sorted_counts_.erase(sorted_counts_.begin(), sorted_counts_.begin() + int64_t(moved));
}

std::vector<Operand> FoldState::sorted_free_values() {
  std::vector<Operand> free(block_->free.begin(), block_->free.end());
  for (size_t k = 0; k < free.size(); k++) {
    if (free[k].step == 0) continue;
    sorted_free_[k].resize((sorted_.size() + tile - 1) / tile);
    take_rows(sorted_free_[k].data(), free[k].data, int64_t(size_of(code_.free_types[k])), sorted_);
    free[k].data = sorted_free_[k].data();
  }
  return free;
}

}  // namespace wf::cpu
