#include "cpu/program/panels.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace wf::cpu {
namespace {

constexpr int64_t longest_stride = int64_t(1) << 40;  // products with extents of panels do not overflow
constexpr int64_t line = 64, most_panel_bytes = int64_t(3) << 18, fewest_input_bytes = int64_t(1) << 18;

// to[row * row_length + column] = from[column * stride + row], by squares that fit in registers and the first-level cache. The lines
// of the square after the next one are prefetched, since processors do not predict them.
template <class T> void transpose(T* to, int64_t row_length, const T* from, int64_t stride, int64_t rows, int64_t columns) {
  constexpr int64_t side = 16;
  int64_t column = 0;
  if (rows == side)
    for (; column + side <= columns; column += side) {
      T square[side][side];
      for (int64_t c = 0; c < side; c++) {
        std::memcpy(square[c], from + (column + c) * stride, sizeof square[c]);
        __builtin_prefetch(from + std::min(column + c + 2 * side, columns - 1) * stride);
      }
      for (int64_t r = 0; r < side; r++)
        for (int64_t c = 0; c < side; c++) to[r * row_length + column + c] = square[c][r];
    }
  for (; column < columns; column++)
    for (int64_t r = 0; r < rows; r++) to[r * row_length + column] = from[column * stride + r];
}

}  // namespace

bool Panels::fit(const Walk& walk, size_t size) {
  if (walk.axes.size() < 2 || size == 1 || walk.has_argument()) return false;
  const auto [extent, stride] = walk.axes[0];
  const bool is_transposed = walk.axes[1].stride == 1 && stride >= line / int64_t(size) && stride <= longest_stride && extent >= rows;
  return is_transposed && (extent + columns - 1) / columns * rows * row_length * int64_t(size) <= most_panel_bytes;
}

Panels::Panels(const Walk& walk, size_t size)
    : size_(size), extent_(walk.axes[0].extent), stride_(walk.axes[0].stride), height_(walk.axes[1].extent) {
  origins_.assign(size_t((extent_ + columns - 1) / columns), -1);
}

void Panels::forget() { std::ranges::fill(origins_, -1); }

int64_t Panels::origin_of(int64_t first, const int64_t* digits) const {
  return int64_t(uint64_t(first) - uint64_t(digits[0] * stride_ + digits[1] % rows));
}

// The rows of a panel. The last group may be smaller; the outermost axis has no extent, so the end of the input limits it.
int64_t Panels::rows_at(const InputView& input, int64_t origin, const int64_t* digits) const {
  const int64_t readable = std::min(rows, input.length - origin - (extent_ - 1) * stride_);
  return height_ > 0 ? std::min(readable, height_ - (digits[1] - digits[1] % rows)) : readable;
}

bool Panels::covers(const InputView& input, int64_t first, const int64_t* digits) {
  const int64_t origin = origin_of(first, digits);
  if (input.length * int64_t(size_) < fewest_input_bytes || origin < 0 || rows_at(input, origin, digits) <= digits[1] % rows) return false;
  if (!memory_) memory_.reset(new (std::nothrow) std::byte[(origins_.size() * size_t(rows * row_length) + size_t(tile)) * size_]);
  return memory_ != nullptr;
}

const std::byte* Panels::panel(const InputView& input, int64_t origin, int64_t number, int64_t count) {
  std::byte* memory = memory_.get() + size_t(number * rows * row_length) * size_;
  if (origins_[size_t(number)] == origin) return memory;
  origins_[size_t(number)] = origin;
  const int64_t first = number * columns, width = std::min(columns, extent_ - first);
  const auto* from = static_cast<const std::byte*>(input.data) + (origin + first * stride_) * int64_t(size_);
  if (size_ == 4)
    transpose(reinterpret_cast<uint32_t*>(memory), row_length, reinterpret_cast<const uint32_t*>(from), stride_, count, width);
  else transpose(reinterpret_cast<uint64_t*>(memory), row_length, reinterpret_cast<const uint64_t*>(from), stride_, count, width);
  return memory;
}

const std::byte* Panels::run(const InputView& input, int64_t first, int64_t n, const int64_t* digits, std::byte* out) {
  const int64_t origin = origin_of(first, digits), row = digits[1] % rows, count = rows_at(input, origin, digits);
  auto at = [&](int64_t column) {
    return panel(input, origin, column / columns, count) + size_t(row * row_length + column % columns) * size_;
  };
  if (digits[0] % columns + n <= columns) return at(digits[0]);
  for (int64_t done = 0; done < n;) {
    const int64_t column = digits[0] + done, part = std::min(n - done, columns - column % columns);
    std::memcpy(out + size_t(done) * size_, at(column), size_t(part) * size_);
    done += part;
  }
  return out;
}

}  // namespace wf::cpu
