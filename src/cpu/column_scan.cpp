// Scans along an axis: see scan.h.
#include <algorithm>
#include <cstring>

#include "cpu/loops/loops.h"
#include "cpu/worker.h"

namespace wf::cpu {

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
    if (l == 0) begin_with_identity(column_prefixes_->before(), count);
    for (uint32_t k = 0; k < m; k++) {
      frame_.bind_param(1 + k, column_prefixes_->exclusive(int(k)));
      frame_.bind_param(1 + m + k, column_prefixes_->inclusive(int(k)));
    }
    if (compiled_.has_phase_1) frame_.run(1, at, count);
    sink_block(at, count);
  }
}

}  // namespace wf::cpu
