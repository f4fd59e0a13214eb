// The errors of matrices without a factorization or a solution, the same on every engine.
#pragma once

#include <string>

#include "engine/engine.h"
#include "lazy/linear/routine.h"

namespace wf {

// "matrix 3 of 10 is singular: 0 is pivot 7; expected ..."; rows and pivots are numbered from 0.
[[noreturn]] inline void throw_matrix_error(const LinearRoutine& r, int64_t matrix, const std::string& fact, const std::string& remedy) {
  throw RangeError("matrix " + std::to_string(matrix) + (r.batch == 1 ? "" : " of " + std::to_string(r.batch)) + " " + fact +
                   "; expected " + remedy);
}

// The routine failed at this pivot of that matrix, or did not converge.
[[noreturn]] inline void throw_failed_pivot(const LinearRoutine& r, int64_t matrix, int64_t pivot) {
  const std::string number = std::to_string(pivot);
  if (r.op == LinearRoutine::Cholesky)
    throw_matrix_error(r, matrix, "is not positive definite: pivot " + number, "a symmetric matrix whose pivots are all positive");
  if (r.op == LinearRoutine::TriangularSolve)
    throw_matrix_error(r, matrix, "is singular: 0 on its diagonal at row " + number, "a triangle without 0 on its diagonal");
  throw_matrix_error(r, matrix, "is singular: 0 is pivot " + number, "a matrix of full rank");
}
[[noreturn]] inline void throw_no_convergence(const LinearRoutine& r, int64_t matrix) {
  throw_matrix_error(r, matrix,
                     r.op == LinearRoutine::SymmetricEigen ? "has no eigenvalues that the iteration finds"
                                                           : "has no singular values that the iteration finds",
                     "finite numbers");
}

}  // namespace wf
