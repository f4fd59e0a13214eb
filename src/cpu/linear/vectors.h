// Operations on contiguous vectors.
#pragma once

#include <cmath>
#include <cstdint>

#include "cpu/linear/vector_loops.h"

namespace wf::cpu {

// The loops for this processor.
const AllVectorLoops& all_vector_loops();
template <class T> const VectorLoops<T>& vector_loops() {
  if constexpr (sizeof(T) == 4) return all_vector_loops().f32;
  else return all_vector_loops().f64;
}

template <class T> T dot(const T* x, const T* y, int64_t n) { return vector_loops<T>().dot(x, y, n); }
template <class T> void add_multiple(T a, const T* x, T* y, int64_t n) { vector_loops<T>().add_multiple(a, x, y, n); }

template <class T> void scale(T a, T* x, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] *= a;
}

// The euclidean norm. Elements whose squares overflow or underflow are scaled first.
template <class T> T norm(const T* x, int64_t n) {
  const T plain = std::sqrt(dot(x, x, n));
  constexpr T bound = sizeof(T) == 4 ? T(1e15) : T(1e140);
  if (plain < bound && plain > 1 / bound) return plain;
  T largest = 0;
  for (int64_t i = 0; i < n; i++) largest = std::fmax(largest, std::abs(x[i]));
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  T sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] / largest * (x[i] / largest);
  return largest * std::sqrt(sum);
}

}  // namespace wf::cpu
