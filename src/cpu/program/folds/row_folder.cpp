#include "cpu/program/folds/row_folder.h"

#include <algorithm>
#include <cstring>

#include "engine/cancellation.h"

namespace wf::cpu {

RowFolder::RowFolder(const FoldCode& code)
    : code_(code),
      frame_(code.along),
      reducer_(make_reducer(code.combine)),
      block_(code.combine.in_registers() ? code.along->block() : ordered_block),
      tiles_(code.free.size()),
      columns_(size_t(code.combine.columns())) {}

void RowFolder::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  frame_.bind_inputs(inputs, arguments);
  reducer_->bind_inputs(inputs, arguments);
}

void RowFolder::bind_free(std::span<const Operand> free) {
  free_.assign(free.begin(), free.end());
  for (uint32_t k = 0; k < free_.size(); k++) frame_.bind_param(1 + k, free_[k].step != 0 ? &tiles_[k] : free_[k].data);
}

void RowFolder::enter(int64_t row) {
  for (size_t k = 0; k < free_.size(); k++) {
    if (free_[k].step == 0) continue;
    const Type type = code_.free_types[k];
    const auto size = int64_t(size_of(type));
    const auto* value = static_cast<const std::byte*>(free_[k].data) + row * size;
    if (code_.only_bases[k]) std::memcpy(&tiles_[k], value, sizeof(int64_t));
    else fill_tile(&tiles_[k], type, read_bits(value, size));
  }
  frame_.enter_row();
}

std::span<const void* const> RowFolder::values(int64_t begin, int64_t count) {
  frame_.run(0, begin, count);
  for (uint32_t k = 0; k < columns_.size(); k++) columns_[k] = frame_.result(k);
  return columns_;
}

void RowFolder::total(int64_t begin, int64_t end, std::span<Bits64> results) {
  if (code_.combine.in_registers() && end - begin <= block_) return total_of_block(begin, end - begin, results);
  reducer_->clear();
  for (int64_t at = begin; at < end && !has_fault(); at += block_) {
    stop_if_canceled();
    const int64_t count = std::min(block_, end - at);
    reducer_->add(values(at, count), count);
  }
  reducer_->total(results);
}

void RowFolder::total_of_block(int64_t begin, int64_t count, std::span<Bits64> results) {
  const Combine& combine = code_.combine;
  const auto columns = values(begin, count);
  for (size_t k = 0; k < results.size(); k++) {
    auto* total = simd_tables().folds.total[int(combine.monoids[k])][int(combine.types[k])];
    results[k] = total(columns[k], count, combine.neutral[k]);
  }
}

RangeFault RowFolder::first_fault(int64_t count) {
  frame_.forget_fault();
  for (int64_t at = 0; at < count && !has_fault(); at += block_) frame_.run(0, at, std::min(block_, count - at));
  const RangeFault fault = frame_.fault();
  frame_.forget_fault();
  return fault;
}

}  // namespace wf::cpu
