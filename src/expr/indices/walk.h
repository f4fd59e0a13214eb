// Indices that are sums of digits of the domain index, as those of views of arrays (simplify.h): quotients and remainders by literals.
// Throughout a block of consecutive elements the digits are counted, not divided: a run along the innermost axis is an arithmetic progression.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "expr/fn.h"

namespace wf {

// base + the sum of digit k of (i + shift) times axes[k].stride. Digit 0, the innermost, counts fastest; the last one is endless.
struct Walk {
  struct Axis {
    int64_t extent, stride;
  };
  int64_t base = 0, shift = 0;
  std::vector<Axis> axes;
};

// The term as a walk, if it has quotients or remainders and parameter 0 is the domain index.
std::optional<Walk> walk_of(const Fn& f, Id term);

// The lowest and the highest index of elements 0 to n - 1; nothing if they overflow.
struct WalkBounds {
  int64_t low, high;
};
std::optional<WalkBounds> bounds_of(const Walk& walk, int64_t n);

// Calls run(first, stride, count, digits) for each run of the elements from i on, in order: their indices are first, first + stride, ..., and
// the first one has these digits. Indices wrap, as those of the expressions do.
template <class Run> void for_runs(const Walk& walk, int64_t i, int64_t count, const Run& run) {
  constexpr size_t most = 16;  // see walk_of
  int64_t digits[most], rest = i + walk.shift;
  auto at = uint64_t(walk.base);
  const size_t last = walk.axes.size() - 1;
  for (size_t k = 0; k <= last; k++) {
    const auto [extent, stride] = walk.axes[k];
    const int64_t higher = k < last ? rest / extent : 0;
    digits[k] = rest - higher * (k < last ? extent : 0);
    at += uint64_t(digits[k]) * uint64_t(stride);
    rest = higher;
  }
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
