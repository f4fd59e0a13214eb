// Repeats each of several values, as those of rows for all elements of each row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace wf::cpu {

constexpr int64_t repeated_at_once = 16;  // elements; those beyond a row are overwritten by the next one

template <class T> void repeat_each_as(const void* values, int64_t rows, int64_t count, void* out_) {
  auto* out = static_cast<T*>(out_);
  for (int64_t r = 0; r < rows; r++, out += count) {
    const T value = static_cast<const T*>(values)[r];
    for (int64_t i = 0; i < count; i += repeated_at_once) std::fill_n(out + i, repeated_at_once, value);
  }
}

// Stores each of `rows` values of `size` bytes `count` times. Up to repeated_at_once elements after the last one are written, too.
inline void repeat_each(const void* values, size_t size, int64_t rows, int64_t count, void* out) {
  (size == 1 ? repeat_each_as<uint8_t> : size == 4 ? repeat_each_as<uint32_t> : repeat_each_as<uint64_t>)(values, rows, count, out);
}

}  // namespace wf::cpu
