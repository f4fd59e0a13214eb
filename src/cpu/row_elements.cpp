#include "cpu/row_elements.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cpu/program/compile.h"
#include "cpu/program/frame.h"

namespace wf::cpu {
namespace {

constexpr int64_t long_row = 256;

template <class T> void repeat_as(const void* values, int64_t count, int64_t begin, int64_t end, void* to) {
  auto* out = static_cast<T*>(to);
  const auto* value = static_cast<const T*>(values) + begin / count;
  for (int64_t at = begin; at < end; value++) {
    const int64_t past = std::min(end, at / count * count + count);
    out = std::fill_n(out, past - at, *value);
    at = past;
  }
}

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
    : code_(code), frame_(code.program), columns_(code.types, code.by_row ? tile : code.program->block()) {
  for (uint32_t k = 0; k < code.types.size(); k++) frame_.bind_param(1 + k, columns_.at(int(k)));
}

void ElementFrame::run(int64_t first, int64_t rows, std::span<const void* const> values,
                       const std::function<void(int64_t, int64_t)>& sink) {
  if (code_.by_row) {
    for (int64_t r = 0; r < rows; r++) run_row(first + r, r, values, sink);
    return;
  }
  const int64_t block = code_.program->block(), end = rows * code_.count;
  for (int64_t at = 0; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
    for (size_t k = 0; k < values.size(); k++) repeat(k, values[k], at, at + count);
    frame_.run(0, first * code_.count + at, count);
    sink(first * code_.count + at, count);
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

// Stores the values of the rows of elements begin to end, each as often as the row has elements among them.
void ElementFrame::repeat(size_t k, const void* values, int64_t begin, int64_t end) {
  void* const to = columns_.at(int(k));
  switch (size_of(code_.types[k])) {
    case 1: return repeat_as<uint8_t>(values, code_.count, begin, end, to);
    case 4: return repeat_as<uint32_t>(values, code_.count, begin, end, to);
    default: return repeat_as<uint64_t>(values, code_.count, begin, end, to);
  }
}

}  // namespace wf::cpu
