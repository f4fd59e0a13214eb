#include "cpu/reduce_tree.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wf::cpu {
namespace {

constexpr int64_t few = 32;       // below this another step of halving costs more than it saves
constexpr int64_t most_odd = 64;  // steps of halving that a length can take

}  // namespace

TreeReducer::TreeReducer(const Combine& combine)
    : combine_(combine),
      m_(combine.columns()),
      frame_(combine.program),
      capacity_(2 * combine.program->block()),
      operands_{Block(combine.operand_types(), capacity_ / 2), Block(combine.operand_types(), capacity_ / 2)},
      current_(m_),
      odd_ones_(combine.types, most_odd) {}

void TreeReducer::clear() {
  for (Level& level : levels_) level.count = 0;
}

void TreeReducer::add(std::span<const void* const> columns, int64_t count) {
  for (int64_t done = 0; done < count; done += capacity_) {
    make_room(0);
    for (int k = 0; k < m_; k++)
      current_[k] = static_cast<const std::byte*>(columns[k]) + done * int64_t(size_of(combine_.types[k]));
    reduce_into(0, std::min(capacity_, count - done), few);
  }
}

void TreeReducer::add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) {
  if (chosen_.capacity() == 0) chosen_ = Block(combine_.types, capacity_);
  for (int64_t done = 0; done < count; done += capacity_) {
    make_room(0);
    int64_t kept = 0, length = std::min(capacity_, count - done);
    for (int k = 0; k < m_; k++) {
      auto* compress = simd_tables().compresses.of_size(chosen_.size(k));
      auto from = static_cast<const std::byte*>(columns[k]) + done * chosen_.size(k);
      kept = compress(from, mask + done, length, chosen_.at(k));
      current_[k] = chosen_.at(k);
    }
    reduce_into(0, kept, few);
  }
}

// current = current[0] f current[1], current[2] f current[3], ...
void TreeReducer::halve(int64_t pairs) {
  Block& operands = operands_[turn_ ^= 1];
  for (int k = 0; k < m_; k++) {
    simd_tables().streams.split(operands.size(k), current_[k], pairs, operands.at(k), operands.at(m_ + k));
    frame_.bind_param(uint32_t(k), operands.at(k));
    frame_.bind_param(uint32_t(m_ + k), operands.at(m_ + k));
  }
  frame_.run(0, 0, pairs);
  for (int k = 0; k < m_; k++) current_[k] = frame_.result(uint32_t(k));
}

// Halves the `count` current elements until at most `until` are left, and appends those to a level that has room, with those
// that had no partner behind them.
void TreeReducer::reduce_into(size_t to, int64_t count, int64_t until) {
  Level& level = levels_[to];
  int64_t odd = 0;
  while (count > until) {
    if (count % 2) {
      count--;
      for (int k = 0; k < m_; k++) {
        auto last = static_cast<const std::byte*>(current_[k]) + count * odd_ones_.size(k);
        std::memcpy(odd_ones_.at(k, odd), last, size_t(odd_ones_.size(k)));
      }
      odd++;
    }
    halve(count /= 2);
  }
  const Block& partials = level.partials;
  for (int k = 0; k < m_; k++) {
    const int64_t size = partials.size(k);
    std::memcpy(partials.at(k, level.count), current_[k], size_t(count * size));
    for (int64_t i = 0; i < odd; i++)
      std::memcpy(partials.at(k, level.count + count + i), odd_ones_.at(k, odd - 1 - i), size_t(size));
  }
  level.count += count + odd;
}

// Sees to it that the level takes what a reduction leaves: a full one is emptied into the next.
void TreeReducer::make_room(size_t number) {
  if (number == levels_.size()) levels_.push_back({Block(combine_.types, capacity_), 0});
  if (levels_[number].count + few + most_odd > capacity_) move_up(number, few);
}

// Reduces all that a level holds into the next one.
void TreeReducer::move_up(size_t number, int64_t until) {
  make_room(number + 1);
  take(levels_[number].partials);
  reduce_into(number + 1, std::exchange(levels_[number].count, 0), until);
}

void TreeReducer::take(const Block& elements) {
  for (int k = 0; k < m_; k++) current_[k] = elements.at(k);
}

bool TreeReducer::total(std::span<Bits64> results) {
  // Earlier elements lie in higher levels: each level goes behind what the next one holds.
  for (size_t number = 0; number + 1 < levels_.size(); number++)
    if (levels_[number].count > 0) move_up(number, 1);
  if (levels_.empty() || levels_.back().count == 0) return false;
  const size_t top = levels_.size() - 1;
  while (levels_[top].count > 1) {
    take(levels_[top].partials);
    reduce_into(top, std::exchange(levels_[top].count, 0), 1);
  }
  for (int k = 0; k < m_; k++) results[k] = levels_[top].partials.get(k, 0);
  return true;
}

void TreeReducer::note_fault(RangeFault& first) const {
  const RangeFault& fault = frame_.fault();
  if (fault.at >= 0 && first.at < 0) first = fault;
}

}  // namespace wf::cpu
