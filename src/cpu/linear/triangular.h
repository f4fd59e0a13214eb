// Triangular matrices and the factorizations by elimination. All are recursive: they halve the matrix, so that nearly all of the work is
// products. A triangular function reads only its triangle.
#pragma once

#include "cpu/linear/products.h"

namespace wf::cpu {

// A triangle of n x n: of lower[i, j], j <= i; with `unit`, its diagonal is 1 and not read.
template <class T> struct Triangle {
  MatrixView<const T> lower;
  int64_t n;
  bool unit;
};

// The lower triangle whose system of equations is that of an upper one with its rows and columns in reverse order.
template <class T> MatrixView<T> reversed(MatrixView<T> x, int64_t rows, int64_t columns) {
  const MatrixView<T> last = x.at(rows - 1, columns - 1);
  return {last.data, -last.row, -last.column};
}
template <class T> MatrixView<T> rows_reversed(MatrixView<T> x, int64_t rows) { return {x.at(rows - 1, 0).data, -x.row, x.column}; }

// b = inverse(l) b, for b of n x columns.
template <class T> void solve_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns);
// b = l b.
template <class T> void multiply_lower(Products& products, const Triangle<T>& l, MatrixView<T> b, int64_t columns);

// The lower triangle becomes that of its Cholesky factor; elements above the diagonal change, too. Returns the first row whose pivot is not
// positive, or -1.
template <class T> int64_t cholesky(Products& products, MatrixView<T> a, int64_t n);

// a (m x n, m >= n) becomes its factors: row i was exchanged with row pivots[i] before it was eliminated. Returns the first column whose pivot
// is 0, or -1.
template <class T> int64_t lu(Products& products, MatrixView<T> a, int64_t m, int64_t n, int64_t* pivots);

}  // namespace wf::cpu
