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
constexpr int64_t thin = 64;    // rows and columns of products with longer sums for which packing does not pay
constexpr int small_height = height < 8 ? height : 8;
// Integers are rarely multiplied: one kind of tile serves all their sizes.
template <class T> constexpr bool is_integer = T(0.5) == 0;
template <class T> constexpr int large_height = is_integer<T> ? small_height : height;

// Vectors of `bytes` bytes.
template <class T, int bytes = vector_bytes> struct Vectors {
  typedef T Vector __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
  static constexpr int lanes = bytes / int(sizeof(T));
};

template <class T> struct Tile {
  static constexpr int width = 2 * Vectors<T>::lanes;
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

// The rows or columns of a tile that are stored: [first, end).
struct Part {
  int64_t first, end;
  bool is_all(int64_t size) const { return first == 0 && end == size; }
};

template <class X> inline X merged(Into into, X c, X x) { return into == Into::Set ? x : into == Into::Add ? X(c + x) : X(c - x); }

// Stores a part of a tile, whose rows have `width` elements.
template <class T> [[gnu::noinline]] void store(const T* tile, int64_t width, MatrixView<T> c, Part rows, Part columns, Into into) {
  using Vector = typename Vectors<T>::Vector;
  for (int64_t i = rows.first; i < rows.end; i++) {
    const T* const from = tile + i * width;
    T* const to = &c(i, 0);
    int64_t j = columns.first;
    for (; j + Vectors<T>::lanes <= columns.end; j += Vectors<T>::lanes) {
      Vector& y = *reinterpret_cast<Vector*>(to + j);
      y = merged<Vector>(into, y, *reinterpret_cast<const Vector*>(from + j));
    }
    for (; j < columns.end; j++) to[j] = merged<T>(into, to[j], from[j]);
  }
}

// A tile of c, of `height` rows and `vectors` vectors of columns, from rows of a and a panel of b, whose rows are b_row apart. A packed a has
// `height` rows in each column. Otherwise, row `rows.end` - 1 is read for all rows after it.
template <class V, int height, int vectors, bool packed, class T>
[[gnu::always_inline]] inline void multiply(int64_t k, MatrixView<const T> a, const T* b, int64_t b_row, MatrixView<T> c, Part rows,
                                            Part columns, Into into) {
  using Vector = typename V::Vector;
  constexpr int width = vectors * V::lanes;
  Vector sum[height][vectors] = {};
  const T* x[height];
  for (int r = 0; r < height; r++) x[r] = &a(packed ? r : least(r, rows.end - 1), 0);
  int64_t at = 0;
  for (int64_t p = 0; p < k; p++, at += packed ? height : a.column, b += b_row) {
    Vector right[vectors];
    for (int v = 0; v < vectors; v++) right[v] = *reinterpret_cast<const Vector*>(b + v * V::lanes);
#pragma GCC unroll 14
    for (int r = 0; r < height; r++)
      for (int v = 0; v < vectors; v++) sum[r][v] += (packed ? x[0][at + r] : x[r][at]) * right[v];
  }
  const bool is_whole = rows.is_all(height) && columns.is_all(width);
  T tile[height * width];
  T* const to = is_whole && into == Into::Set ? c.data : tile;
  const int64_t row = is_whole && into == Into::Set ? c.row : width;
#pragma GCC unroll 14
  for (int r = 0; r < height; r++)
    for (int v = 0; v < vectors; v++) *reinterpret_cast<Vector*>(to + r * row + v * V::lanes) = sum[r][v];
  if (!is_whole || into != Into::Set) store(tile, width, c, rows, columns, into);
}

// A panel of `vectors` vectors of columns of b, from column j on. The last columns are those of a panel that overlaps the one before.
template <class V, int vectors, class T>
void small_panel(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into, T* work, int64_t j) {
  constexpr int width = vectors * V::lanes;
  const bool in_place = b.column == 1 && e.n >= width;
  const int64_t first = in_place ? least(j, e.n - width) : j, columns = least(width, e.n - first);
  if (!in_place) pack<width>(b.at(0, j).transposed(), columns, e.k, work);
  const T* const panel = in_place ? b.data + first : work;
  const int64_t b_row = in_place ? b.row : width;
  // Elements that two tiles compute are equal, and may be set twice.
  const Part stored{into == Into::Set ? 0 : j - first, columns};
  for (int64_t i = 0; i < e.m; i += small_height) {
    const int64_t top = e.m < small_height ? 0 : least(i, e.m - small_height);
    const Part rows{into == Into::Set ? 0 : i - top, least(small_height, e.m)};
    multiply<V, small_height, vectors, false, T>(e.k, a.at(top, 0), panel, b_row, c.at(top, first), rows, stored, into);
  }
}

// Without packing: each operand is small, or its elements are used only a few times.
template <class T> void small_gemm(Extents e, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, Into into, T* work) {
  constexpr int narrowest = Vectors<T, 16>::lanes, lanes = Vectors<T>::lanes;
  for (int64_t j = 0; j < e.n;) {
    const int64_t rest = e.n - j;
    if (is_integer<T> || (e.n >= 2 * lanes && rest > lanes)) {
      small_panel<Vectors<T>, 2>(e, a, b, c, into, work, j);
      j += 2 * lanes;
    } else if constexpr (!is_integer<T>) {
      if (e.n >= lanes) small_panel<Vectors<T>, 1>(e, a, b, c, into, work, j);
      else small_panel<Vectors<T, 16>, 1>(e, a, b, c, into, work, j);
      j += e.n >= lanes ? lanes : narrowest;
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
  if (e.k <= 0) return;
  if (e.m <= small && e.n <= small && e.k <= small) return small_gemm(e, a, b, c, into, packed_b);
  auto how = [&](int64_t p) { return p == 0 || into == Into::Subtract ? into : Into::Add; };
  if (e.n <= Vectors<T>::lanes || (e.m <= thin && e.n <= thin)) {
    for (int64_t p = 0; p < e.k; p += depth) {
      look_for_cancellation();
      small_gemm({e.m, e.n, least(depth, e.k - p)}, a.at(0, p), b.at(p, 0), c, how(p), packed_b);
    }
    return;
  }
  for (int64_t j = 0; j < e.n; j += Sizes::columns) {
    const int64_t columns = least(Sizes::columns, e.n - j);
    for (int64_t p = 0; p < e.k; p += depth) {
      const int64_t k = least(depth, e.k - p);
      pack<width>(b.at(p, j).transposed(), columns, k, packed_b);
      for (int64_t i = 0; i < e.m; i += Sizes::rows) {
        look_for_cancellation();
        const int64_t rows = least(Sizes::rows, e.m - i);
        pack<tall>(a.at(i, p), rows, k, packed_a);
        for (int64_t column = 0; column < columns; column += width)
          for (int64_t row = 0; row < rows; row += tall)
            multiply<Vectors<T>, tall, 2, !is_integer<T>, T>(k, {packed_a + row * k, 1, tall}, packed_b + column * k, width,
                                                             c.at(i + row, j + column), {0, least(tall, rows - row)},
                                                             {0, least(width, columns - column)}, how(p));
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
