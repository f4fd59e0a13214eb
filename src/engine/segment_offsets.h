// The condition that offsets of segments fulfil, the same on every engine of the host.
#pragma once

#include <cstdint>
#include <optional>

namespace wf {

// An index outside [0, length).
struct WrongIndex {
  int64_t index, length;
};

// Offset `end` follows offset `begin` in offsets that cut n elements into segments; the first one follows itself. Returns the first index
// that is wrong: offsets are in order and at most n, the first one is 0, and the last one is n.
inline std::optional<WrongIndex> wrong_offset(int64_t begin, int64_t end, bool is_first, bool is_last, int64_t n) {
  const auto is_outside = [](int64_t index, uint64_t length) { return uint64_t(index) >= length; };
  const uint64_t above_end = uint64_t(end) + 1, above_n = uint64_t(n) + 1;
  if (is_outside(begin, above_end)) return WrongIndex{begin, int64_t(above_end)};
  if (is_outside(end, above_n)) return WrongIndex{end, int64_t(above_n)};
  if (is_first && begin != 0) return WrongIndex{begin, 1};
  if (is_last && is_outside(n, above_end)) return WrongIndex{n, int64_t(above_end)};
  return std::nullopt;
}

}  // namespace wf
