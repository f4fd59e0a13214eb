// Triangular systems and products, which other files of this folder use.
#pragma once

#include "lazy/linear/matrix.h"

namespace wf {

// The triangle of matrices that a function reads.
struct TriangleForm {
  bool upper = false, unit = false;
};

// f(a, b) for matrices b. A vector b is a matrix of one column, and so is the result.
NodeRef of_columns(const NodeRef& a, const NodeRef& b, NodeRef (*f)(const NodeRef& a, const NodeRef& b));
// op b: TriangularProduct or TriangularSolve, for matrices b.
NodeRef triangular(LinearRoutine::Op op, const NodeRef& a, TriangleForm form, const NodeRef& b);
// The result of the routine Cholesky, whose lower triangle is the factor.
NodeRef cholesky_call(const NodeRef& a);
// The result of the routine Eliminate.
NodeRef eliminate_call(const NodeRef& a, bool strict);
// x with l lT x = b, for matrices b.
NodeRef solve_cholesky(const NodeRef& l, const NodeRef& b);
// inverse(a) b for matrices b.
NodeRef solve_general(const NodeRef& a, const NodeRef& b);

}  // namespace wf
