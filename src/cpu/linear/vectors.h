// Operations on contiguous vectors.
#pragma once

#include <cmath>
#include <cstdint>

#include "cpu/linear/products.h"

namespace wf::cpu {

template <class T> const VectorLoops<T>& vector_loops() {
  if constexpr (sizeof(T) == 4) return gemm().vectors_f32;
  else return gemm().vectors_f64;
}

template <class T> T dot(const T* x, const T* y, int64_t n) { return vector_loops<T>().dot(x, y, n); }
template <class T> void add_multiple(T a, const T* x, T* y, int64_t n) { vector_loops<T>().add_multiple(a, x, y, n); }
template <class T> void rotate(T c, T s, T* x, T* y, int64_t n) { vector_loops<T>().rotate(c, s, x, y, n); }

template <class T> void scale(T a, T* x, int64_t n) {
  for (int64_t i = 0; i < n; i++) x[i] *= a;
}

// The euclidean norm. Very large and very small elements are scaled first.
template <class T> T norm(const T* x, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < n; i++) largest = std::fmax(largest, std::abs(x[i]));
  constexpr T bound = sizeof(T) == 4 ? T(1e15) : T(1e140);
  if (largest < bound && largest > 1 / bound) return std::sqrt(dot(x, x, n));
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  T sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] / largest * (x[i] / largest);
  return largest * std::sqrt(sum);
}

// The reflection 1 - factor v vT that maps x to (alpha, 0, ...): x becomes v, with v[0] = 1.
template <class T> struct Reflection { T factor, alpha; };
template <class T> Reflection<T> reflect(T* x, int64_t n) {
  const T rest = norm(x + 1, n - 1);
  const T first = x[0];
  x[0] = 1;
  if (rest == 0) return {0, first};
  const T alpha = -std::copysign(std::hypot(first, rest), first), pivot = first - alpha;
  for (int64_t i = 1; i < n; i++) x[i] /= pivot;
  return {(alpha - first) / alpha, alpha};
}

}  // namespace wf::cpu
