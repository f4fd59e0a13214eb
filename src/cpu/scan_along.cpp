// Scans along an axis: see scan.h.
#include <algorithm>
#include <cstring>

#include "cpu/loops/loops.h"
#include "cpu/worker.h"

namespace wf::cpu {
namespace {

constexpr int64_t wide_row = 1024;     // elements of a row that is divided into strips, 4 KiB or more
constexpr int64_t fewest_lanes = 64;   // columns for which a function's instructions repay their dispatch
constexpr int64_t shortest_row = 256;  // that is scanned by itself, for any function
constexpr int64_t fewest_vectors = 1024;

}  // namespace

bool goes_in_strips(const ScanAxis& axis, const Fn& combine) {
  return axis.inner > 1 && (axis.inner >= wide_row || !Combine::has_register_form(combine));
}

bool scans_along(const ScanAxis& axis, int64_t elements, const Fn& combine) {
  if (Combine::has_register_form(combine)) return true;
  if (axis.inner > 1) return axis.inner >= fewest_lanes;
  return axis.length >= shortest_row && elements / axis.length >= fewest_vectors;
}

ColumnPrefixes::ColumnPrefixes(const Combine& combine, int64_t most)
    : combine_(combine), prefixes_{ColumnBlock(combine.types, most), ColumnBlock(combine.types, most)} {
  if (!combine.in_registers()) frame_.emplace(combine.program);
}

void ColumnPrefixes::bind_inputs(std::span<const InputView> inputs) {
  if (frame_) frame_->bind_inputs(inputs);
}

void ColumnPrefixes::begin(int64_t count) {
  for (int k = 0; k < combine_.columns(); k++)
    for (int64_t c = 0; c < count; c++) prefixes_[latest_].set(k, c, combine_.start[size_t(k)]);
}

void ColumnPrefixes::next(std::span<const void* const> x, int64_t count) {
  const int m = combine_.columns();
  const ColumnBlock &before = prefixes_[latest_], &after = prefixes_[1 - latest_];
  latest_ = 1 - latest_;
  for (int k = 0; !frame_ && k < m; k++) {
    const int64_t step = tile * after.size(k);
    const Operand both[] = {{before.at(k), step}, {x[size_t(k)], step}};
    loops().op[int(combine_.ops[size_t(k)])][int(combine_.types[size_t(k)])](after.at(k), both, (count + tile - 1) / tile);
  }
  if (!frame_) return;
  for (int k = 0; k < m; k++) {
    frame_->bind_param(uint32_t(k), before.at(k));
    frame_->bind_param(uint32_t(m + k), x[size_t(k)]);
    frame_->place_result(uint32_t(k), after.at(k));
  }
  frame_->run(0, 0, count);
  for (int k = 0; k < m; k++)
    if (const void* result = frame_->result(uint32_t(k)); result != after.at(k))
      std::memcpy(after.at(k), result, size_t(count * after.size(k)));
}

ArrayPrefixes::ArrayPrefixes(const Combine& combine, const ScanAxis& axis)
    : combine_(combine), axis_(axis), carries_(combine.types, axis.inner), sums_(combine.types, axis.inner) {
  none_.exclusive.resize(combine.types.size()), none_.inclusive.resize(combine.types.size());
}

void ArrayPrefixes::run(std::span<const void* const> columns, int64_t at, int64_t count, const ColumnBlock& carries,
                        const PrefixTargets& targets) {
  for (size_t k = 0; k < columns.size(); k++) {
    auto* along = simd_tables().prefixes.along[int(combine_.monoids[k])][int(combine_.types[k])];
    along(columns[k], count, {axis_.length, axis_.inner, at % (axis_.length * axis_.inner), combine_.start[k], combine_.neutral[k]},
          carries.at(int(k)), targets.exclusive[k], targets.inclusive[k]);
  }
}

void ArrayPrefixes::run(std::span<const void* const> columns, int64_t at, int64_t count, const PrefixTargets& targets) {
  run(columns, at, count, carries_, targets);
}

void ArrayPrefixes::begin_sum() {
  for (int k = 0; k < combine_.columns(); k++)
    for (int64_t c = 0; c < axis_.inner; c++) sums_.set(k, c, combine_.neutral[size_t(k)]);
}

void ArrayPrefixes::sum(std::span<const void* const> columns, int64_t at, int64_t count) { run(columns, at, count, sums_, none_); }

void ArrayPrefixes::pass(const ColumnBlock& carries, bool begins_array) {
  for (int k = 0; k < combine_.columns(); k++) {
    const auto bytes = size_t(axis_.inner * carries.size(k));
    std::memcpy(carries_.at(k), carries.at(k), bytes);
    if (begins_array) {
      std::memcpy(carries.at(k), sums_.at(k), bytes);
      continue;
    }
    const int64_t step = tile * carries.size(k);
    const Operand both[] = {{carries.at(k), step}, {sums_.at(k), step}};
    loops().op[int(combine_.ops[size_t(k)])][int(combine_.types[size_t(k)])](carries.at(k), both, (axis_.inner + tile - 1) / tile);
  }
}

// Whole arrays, or parts of them in a chain. What precedes the last array that begins in a part does not matter to the next part.
void Worker::scan_arrays(int64_t chunk, int64_t begin, int64_t end) {
  if (run_->carries.columns() > 0) {
    const ScanAxis& axis = array_prefixes_->axis();
    const int64_t size = axis.length * axis.inner, last_array = end / size * size, from = std::max(begin, last_array);
    array_prefixes_->begin_sum();
    for (int64_t at = from; at < end; at += compiled_.block) {
      const int64_t count = std::min(compiled_.block, end - at);
      frame_.run(0, at, count);
      scanned_values();
      array_prefixes_->sum(columns_, at, count);
    }
    run_->carry_turn.wait(chunk, run_->chunks);
    array_prefixes_->pass(run_->carries, last_array >= begin);
    run_->carry_turn.pass(chunk);
  }
  scan_blocks(begin, end, false);
}

void Worker::begin_arrays_with_identity(int64_t at, int64_t count) {
  if (compiled_.scan->start == compiled_.scan->identity || std::ranges::count(compiled_.exclusive_used, true) == 0) return;
  const ScanAxis& axis = array_prefixes_->axis();
  const int64_t size = axis.length * axis.inner;
  for (int64_t first = at / size * size; first < at + count; first += size) {
    const int64_t from = std::max(first, at), to = std::min(first + axis.inner, at + count);
    if (from < to) begin_with_identity(exclusive_, from - at, to - from);
  }
}

void Worker::scan_rows(int64_t begin, int64_t end) {
  const int64_t length = compiled_.kernel.scan[0].axis.length;
  for (int64_t row = begin; row < end; row += length) {
    carry_ = compiled_.scan->start;
    scan_blocks(row, row + length, false);
  }
}

void Worker::scan_columns(int64_t strip) {
  const auto [length, inner] = compiled_.kernel.scan[0].axis;
  const uint32_t m = uint32_t(compiled_.scan->columns());
  const int64_t width = run_->chunk_length, strips = (inner + width - 1) / width;
  const int64_t first = strip % strips * width, count = std::min(width, inner - first);
  column_prefixes_->begin(count);
  for (int64_t l = 0, at = strip / strips * length * inner + first; l < length; l++, at += inner) {
    frame_.run(0, at, count);
    scanned_values();
    column_prefixes_->next(columns_, count);
    if (l == 0) begin_with_identity(column_prefixes_->before(), 0, count);
    for (uint32_t k = 0; k < m; k++) {
      frame_.bind_param(1 + k, column_prefixes_->exclusive(int(k)));
      frame_.bind_param(1 + m + k, column_prefixes_->inclusive(int(k)));
    }
    if (compiled_.has_phase_1) frame_.run(1, at, count);
    sink_block(at, count);
  }
}

}  // namespace wf::cpu
