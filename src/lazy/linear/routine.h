// The routine Linear (lazy/node.h): linear algebra that libraries of the engines compute. A routine is stored in its definition as numbers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/ops.h"

namespace wf {

// An input of matrices: element (i, j) of matrix `b` is at index offset + b * batch + i * row + j * column.
struct MatrixOperand {
  int64_t offset = 0, batch = 0, row = 0, column = 0;
  bool operator==(const MatrixOperand&) const = default;
};

// All results are by rows. `batch` matrices one after another, of floats of one type; those of Product may be of integers, too.
//   Product            a (m x k) b (k x n)
//   TriangularProduct  a b, TriangularSolve inverse(a) b: a triangle of a (m x m), and b (m x n). The rest of a is not read
//   Cholesky           the lower triangle of the factor l of a = l lT (n x n), of whose elements only the lower triangle is read. The rest of the
//                      result is unspecified. Fails at a pivot that is not positive
//   Eliminate          LU with row exchanges of a (n x n): n n numbers that the engine chooses, and n exchanges. `strict`: fails at a pivot 0
//   SolveEliminated    inverse(a) b (n x m) from the result of Eliminate for a, which is b's operand 0
//   Orthogonal         q (m x k) of all matrices, then r (k x n) of all, k = min(m, n), of a (m x n). Below its diagonal r is unspecified
//   SymmetricEigen     the eigenvalues (n) of all matrices in ascending order, then a unit eigenvector in each row (n x n). Reads the lower triangle
//   SingularValues     the singular values (k) of all matrices in descending order, then u (m x k) of all, then v (k x n) of all, a = u diag v
//   Fourier            y[k] = sum of exp(-2 pi i j k / n) x[j] for n complex numbers, real and imaginary part side by side (n x 2)
//   InverseFourier     the same with exp(2 pi i j k / n)
//
// A NaN that a routine reads never disappears. The factors of Eliminate and Orthogonal are all NaN for a matrix with a NaN, and Eliminate does
// not fail; Cholesky fails at the pivot that becomes NaN; SymmetricEigen and SingularValues fail for infinities, too.
struct LinearRoutine {
  enum Op : int64_t {
    Product,
    TriangularProduct,
    TriangularSolve,
    Cholesky,
    Eliminate,
    SolveEliminated,
    Orthogonal,
    SymmetricEigen,
    SingularValues,
    Fourier,
    InverseFourier
  };
  Op op = Product;
  int64_t batch = 1, m = 0, n = 0, k = 0;
  int64_t upper = 0, unit = 0, strict = 0;  // truths: the triangle of a that is read; its diagonal is 1 and not read; see Eliminate
  MatrixOperand a = {}, b = {};
};
using LinearParameters = std::array<Bits64, sizeof(LinearRoutine) / sizeof(Bits64)>;

inline bool is_fourier(const LinearRoutine& r) { return r.op == LinearRoutine::Fourier || r.op == LinearRoutine::InverseFourier; }

inline std::vector<Bits64> parameters_of(const LinearRoutine& routine) {
  const auto all = std::bit_cast<LinearParameters>(routine);
  return {all.begin(), all.end()};
}

inline LinearRoutine linear_routine(std::span<const Bits64> parameters) {
  LinearParameters all;
  std::ranges::copy(parameters, all.begin());
  return std::bit_cast<LinearRoutine>(all);
}

}  // namespace wf
