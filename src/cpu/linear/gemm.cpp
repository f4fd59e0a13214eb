// Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008): a block of b stays in the outer cache, a block of a in L2,
// and a panel of b, `width` columns wide, in L1. Panels of large matrices are packed, so that the innermost loop reads consecutive memory whatever the strides.
// That loop keeps `height` x `width` elements of c in registers.
//
// This file is compiled for each instruction set, with contraction to fused multiply-adds. It includes no standard header, and defines
// nothing with external linkage but its table.
#include "cpu/linear/gemm.h"

namespace wf::cpu {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, height = 14;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, height = 6;
#else
constexpr int vector_bytes = 16, height = 6;
#endif

constexpr int64_t depth = 256;  // of a block: terms of the sum
constexpr int64_t small = 128;  // extents of matrices that are not packed
constexpr int small_height = height < 8 ? height : 8;
// Integers are rarely multiplied: one kind of tile serves all their sizes.
template <class T> constexpr int large_height = T(0.5) == 0 ? small_height : height;

template <class T> struct Tile {
  typedef T Vector __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int lanes = vector_bytes / int(sizeof(T)), width = 2 * lanes;
  static constexpr int64_t rows = 16 * height;                                               // of a block of a: at most 448 KiB
  static constexpr int64_t columns = 4 * (int64_t(1) << 20) / (depth * int64_t(sizeof(T)));  // of a block of b: 4 MiB
  static_assert(columns % width == 0);
  static_assert((rows * depth + columns * depth) * int64_t(sizeof(T)) <= gemm_bytes);
};

inline int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

// to: panels of `size` rows of `from`, each element by element along the sum, and zeros after the last row.
template <int size, class T> void pack(MatrixView<const T> from, int64_t rows, int64_t k, T* to) {
  constexpr int64_t line = 16;  // terms that are read of one row at a time
  for (int64_t first = 0; first < rows; first += size, to += size * k) {
    const MatrixView<const T> panel = from.at(first, 0);
    const int64_t count = least(size, rows - first);
    if (count == size && panel.row == 1) {
      for (int64_t p = 0; p < k; p++)
        for (int r = 0; r < size; r++) to[p * size + r] = panel.data[p * panel.column + r];
      continue;
    }
    for (int64_t p = 0; p < k; p += line) {
      const int64_t end = least(p + line, k);
      for (int r = 0; r < size; r++)
        for (int64_t q = p; q < end; q++) to[q * size + r] = r < count ? panel(r, q) : T(0);
    }
  }
}

template <class T> inline void store(T* c, const T* x, int64_t columns, Into into) {
  for (int64_t j = 0; j < columns; j++) c[j] = into == Into::Set ? x[j] : into == Into::Add ? T(c[j] + x[j]) : T(c[j] - x[j]);
}

// A tile of c from `rows` rows of a and a panel of b, whose rows are b_row apart. The loop computes `height` rows, and a has as many.
template <int height, class T>
[[gnu::always_inline]] inline void multiply(int64_t k, MatrixView<const T> a, const T* b, int64_t b_row, T* c, int64_t c_row, int64_t rows,
                                            int64_t columns, Into into) {
  using Vector = typename Tile<T>::Vector;
  constexpr int lanes = Tile<T>::lanes, width = Tile<T>::width;
  Vector left[height] = {}, right[height] = {};
  const T* x = a.data;
  for (int64_t p = 0; p < k; p++, x += a.column, b += b_row) {
    const Vector b0 = *reinterpret_cast<const Vector*>(b), b1 = *reinterpret_cast<const Vector*>(b + lanes);
#pragma GCC unroll 14
    for (int r = 0; r < height; r++) {
      left[r] += x[r * a.row] * b0;
      right[r] += x[r * a.row] * b1;
    }
  }
  if (columns == width && rows == height) {
#pragma GCC unroll 14
    for (int r = 0; r < height; r++) {
      Vector* const to = reinterpret_cast<Vector*>(c + r * c_row);
      Vector* const next = reinterpret_cast<Vector*>(c + r * c_row + lanes);
      if (into == Into::Set) *to = left[r], *next = right[r];
      else if (into == Into::Add) *to += left[r], *next += right[r];
      else *to -= left[r], *next -= right[r];
    }
    return;
  }
  T row[width];
#pragma GCC unroll 14
  for (int r = 0; r < height; r++) {
    *reinterpret_cast<Vector*>(row) = left[r];
    *reinterpret_cast<Vector*>(row + lanes) = right[r];
    if (r < rows) store(c + r * c_row, row, columns, into);
  }
}

// Small matrices are read in place, and only incomplete panels are packed.
template <class T> void small_gemm(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into, T* work) {
  constexpr int width = Tile<T>::width;
  T* const packed_a = work + width * depth;
  const int64_t whole = e.m / small_height * small_height;
  if (whole < e.m) pack<small_height>(a.at(whole, 0), e.m - whole, e.k, packed_a);
  for (int64_t j = 0; j < e.n; j += width) {
    const int64_t columns = least(width, e.n - j);
    const bool in_place = columns == width && b.column == 1;
    if (!in_place) pack<width>(b.at(0, j).transposed(), columns, e.k, work);
    const T* const panel = in_place ? b.data + j : work;
    const int64_t b_row = in_place ? b.row : width;
    for (int64_t i = 0; i < e.m; i += small_height) {
      const MatrixView<const T> rows = i < whole ? a.at(i, 0) : MatrixView<const T>{packed_a, 1, small_height};
      multiply<small_height, T>(e.k, rows, panel, b_row, &c(i, j), c.row, least(small_height, e.m - i), columns, into);
    }
  }
}

template <class T> void gemm(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into, void* work) {
  using Sizes = Tile<T>;
  constexpr int width = Sizes::width, tall = large_height<T>;
  T* const packed_b = static_cast<T*>(work);
  T* const packed_a = packed_b + Sizes::columns * depth;
  if (e.k == 0 && into == Into::Set)
    for (int64_t i = 0; i < e.m; i++)
      for (int64_t j = 0; j < e.n; j++) c(i, j) = T(0);
  if (e.m <= small && e.n <= small && e.k <= small && e.k > 0) return small_gemm(e, a, b, c, into, packed_b);
  for (int64_t j = 0; j < e.n; j += Sizes::columns) {
    const int64_t columns = least(Sizes::columns, e.n - j);
    for (int64_t p = 0; p < e.k; p += depth) {
      const int64_t k = least(depth, e.k - p);
      const Into how = p == 0 || into == Into::Subtract ? into : Into::Add;
      pack<width>(b.at(p, j).transposed(), columns, k, packed_b);
      for (int64_t i = 0; i < e.m; i += Sizes::rows) {
        const int64_t rows = least(Sizes::rows, e.m - i);
        pack<tall>(a.at(i, p), rows, k, packed_a);
        for (int64_t column = 0; column < columns; column += width)
          for (int64_t row = 0; row < rows; row += tall)
            multiply<tall, T>(k, {packed_a + row * k, 1, tall}, packed_b + column * k, width, &c(i + row, j + column), c.row,
                              least(tall, rows - row), least(width, columns - column), how);
      }
    }
  }
}

}  // namespace

#define WF_JOIN(name, isa) name##isa
#define WF_TABLE(isa) WF_JOIN(gemm_, isa)
extern const Gemm WF_TABLE(WF_ISA);
const Gemm WF_TABLE(WF_ISA) = {gemm<float>, gemm<double>, gemm<uint32_t>, gemm<uint64_t>};

}  // namespace wf::cpu
