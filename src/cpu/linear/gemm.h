// The product of two matrices, compiled once for each instruction set (see loops/isa.h).
#pragma once

#include <stdint.h>

namespace wf::cpu {

// A matrix in memory: element (i, j) is at data[i * row + j * column].
template <class T> struct MatrixView {
  T* data;
  int64_t row, column;
  MatrixView at(int64_t i, int64_t j) const { return {data + i * row + j * column, row, column}; }
  MatrixView transposed() const { return {data, column, row}; }
  T& operator()(int64_t i, int64_t j) const { return data[i * row + j * column]; }
  operator MatrixView<const T>() const { return {data, row, column}; }
};

// How a product is stored in its result c.
enum class Into : uint8_t { Set, Add, Subtract };

// The extents of c (m x n) and of the sum (k).
struct Extents {
  int64_t m, n, k;
};

// Throws Canceled if the computation was canceled; called between blocks. It calls stop_if_canceled() outside the files that are compiled for
// each instruction set.
void look_for_cancellation();

// Bytes of working memory of a product of one thread.
constexpr int64_t gemm_bytes = int64_t(6) << 20;

// c = a b, c += a b or c -= a b for c of m x n with c.column == 1. The sum over k is taken in an order that depends on k alone.
// Integers wrap. `work`: gemm_bytes bytes, aligned to 64.
struct Gemm {
  void (*f32)(Extents e, MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Into into, void* work);
  void (*f64)(Extents e, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c, Into into, void* work);
  void (*u32)(Extents e, MatrixView<const uint32_t> a, MatrixView<const uint32_t> b, MatrixView<uint32_t> c, Into into, void* work);
  void (*u64)(Extents e, MatrixView<const uint64_t> a, MatrixView<const uint64_t> b, MatrixView<uint64_t> c, Into into, void* work);
};
extern const Gemm gemm_baseline, gemm_avx2, gemm_avx512;

}  // namespace wf::cpu
