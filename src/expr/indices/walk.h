// Indices that are sums of digits of the domain index, as those of views of arrays (simplify.h): quotients and remainders by literals.
// Throughout a block of consecutive elements the digits are counted, not divided: a run along the innermost axis is an arithmetic progression.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "expr/fn.h"

namespace wf {

// base + the sum of digit k of t = i + shift, plus or minus an argument, times axes[k].stride. Digit 0, the innermost, counts fastest; the last one is
// endless. The digits of a negative t, which only an argument makes, are those of -t, negated.
struct Walk {
  struct Axis {
    int64_t extent, stride;
  };
  static constexpr uint32_t no_argument = ~0u;
  int64_t base = 0, shift = 0;
  uint32_t argument = no_argument;
  bool is_subtracted = false;  // the argument
  std::vector<Axis> axes = {};
  bool has_argument() const { return argument != no_argument; }
};

// The term as a walk, if it has quotients or remainders and parameter 0 is the domain index.
std::optional<Walk> walk_of(const Fn& f, Id term, bool with_argument = false);

// The lowest and the highest index of elements 0 to n - 1; nothing if they overflow.
struct WalkBounds {
  int64_t low, high;
};
std::optional<WalkBounds> bounds_of(const Walk& walk, int64_t n);

constexpr size_t most_axes_of_walk = 16;  // see walk_of

// The sum of the digits of t times their strides, and the digits.
inline uint64_t sum_of_digits(const Walk& walk, uint64_t t, int64_t* digits) {
  uint64_t sum = 0;
  for (size_t k = 0; k < walk.axes.size(); k++) {
    const bool is_last = k + 1 == walk.axes.size();
    const auto extent = uint64_t(walk.axes[k].extent), higher = is_last ? 0 : t / extent;
    digits[k] = int64_t(is_last ? t : t - higher * extent);
    sum += uint64_t(digits[k]) * uint64_t(walk.axes[k].stride);
    t = higher;
  }
  return sum;
}

// Calls run(first, stride, count, digits) for each run of the elements from i on, in order: their indices are first, first + stride, ..., and
// the first one has these digits. Indices wrap, as those of the expressions do. An element whose t is negative or huge is a run of its own.
template <class Run> void for_runs(const Walk& walk, std::span<const Bits64> arguments, int64_t i, int64_t count, const Run& run) {
  constexpr uint64_t huge = uint64_t(1) << 62;
  int64_t digits[most_axes_of_walk];
  uint64_t t = uint64_t(i) + uint64_t(walk.shift);
  if (walk.has_argument()) t += walk.is_subtracted ? -arguments[walk.argument] : arguments[walk.argument];
  for (; count > 0 && t >= huge; t++, count--) {
    const bool is_negative = int64_t(t) < 0;
    const uint64_t sum = sum_of_digits(walk, is_negative ? -t : t, digits);
    run(int64_t(uint64_t(walk.base) + (is_negative ? -sum : sum)), walk.axes[0].stride, int64_t(1), static_cast<const int64_t*>(digits));
  }
  if (count == 0) return;
  uint64_t at = uint64_t(walk.base) + sum_of_digits(walk, t, digits);
  const size_t last = walk.axes.size() - 1;
  for (;;) {
    const int64_t left = last > 0 ? walk.axes[0].extent - digits[0] : count, n = left < count ? left : count;
    run(int64_t(at), walk.axes[0].stride, n, static_cast<const int64_t*>(digits));
    count -= n;
    if (count == 0) return;
    at -= uint64_t(digits[0]) * uint64_t(walk.axes[0].stride);
    digits[0] = 0;
    for (size_t k = 1;; k++) {
      at += uint64_t(walk.axes[k].stride);
      if (++digits[k] < walk.axes[k].extent || k == last) break;
      at -= uint64_t(walk.axes[k].extent) * uint64_t(walk.axes[k].stride);
      digits[k] = 0;
    }
  }
}

}  // namespace wf
