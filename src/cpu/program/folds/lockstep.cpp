#include "cpu/program/folds/lockstep.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/program/folds/across.h"

namespace wf::cpu {
namespace {

constexpr int64_t joined_at_once = 8;        // positions
constexpr int64_t most_rows_at_once = 2048;  // whose partial results stay in the caches

// Bit-reversed: position k of the order in which `count` lanes are joined, a power of 2.
int64_t lane_in_order(int64_t k, int64_t count) {
  int64_t lane = 0;
  for (; count > 1; count /= 2, k /= 2) lane = 2 * lane + k % 2;
  return lane;
}

}  // namespace

Lockstep::Lockstep(const FoldCode& code, std::shared_ptr<const BlockProgram> value)
    : code_(code),
      m_(code.combine.columns()),
      only_reads_(code.lanes != no_lanes && only_reads(*value)),
      has_checks_(!value->impl().phases[0].code.empty()),
      frame_(value),
      rows_(std::min(value->block(), most_rows_at_once)),
      bases_(code.free.size()),
      identity_(size_t(m_)),
      results_(code.combine.types, rows_),
      values_(size_t(m_)),
      columns_(size_t(m_)),
      elements_(only_reads_ ? size_t(m_) : 0) {
  const int levels = code.lanes == no_lanes ? 0 : 1 + std::bit_width(unsigned(only_reads_ ? most_joined : code.lanes));
  for (int k = 0; k < levels; k++) partials_.emplace_back(code.combine.types, rows_);
  for (int k = 0; k < m_; k++) fill_tile(&identity_[k], code.combine.types[k], code.combine.identity[k]);
  if (!code.combine.in_registers()) {
    combine_frame_.emplace_back(code.combine.program);
    rows_ = std::min(rows_, code.combine.program->block());
  }
}

void Lockstep::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  frame_.bind_inputs(inputs, arguments);
  for (Frame& frame : combine_frame_) frame.bind_inputs(inputs, arguments);
}

void Lockstep::bind_free(std::span<const Operand> free) {
  frame_.bind_param(0, &position_);
  for (uint32_t k = 0; k < free.size(); k++) {
    frame_.bind_param(1 + k, free[k].data);
    if (code_.free[k].stride == 0) continue;
    fill_tile(&bases_[k], Type::I64, read_bits(free[k].data, 8));
    frame_.bind_base(1 + k, &bases_[k]);
  }
}

void Lockstep::run(std::span<const Operand> free, std::span<const int64_t> counts) {
  counts_ = counts;
  bind_free(free);
  const int64_t longest = counts[0];
  if (only_reads_ && longest > 1 && longest <= longest_joined(code_) && counts.back() == longest &&
      find_elements(longest, int64_t(counts.size())))
    return join_elements(results_, 0, 0, 1, longest);
  if (code_.lanes != no_lanes) {
    fold_subtree(results_, 0, 0, 1, longest);
    return;
  }
  const int64_t tiles = (int64_t(counts.size()) + tile - 1) / tile;
  for (int k = 0; k < m_; k++) {
    const Operand identity{&identity_[k], 0};
    loops().copy[log_size(code_.combine.types[k])](results_.at(k), &identity, tiles);
  }
  for (int64_t j = 0; j < longest && !has_fault(); j++) combine(results_, values_, step(j));
}

void Lockstep::prepend_identity(int k, void* out) const {
  const Operand both[] = {{&identity_[size_t(k)], 0}, {results_.at(k), tile * results_.size(k)}};
  const Loop loop = loops().op[int(code_.combine.ops[size_t(k)])][int(code_.combine.types[size_t(k)])];
  loop(out, both, (int64_t(counts_.size()) + tile - 1) / tile);
}

// Positions l and l + lanes are joined first, as if there were twice as many lanes. The order of integers does not matter.
int64_t Lockstep::longest_joined(const FoldCode& code) {
  return code.lanes == 1 ? most_joined : std::min<int64_t>(2 * code.lanes, most_joined);
}

// The number of rows that have this position.
int64_t Lockstep::rows_with(int64_t position) const {
  if (counts_.back() > position) return int64_t(counts_.size());
  return std::ranges::partition_point(counts_, [&](int64_t count) { return count > position; }) - counts_.begin();
}

// Computes value(position) of the rows that have it, and returns their number.
int64_t Lockstep::step(int64_t position) {
  const int64_t rows = rows_with(position);
  std::fill_n(reinterpret_cast<int64_t*>(&position_), tile, position);
  frame_.enter_row();
  frame_.run(0, 0, rows);
  for (int k = 0; k < m_; k++) values_[k] = frame_.result(uint32_t(k));
  return rows;
}

// Folds the positions first, first + stride, ... below `end` into `total`; returns the number of rows that have the first.
// Partial results are stored from `level` on.
int64_t Lockstep::fold_subtree(const ColumnBlock& total, size_t level, int64_t first, int64_t stride, int64_t end) {
  if (stride == code_.lanes) {
    const int64_t rows = step(first);
    for (int k = 0; k < m_; k++) std::memcpy(total.at(k), values_[k], size_t(rows * total.size(k)));
    for (int64_t j = first + stride; j < end; j += stride) combine(total, values_, step(j));
    return rows;
  }
  const int64_t rows = fold_subtree(total, level, first, 2 * stride, end), second = first + stride;
  if (second >= end) return rows;
  if (second + 2 * stride >= end) {  // one position
    combine(total, values_, step(second));
  } else {
    const ColumnBlock& right = partials_[level + 1];
    const int64_t right_rows = fold_subtree(right, level + 1, second, 2 * stride, end);
    combine(total, columns_of(right), right_rows);
  }
  return rows;
}

// Finds the elements of all positions in memory. Returns false if some are elsewhere.
bool Lockstep::find_elements(int64_t count, int64_t rows) {
  auto* positions = reinterpret_cast<int64_t*>(&position_);
  bool are_in_place = true;
  for (int64_t j = 0; j < count && are_in_place; j++) {
    const int64_t t = j % tile;
    if (t == 0) {
      for (int64_t k = 0; k < tile; k++) positions[k] = std::min(j + k, count - 1);
      frame_.enter_row();
    }
    frame_.select_row(int(t), int(t));
    if (has_checks_) frame_.run(0, 0, rows);
    for (int k = 0; k < m_; k++) {
      const void* elements = frame_.in_place(uint32_t(k), 0, rows);
      elements_[size_t(k)][size_t(j)] = elements;
      are_in_place &= elements != nullptr;
    }
  }
  frame_.select_row(0, -1);
  return are_in_place;
}

// Joins the positions first, first + stride, ... below `count` into `total`, at least one.
void Lockstep::join_elements(const ColumnBlock& total, size_t level, int64_t first, int64_t stride, int64_t count) {
  const auto rows = int64_t(counts_.size()), tiles = (rows + tile - 1) / tile * tile, lanes = (count - first + stride - 1) / stride;
  if (lanes == 1 || (lanes <= joined_at_once && std::has_single_bit(uint64_t(lanes)))) {
    for (size_t k = 0; k < size_t(m_); k++) {
      const void* x[joined_at_once];
      for (int64_t l = 0; l < lanes; l++) x[l] = elements_[k][size_t(first + stride * lane_in_order(l, lanes))];
      const auto type = size_t(code_.combine.types[k]);
      if (lanes == 1) std::memcpy(total.at(int(k)), x[0], size_t(rows * total.size(int(k))));
      else simd_tables().folds.tree[size_t(code_.combine.monoids[k])][type](x, int(lanes), tiles, total.at(int(k)));
    }
    return;
  }
  const ColumnBlock& right = partials_[level + 1];
  join_elements(total, level, first, 2 * stride, count);
  join_elements(right, level + 1, first + stride, 2 * stride, count);
  combine(total, columns_of(right), rows);
}

Lockstep::Columns Lockstep::columns_of(const ColumnBlock& block) {
  for (int k = 0; k < m_; k++) columns_[k] = block.at(k);
  return columns_;
}

// left[r] = left[r] f right[r] for r < rows; what follows in `left` is not changed.
void Lockstep::combine(const ColumnBlock& left, Columns right, int64_t rows) {
  if (!combine_frame_.empty()) return combine_by_program(left, right, rows);
  const int64_t whole = rows / tile, rest = rows % tile;
  for (int k = 0; k < m_; k++) {
    const Loop loop = loops().op[int(code_.combine.ops[k])][int(code_.combine.types[k])];
    const int64_t step = tile * left.size(k);
    Operand both[] = {{left.at(k), step}, {right[k], step}};
    if (whole > 0) loop(left.at(k), both, whole);
    if (rest == 0) continue;
    Tile last;
    for (Operand& operand : both) operand.data = static_cast<const std::byte*>(operand.data) + whole * step;
    loop(&last, both, 1);
    std::memcpy(left.at(k, whole * tile), &last, size_t(rest * left.size(k)));
  }
}

void Lockstep::combine_by_program(const ColumnBlock& left, Columns right, int64_t rows) {
  Frame& frame = combine_frame_[0];
  for (int k = 0; k < m_; k++) {
    frame.bind_param(uint32_t(k), left.at(k));
    frame.bind_param(uint32_t(m_ + k), right[k]);
  }
  frame.run(0, 0, rows);
  for (int k = 0; k < m_; k++) std::memcpy(left.at(k), frame.result(uint32_t(k)), size_t(rows * left.size(k)));
}

}  // namespace wf::cpu
