// Factorizations by orthogonal transformations. Vectors are rows here, which are contiguous: a matrix is passed by its columns.
#pragma once

#include "cpu/linear/products.h"

namespace wf::cpu {

// a = q r. The m x n matrix is passed as its columns: n rows of m elements, which the factorization overwrites. r: min(m, n) x n; only its upper
// triangle is written. q: m x min(m, n), not written if its data is null.
template <class T> void qr(Products& products, T* columns, int64_t m, int64_t n, MatrixView<T> r, MatrixView<T> q);

// The eigenvalues of a symmetric matrix (its lower triangle) in ascending order, and a unit eigenvector in each row of `vectors`, n x n by rows.
// Overwrites a. Returns false if the iteration does not converge.
template <class T> bool symmetric_eigen(Products& products, MatrixView<T> a, int64_t n, T* values, MatrixView<T> vectors);

// a = u diag(values) v for a of m x n by rows, m >= n; values in descending order, u of m x n and v of n x n. Returns false if the iteration does not
// converge.
template <class T>
bool singular_values(Products& products, MatrixView<const T> a, int64_t m, int64_t n, T* values, MatrixView<T> u, MatrixView<T> v);

}  // namespace wf::cpu
