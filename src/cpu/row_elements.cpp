#include "cpu/row_elements.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cpu/loops/repeat.h"
#include "cpu/program/compile.h"
#include "cpu/program/frame.h"

namespace wf::cpu {
namespace {

constexpr int64_t long_row = 256;

}  // namespace

ElementCode::ElementCode(const RowElements& elements) : count(elements.count), by_row(count >= long_row) {
  const Fn& value = *elements.value;
  for (size_t k = 1; k < value.params.size(); k++) types.push_back(value.params[k].type);
  std::vector<uint32_t> all(value.results.size());
  std::iota(all.begin(), all.end(), 0u);
  CompileOptions options{.early = all, .indexed = true};
  if (by_row) {
    options.repeated.assign(value.params.size(), true);
    options.repeated[0] = false;
    options.rows = true;
  }
  program = BlockProgram::compile(value, options);
}

ElementFrame::ElementFrame(const ElementCode& code)
    : code_(code), frame_(code.program), columns_(code.types, tile + (code.by_row ? 0 : code.program->block())) {
  for (uint32_t k = 0; k < code.types.size(); k++) frame_.bind_param(1 + k, columns_.at(int(k)));
}

void ElementFrame::run(int64_t first, int64_t rows, std::span<const void* const> values,
                       const std::function<void(int64_t, int64_t)>& sink) {
  if (code_.by_row) {
    for (int64_t r = 0; r < rows; r++) run_row(first + r, r, values, sink);
    return;
  }
  const int64_t most = code_.program->block() / code_.count;
  for (int64_t row = 0; row < rows; row += most) {
    const int64_t some = std::min(most, rows - row), count = some * code_.count, at = (first + row) * code_.count;
    for (size_t k = 0; k < values.size(); k++) {
      const auto size = size_of(code_.types[k]);
      repeat_each(static_cast<const std::byte*>(values[k]) + row * int64_t(size), size, some, code_.count, columns_.at(int(k)));
    }
    frame_.run(0, at, count);
    sink(at, count);
  }
}

void ElementFrame::run_row(int64_t row, int64_t place, std::span<const void* const> values,
                           const std::function<void(int64_t, int64_t)>& sink) {
  for (size_t k = 0; k < values.size(); k++) {
    const auto size = int64_t(size_of(code_.types[k]));
    fill_tile(columns_.at(int(k)), code_.types[k], read_bits(static_cast<const std::byte*>(values[k]) + place * size, size));
  }
  frame_.enter_row();
  const int64_t block = code_.program->block(), end = (row + 1) * code_.count;
  for (int64_t at = row * code_.count; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
    frame_.run(0, at, count);
    sink(at, count);
  }
}

}  // namespace wf::cpu
