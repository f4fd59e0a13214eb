// Operations on contiguous vectors, compiled once for each instruction set (see loops/isa.h).
#pragma once

#include <stdint.h>

namespace wf::cpu {

// Rows `first` and first + 1, x and y, become c x - s y and s x + c y.
template <class T> struct Rotation {
  int64_t first;
  T c, s;
};

// Columns of a strip, a matrix whose rows are contiguous and follow one another.
template <class T> constexpr int64_t strip_columns = 256 / sizeof(T);

template <class T> struct VectorLoops {
  T (*dot)(const T* x, const T* y, int64_t n);
  void (*add_multiple)(T a, const T* x, T* y, int64_t n);  // y += a x
  // For `rows` rows of n elements, row i at a + i * stride: y[i] = a_i x; sum += w_i a_i over all i; and both in one pass over a.
  void (*times)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y);
  void (*add_rows)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* w, T* sum);
  void (*times_and_add_rows)(const T* a, int64_t stride, int64_t rows, int64_t n, const T* x, T* y, const T* w, T* sum);
  // Applies `count` rotations, one after another, to a strip.
  void (*rotate)(const Rotation<T>* rotations, int64_t count, T* strip);
};

struct AllVectorLoops {
  VectorLoops<float> f32;
  VectorLoops<double> f64;
};
extern const AllVectorLoops vectors_baseline, vectors_avx2, vectors_avx512;

}  // namespace wf::cpu
