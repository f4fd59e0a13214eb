#include "cpu/linear/triangular.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cpu/linear/vectors.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t small = 32;         // extents of triangles that are not halved
constexpr int64_t strip = 128;        // columns of a small system that are solved together
constexpr int64_t few_columns = 512;  // that one worker solves alone
constexpr int64_t narrow = 8;         // columns of a panel that are eliminated one by one

int64_t half(int64_t n, int64_t grain) { return (n / 2 + grain - 1) / grain * grain; }

// Calls f(begin, end) for pieces of the columns.
template <class F> void for_columns(const Products& products, int64_t columns, const F& f) {
  if (products.workers() == 1 || columns <= few_columns) return f(int64_t(0), columns);
  for_pieces(columns, few_columns, f);
}

template <class T> void copy(MatrixView<const T> from, int64_t rows, int64_t columns, MatrixView<T> to) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) to(i, j) = from(i, j);
}

// f(strip of b, its columns) on copies whose rows are contiguous. They are not on the stack, which may be small.
template <class T, class F> void by_strips(const Products& products, int64_t n, MatrixView<T> b, int64_t columns, const F& f) {
  for_columns(products, columns, [&](int64_t begin, int64_t end) {
    const int64_t widest = std::min(strip, end - begin);
    const auto buffer = std::make_unique_for_overwrite<T[]>(size_t(n * widest));
    const MatrixView<T> x{buffer.get(), widest, 1};
    for (int64_t j = begin; j < end; j += strip) {
      const int64_t count = std::min(strip, end - j);
      copy<T>(b.at(0, j), n, count, x);
      f(x, count);
      copy<T>(x, n, count, b.at(0, j));
    }
  });
}

// The lower triangle of c -= a aT, for a of n x k; elements of c above the diagonal may change, too.
template <class T> void subtract_square(Products& products, MatrixView<const T> a, int64_t n, int64_t k, MatrixView<T> c) {
  if (n <= wide_square) return products({n, n, k}, a, a.transposed(), c, Into::Subtract);
  const int64_t h = half(n, small);
  subtract_square(products, a, h, k, c);
  products({n - h, h, k}, a.at(h, 0), a.transposed(), c.at(h, 0), Into::Subtract);
  subtract_square(products, a.at(h, 0), n - h, k, c.at(h, h));
}

template <class T> int64_t small_cholesky(MatrixView<T> a, int64_t n) {
  for (int64_t j = 0; j < n; j++) {
    T pivot = a(j, j);
    for (int64_t p = 0; p < j; p++) pivot -= a(j, p) * a(j, p);
    if (!(pivot > 0)) return j;
    const T root = std::sqrt(pivot);
    a(j, j) = root;
    for (int64_t i = j + 1; i < n; i++) {
      T x = a(i, j);
      for (int64_t p = 0; p < j; p++) x -= a(i, p) * a(j, p);
      a(i, j) = x / root;
    }
  }
  return -1;
}

template <class T> void swap_rows(MatrixView<T> a, int64_t columns, const int64_t* pivots, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (pivots[i] != i)
      for (int64_t j = 0; j < columns; j++) std::swap(a(i, j), a(pivots[i], j));
}

template <class T> int64_t narrow_lu(MatrixView<T> a, int64_t m, int64_t n, int64_t* pivots) {
  int64_t zero = -1;
  for (int64_t j = 0; j < n; j++) {
    int64_t best = j;
    for (int64_t i = j + 1; i < m; i++)
      if (std::abs(a(i, j)) > std::abs(a(best, j))) best = i;
    pivots[j] = best;
    if (best != j)
      for (int64_t c = 0; c < n; c++) std::swap(a(j, c), a(best, c));
    const T pivot = a(j, j);
    if (pivot == 0) {
      if (zero < 0) zero = j;
      continue;
    }
    for (int64_t i = j + 1; i < m; i++) {
      const T factor = a(i, j) /= pivot;
      for (int64_t c = j + 1; c < n; c++) a(i, c) -= factor * a(j, c);
    }
  }
  return zero;
}

// x = inverse(l) x for a vector whose elements are `step` apart. Rows or columns of l are contiguous, in ascending or descending order: a copy of
// x in the same order is solved by blocks of `small` rows, and all else reads l once from its first element to its last.
template <class T> void solve_vector(const Triangle<T>& l, T* x, int64_t step) {
  const MatrixView<const T> a = l.lower;
  const int64_t n = l.n;
  const bool by_rows = std::abs(a.column) == 1, descends = (by_rows ? a.column : a.row) < 0;
  std::vector<T> copy(static_cast<size_t>(n));
  auto y = [&](int64_t i) -> T& { return copy[size_t(descends ? n - 1 - i : i)]; };
  for (int64_t i = 0; i < n; i++) y(i) = x[i * step];
  for (int64_t begin = 0; begin < n; begin += small) {
    const int64_t end = std::min(n, begin + small);
    T block[small];
    if (by_rows && begin > 0) {
      const int64_t first = descends ? begin - 1 : 0;
      vector_loops<T>().times(&a(begin, first), a.row, end - begin, begin, &y(first), block);
      for (int64_t i = begin; i < end; i++) y(i) -= block[i - begin];
    }
    for (int64_t i = begin; i < end; i++) {
      T sum = y(i);
      for (int64_t p = begin; p < i; p++) sum -= a(i, p) * y(p);
      y(i) = l.unit ? sum : sum / a(i, i);
      block[i - begin] = -y(i);
    }
    if (!by_rows && end < n) {
      const int64_t first = descends ? n - 1 : end;
      vector_loops<T>().add_rows(&a(first, begin), a.column, end - begin, n - end, block, &y(first));
    }
  }
  for (int64_t i = 0; i < n; i++) x[i * step] = y(i);
}

}  // namespace

template <class T> void solve_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns) {
  const int64_t n = l.n;
  if (columns == 1 && (std::abs(l.lower.row) == 1 || std::abs(l.lower.column) == 1)) return solve_vector(l, b.data, b.row);
  if (n <= small) {
    return by_strips(products, n, b, columns, [&](MatrixView<T> x, int64_t count) {
      for (int64_t i = 0; i < n; i++) {
        T* const row = &x(i, 0);
        for (int64_t p = 0; p < i; p++) {
          const T factor = l.lower(i, p);
          const T* const other = &x(p, 0);
          for (int64_t j = 0; j < count; j++) row[j] -= factor * other[j];
        }
        if (!l.unit)
          for (int64_t j = 0; j < count; j++) row[j] /= l.lower(i, i);
      }
    });
  }
  const int64_t h = half(n, small);
  solve_lower(products, {l.lower, h, l.unit}, b, columns);
  products({n - h, columns, h}, l.lower.at(h, 0), MatrixView<const T>(b), b.at(h, 0), Into::Subtract);
  solve_lower(products, {l.lower.at(h, h), n - h, l.unit}, b.at(h, 0), columns);
}

template <class T> void multiply_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns) {
  const int64_t n = l.n;
  if (n <= small) {
    return by_strips(products, n, b, columns, [&](MatrixView<T> x, int64_t count) {
      for (int64_t i = n; i-- > 0;) {
        T* const row = &x(i, 0);
        if (!l.unit)
          for (int64_t j = 0; j < count; j++) row[j] *= l.lower(i, i);
        for (int64_t p = 0; p < i; p++) {
          const T factor = l.lower(i, p);
          const T* const other = &x(p, 0);
          for (int64_t j = 0; j < count; j++) row[j] += factor * other[j];
        }
      }
    });
  }
  const int64_t h = half(n, small);
  multiply_lower(products, {l.lower.at(h, h), n - h, l.unit}, b.at(h, 0), columns);
  products({n - h, columns, h}, l.lower.at(h, 0), MatrixView<const T>(b), b.at(h, 0), Into::Add);
  multiply_lower(products, {l.lower, h, l.unit}, b, columns);
}

template <class T> int64_t cholesky(Products& products, MatrixView<T> a, int64_t n) {
  if (n <= small) return small_cholesky(a, n);
  const int64_t h = half(n, small);
  if (const int64_t failed = cholesky(products, a, h); failed >= 0) return failed;
  solve_lower<T>(products, {a, h, false}, a.at(h, 0).transposed(), n - h);
  subtract_square<T>(products, a.at(h, 0), n - h, h, a.at(h, h));
  const int64_t failed = cholesky(products, a.at(h, h), n - h);
  return failed < 0 ? failed : h + failed;
}

template <class T> int64_t lu(Products& products, MatrixView<T> a, int64_t m, int64_t n, int64_t* pivots) {
  if (n <= narrow) return narrow_lu(a, m, n, pivots);
  const int64_t h = half(n, narrow);
  int64_t zero = lu(products, a, m, h, pivots);
  swap_rows(a.at(0, h), n - h, pivots, h);
  solve_lower<T>(products, {a, h, true}, a.at(0, h), n - h);
  products({m - h, n - h, h}, MatrixView<const T>(a.at(h, 0)), MatrixView<const T>(a.at(0, h)), a.at(h, h), Into::Subtract);
  const int64_t next = lu(products, a.at(h, h), m - h, n - h, pivots + h);
  if (zero < 0 && next >= 0) zero = h + next;
  swap_rows(a.at(h, 0), h, pivots + h, n - h);
  for (int64_t i = h; i < n; i++) pivots[i] += h;
  return zero;
}

#define WF_INSTANTIATE(T)                                                                                   \
  template void solve_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns);    \
  template void multiply_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns); \
  template int64_t cholesky(Products& products, MatrixView<T> a, int64_t n);                                \
  template int64_t lu(Products& products, MatrixView<T> a, int64_t m, int64_t n, int64_t* pivots);
WF_INSTANTIATE(float)
WF_INSTANTIATE(double)
#undef WF_INSTANTIATE

}  // namespace wf::cpu
