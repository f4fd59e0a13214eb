#include "cpu/scan_tree.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wf::cpu {

TreePrefixer::TreePrefixer(const Combine& combine)
    : combine_(combine),
      m_(combine.columns()),
      frame_(combine.program),
      piece_(int64_t(std::bit_floor(uint64_t(2 * combine.program->block())))),
      rights_(combine.types, piece_ / 2),
      lone_(combine.types, 64),
      current_(m_),
      operands_(2 * m_),
      results_(m_) {
  for (int64_t count = piece_; count > 0; count /= 2)
    levels_.push_back({Block(combine.types, count / 2), Block(combine.types, count / 2), Block(combine.types, count + 1), 0});
}

void TreePrefixer::bind_inputs(std::span<const InputView> inputs) {
  inputs_ = inputs;
  frame_.bind_inputs(inputs);
}

void TreePrefixer::bind(const Block& lefts, const Block& rights) {
  for (int k = 0; k < m_; k++) {
    frame_.bind_param(uint32_t(k), lefts.at(k));
    frame_.bind_param(uint32_t(m_ + k), rights.at(k));
  }
}

// Sums of neighbours, level by level, until one element or none is left; the number of the last level.
size_t TreePrefixer::up(std::span<const void* const> columns, int64_t count) {
  size_t number = 0;
  for (;; number++) {
    Level& level = levels_[number];
    auto element = [&](int k) { return number ? levels_[number - 1].sums.at(k) : static_cast<const std::byte*>(columns[k]); };
    level.count = count;
    if (count % 2)
      for (int k = 0; k < m_; k++) {
        const size_t size = size_t(lone_.size(k));
        std::memcpy(lone_.at(k, int64_t(number)), element(k) + (count - 1) * int64_t(size), size);
      }
    if (count <= 1) return number;
    count /= 2;
    for (int k = 0; k < m_; k++)
      simd_tables().streams.split(rights_.size(k), element(k), count, level.lefts.at(k), rights_.at(k));
    bind(level.lefts, rights_);
    frame_.run(0, 0, count);
    for (int k = 0; k < m_; k++)
      std::memcpy(level.sums.at(k), frame_.result(uint32_t(k)), size_t(count * level.sums.size(k)));
  }
}

// Prefixes of the level above become those of this one: E[2i] = E'[i], E[2i+1] = E'[i] f x[2i].
void TreePrefixer::down(size_t top, std::span<const Bits64> carry) {
  for (int k = 0; k < m_; k++) levels_[top].prefixes.set(k, 0, carry[k]);
  if (levels_[top].count == 1) pass_lone(top);
  for (size_t number = top; number-- > 0;) {
    Level& level = levels_[number];
    const Block& above = levels_[number + 1].prefixes;
    const int64_t pairs = level.count / 2;
    bind(above, level.lefts);
    frame_.run(0, 0, pairs);
    for (int k = 0; k < m_; k++) {
      const Block& prefixes = level.prefixes;
      simd_tables().streams.join(prefixes.size(k), above.at(k), frame_.result(uint32_t(k)), pairs, prefixes.at(k));
      prefixes.set(k, 2 * pairs, above.get(k, pairs));
    }
    if (level.count % 2) pass_lone(number);
  }
}

// The prefix behind the last element of a level where that has no partner.
void TreePrefixer::pass_lone(size_t number) {
  const Level& level = levels_[number];
  for (int k = 0; k < m_; k++) {
    operands_[k] = level.prefixes.get(k, level.count - 1);
    operands_[m_ + k] = lone_.get(k, int64_t(number));
  }
  combine_.one(operands_, inputs_, results_, fault_);
  for (int k = 0; k < m_; k++) level.prefixes.set(k, level.count, results_[k]);
}

void TreePrefixer::run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry,
                       const PrefixTargets& targets) {
  const Block& prefixes = levels_[0].prefixes;
  for (int64_t done = 0; done < count; done += piece_) {
    const int64_t length = std::min(piece_, count - done);
    for (int k = 0; k < m_; k++) current_[k] = static_cast<const std::byte*>(columns[k]) + done * prefixes.size(k);
    down(up(current_, length), carry);
    for (int k = 0; k < m_; k++) {
      const int64_t size = prefixes.size(k);
      if (targets.exclusive[k]) std::memcpy(targets.exclusive[k] + done * size, prefixes.at(k), size_t(length * size));
      if (targets.inclusive[k]) std::memcpy(targets.inclusive[k] + done * size, prefixes.at(k, 1), size_t(length * size));
      carry[k] = prefixes.get(k, length);
    }
  }
}

void TreePrefixer::note_fault(RangeFault& first) const {
  for (const RangeFault& fault : {frame_.fault(), fault_})
    if (fault.at >= 0 && first.at < 0) first = fault;
}

}  // namespace wf::cpu
