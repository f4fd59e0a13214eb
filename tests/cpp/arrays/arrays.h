// Helpers of the tests of arrays: odd shapes, and plain loops.
#pragma once

#include "../common.h"

// f(m, n) for pairs of these extents.
template <class F> void for_shapes(const F& f) {
  for (int64_t m : {0, 1, 2, 3, 17, 257})
    for (int64_t n : {0, 1, 2, 3, 17, 257}) f(m, n);
}

// f(i, j) in row-major order.
template <class T, class F> std::vector<T> by_loops(int64_t m, int64_t n, const F& f) {
  std::vector<T> values;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) values.push_back(f(i, j));
  return values;
}

// 0, 1, 2, ... in row-major order.
inline warpfold::Array<int, 2> numbered(int64_t m, int64_t n) { return {warpfold::iota<int>(m * n), {m, n}}; }

// The message of the error that f throws.
template <class F> std::string message(const F& f) {
  try {
    f();
  } catch (const warpfold::Error& error) { return error.what(); }
  return "no error";
}

inline bool contains_text(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
