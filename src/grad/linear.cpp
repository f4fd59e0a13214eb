// The rules for linear algebra, for matrices of a batch. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation" (2008); Murray, "Differentiation of the Cholesky decomposition" (2016); Walter and Lehmann, "Algorithmic differentiation of
// linear algebra functions" (2010), for QR; Townsend, "Differentiating the singular value decomposition" (2016).
//
// A function that reads a triangle of a symmetric matrix has a symmetric gradient. Of equal eigenvalues or singular values, the directions in which
// they part count as 0, where other libraries divide by 0.
#include "lazy/linear/linear.h"
#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "grad/reads.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/fourier.h"
#include "lazy/linear/solve.h"

namespace wf {
namespace {

// An operand as matrices, and back.
struct StoredMatrices {
  const NodeRef& input;
  IndexView index;
  StoredMatrices(const NodeRef& s, const MatrixOperand& m, int64_t batch, int64_t rows, int64_t columns)
      : input(s), index{{m.offset, {m.batch, m.row, m.column}}, {batch, rows, columns}} {}
  NodeRef matrices() const { return view_of(input, {index.view.offset, index.view.strides}, index.extents); }
  void give(GradientPass& pass, const NodeRef& cotangent) const { pass.give(input, 0, transposed_view(index, cotangent, input)); }
};

template <class F> NodeRef by_elements(const NodeRef& a, const NodeRef& b, const F& f) {
  Builder builder;
  const Type type = a->types()[0];
  const Id x = builder.param(type), y = builder.param(type);
  const Id result = f(builder, x, y);
  const NodeRef both[] = {a, b};
  return map(closed(builder.finish({result})), both);
}
NodeRef sum(const NodeRef& a, const NodeRef& b) {
  return by_elements(a, b, [](Builder& f, Id x, Id y) { return f.apply(Op::add_, {x, y}); });
}
NodeRef difference(const NodeRef& a, const NodeRef& b) {
  return by_elements(a, b, [](Builder& f, Id x, Id y) { return f.apply(Op::sub_, {x, y}); });
}
NodeRef product(const NodeRef& a, const NodeRef& b) {
  return by_elements(a, b, [](Builder& f, Id x, Id y) { return f.apply(Op::mul_, {x, y}); });
}
NodeRef scaled(const NodeRef& a, double factor) {
  return mapped(a, [&](Builder& b, Id x) {
    return b.apply(Op::mul_, {x, b.literal(b.type(x), convert(Type::F64, b.type(x), to_bits(factor)))});
  });
}
NodeRef symmetric(const NodeRef& a) { return scaled(sum(a, transposed(a)), 0.5); }

// keep(builder, row, column): else 0.
template <class F> NodeRef masked(const NodeRef& a, const F& keep) {
  const Type type = a->types()[0];
  return by_element(a, extents_of(a), {a}, 0, [&](Builder& b, Id i, Id row, Id column) {
    return b.apply(Op::where_, {keep(b, row, column), b.at(0, 0, type, i), b.literal(type, 0)});
  });
}
// The triangle that a function reads.
NodeRef part(const NodeRef& a, TriangleForm form) {
  const Op op = form.upper ? (form.unit ? Op::lt_ : Op::le_) : (form.unit ? Op::gt_ : Op::ge_);
  return masked(a, [&](Builder& b, Id row, Id column) { return b.apply(op, {row, column}); });
}
// A matrix with the lower triangle of a on both sides.
NodeRef mirrored(const NodeRef& a) { return sum(part(a, {}), transposed(part(a, {.unit = true}))); }
// The diagonal matrices of vectors v (batch, n), with 1 / x for x if `inverse`, and 0 for 0.
NodeRef diagonal_of(const NodeRef& v, bool inverse) {
  const Type type = v->types()[0];
  const ExtentList extents = extents_of(v);
  const int64_t batch = extents[0], n = extents[1];
  return by_element(v, {batch, n, n}, {v}, 0, [&](Builder& b, Id i, Id row, Id column) {
    const Id line = b.apply(Op::div_, {i, b.constant(std::max<int64_t>(1, n))}), zero = b.literal(type, 0);
    Id x = b.at(0, 0, type, line);
    if (inverse)
      x = b.apply(Op::where_, {b.apply(Op::eq_, {x, zero}), zero, b.apply(Op::div_, {b.literal(type, convert(Type::I32, type, 1)), x})});
    return b.apply(Op::where_, {b.apply(Op::eq_, {row, column}), x, zero});
  });
}
// 1 / (f(v[j]) - f(v[i])), 0 where these are equal.
template <class F> NodeRef gaps(const NodeRef& v, const F& f) {
  const Type type = v->types()[0];
  const ExtentList extents = extents_of(v);
  const int64_t batch = extents[0], n = extents[1];
  return by_element(v, {batch, n, n}, {v}, 0, [&](Builder& b, Id i, Id row, Id column) {
    const Id size = b.constant(std::max<int64_t>(1, n)), zero = b.literal(type, 0);
    const Id first = b.apply(Op::mul_, {b.apply(Op::div_, {b.apply(Op::div_, {i, size}), size}), size});
    const auto at = [&](Id k) { return f(b, b.at(0, 0, type, b.apply(Op::add_, {first, k}))); };
    const Id gap = b.apply(Op::sub_, {at(column), at(row)});
    return b.apply(Op::where_,
                   {b.apply(Op::eq_, {gap, zero}), zero, b.apply(Op::div_, {b.literal(type, convert(Type::I32, type, 1)), gap})});
  });
}

// y a^-1 for a triangle a.
NodeRef over_triangle(const NodeRef& y, const NodeRef& a, TriangleForm form) {
  return transposed(triangular(LinearRoutine::TriangularSolve, transposed(a), {!form.upper, form.unit}, transposed(y)));
}

class LinearRule {
 public:
  LinearRule(GradientPass& pass, const NodeRef& y, const Definition& call, const NodeRef& ybar)
      : pass_(pass), y_(y), call_(call), ybar_(ybar), r_(linear_routine(std::span(call.identity.begin(), call.identity.end()))) {}

  void run() {
    switch (r_.op) {
      case LinearRoutine::Product: return product_of_matrices();
      case LinearRoutine::TriangularProduct:
      case LinearRoutine::TriangularSolve: return of_triangle();
      case LinearRoutine::Cholesky: return cholesky();
      case LinearRoutine::Eliminate: return log_determinant();
      case LinearRoutine::SolveEliminated: return solve();
      case LinearRoutine::Orthogonal: return qr();
      case LinearRoutine::SymmetricEigen: return eigen();
      case LinearRoutine::SingularValues: return singular_values();
      case LinearRoutine::Fourier: return transform(LinearRoutine::InverseFourier);
      case LinearRoutine::InverseFourier: return transform(LinearRoutine::Fourier);
    }
  }

 private:
  static NodeRef shaped(const NodeRef& s, int64_t batch, int64_t rows, int64_t columns) {
    return reshape(s, ExtentList{batch, rows, columns});
  }
  // Numbers [begin, begin + all) of a packed result, as matrices or vectors.
  static NodeRef packed(const NodeRef& s, int64_t& begin, const ExtentList& extents) {
    const NodeRef taken = reshape(subseq(s, begin, length_of(extents)), extents);
    begin += length_of(extents);
    return taken;
  }

  // C = A B: Abar = Cbar BT, Bbar = AT Cbar.
  void product_of_matrices() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.m, r_.k), b(call_.inputs[1], r_.b, r_.batch, r_.k, r_.n);
    const NodeRef c = shaped(ybar_, r_.batch, r_.m, r_.n);
    if (pass_.is_active(a.input)) a.give(pass_, matmul(c, transposed(b.matrices())));
    if (pass_.is_active(b.input)) b.give(pass_, matmul(transposed(a.matrices()), c));
  }

  // C = A B as above, X = A^-1 B: Bbar = A^-T Xbar, Abar = -Bbar XT, of the triangle of A.
  void of_triangle() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.m, r_.m), b(call_.inputs[1], r_.b, r_.batch, r_.m, r_.n);
    const TriangleForm form{r_.upper != 0, r_.unit != 0}, other{!form.upper, form.unit};
    const NodeRef c = shaped(ybar_, r_.batch, r_.m, r_.n);
    const NodeRef back = triangular(r_.op, transposed(a.matrices()), other, c);
    b.give(pass_, back);
    if (!pass_.is_active(a.input)) return;
    const bool solves = r_.op == LinearRoutine::TriangularSolve;
    const NodeRef of_a =
        solves ? scaled(matmul(back, transposed(shaped(y_, r_.batch, r_.m, r_.n))), -1) : matmul(c, transposed(b.matrices()));
    a.give(pass_, part(of_a, form));
  }

  // Abar = L^-T (phi(LT Lbar) + its transpose) / 2 L^-1
  void cholesky() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.n, r_.n);
    const NodeRef l = triangle(shaped(y_, r_.batch, r_.n, r_.n), false), lbar = part(shaped(ybar_, r_.batch, r_.n, r_.n), {});
    const NodeRef m = matmul(transposed(l), lbar);
    const NodeRef inner = symmetric(linear_function("phi", {&m, 1}));
    const NodeRef left = triangular(LinearRoutine::TriangularSolve, transposed(l), {.upper = true}, inner);
    a.give(pass_, over_triangle(left, l, {}));
  }

  // Only the logarithm of the determinant reads the factors themselves: cotangent times factor is that of the logarithm at each pivot d[i] of the
  // diagonal. Abar = that A^-T.
  void log_determinant() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.n, r_.n);
    if (r_.n == 0) return;
    const Type type = y_->types()[0];
    const int64_t n = r_.n, size = n * n + n;
    const NodeRef unit = by_element(y_, {r_.batch, n, n}, {y_, ybar_}, 0, [&](Builder& b, Id i, Id row, Id column) {
      const Id first = b.apply(Op::mul_, {b.apply(Op::div_, {i, b.constant(n * n)}), b.constant(size)});
      const Id value = b.apply(Op::mul_, {b.at(0, 0, type, first), b.at(1, 0, type, first)});
      return b.apply(Op::where_, {b.apply(Op::eq_, {row, column}), value, b.literal(type, 0)});
    });
    a.give(pass_, solve_general(transposed(a.matrices()), unit));
  }

  // X = A^-1 B, by factors of A, which are views of a call of Eliminate.
  void solve() const {
    NodeRef factors = call_.inputs[0];
    DefinitionRef definition = factors->history();
    while (definition && definition->kind == NodeKind::Pull) factors = definition->inputs[0], definition = factors->history();
    const StoredMatrices b(call_.inputs[1], r_.b, r_.batch, r_.n, r_.m);
    if (!definition)
      throw NoDerivative("a solution by factors that were computed before has no derivative; expected the solution of a variable");
    const NodeRef& a = definition->inputs[0];
    const ExtentList all = extents_of(y_);
    ExtentList batches(all.begin(), all.end() - 2);
    batches.insert(batches.end(), {r_.n, r_.n});
    const NodeRef matrices = broadcast(a, batches);
    const NodeRef back = solve_general(transposed(matrices), reshape(ybar_, all));
    b.give(pass_, reshape(back, ExtentList{r_.batch, r_.n, r_.m}));
    if (!pass_.is_active(a)) return;
    const Viewed from = viewed(matrices);
    const NodeRef of_a = scaled(matmul(back, transposed(reshape(y_, all))), -1);
    pass_.give(from.base, 0, transposed_view({from.view, batches}, of_a, from.base));
  }

  // M = R RbarT - QbarT Q; Abar = (Qbar + Q mirrored(M)) R^-T
  void qr() const {
    if (r_.m < r_.n) throw NoDerivative("qr of a matrix with fewer rows than columns has no derivative; expected at least as many rows");
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.m, r_.n);
    int64_t at = 0, bar = 0;
    const NodeRef q = packed(y_, at, {r_.batch, r_.m, r_.n}), r = part(packed(y_, at, {r_.batch, r_.n, r_.n}), {.upper = true});
    const NodeRef qbar = packed(ybar_, bar, {r_.batch, r_.m, r_.n}),
                  rbar = part(packed(ybar_, bar, {r_.batch, r_.n, r_.n}), {.upper = true});
    const NodeRef m = difference(matmul(r, transposed(rbar)), matmul(transposed(qbar), q));
    const NodeRef left = sum(qbar, matmul(q, mirrored(m)));
    a.give(pass_, transposed(triangular(LinearRoutine::TriangularSolve, r, {.upper = true}, transposed(left))));
  }

  // Abar = U (diag(valuesbar) + F (UT Ubar)) UT, F[i, j] = 1 / (values[j] - values[i])
  void eigen() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.n, r_.n);
    int64_t at = 0, bar = 0;
    const NodeRef values = packed(y_, at, {r_.batch, r_.n}), u = transposed(packed(y_, at, {r_.batch, r_.n, r_.n}));
    const NodeRef valuesbar = packed(ybar_, bar, {r_.batch, r_.n}), ubar = transposed(packed(ybar_, bar, {r_.batch, r_.n, r_.n}));
    const NodeRef f = gaps(values, [](Builder&, Id x) { return x; });
    const NodeRef inner = sum(diagonal_of(valuesbar, false), product(f, matmul(transposed(u), ubar)));
    a.give(pass_, symmetric(matmul(matmul(u, inner), transposed(u))));
  }

  // A = U S VT, of which the routine stores v = VT.
  void singular_values() const {
    const StoredMatrices a(call_.inputs[0], r_.a, r_.batch, r_.m, r_.n);
    const int64_t k = std::min(r_.m, r_.n);
    int64_t at = 0, bar = 0;
    const NodeRef values = packed(y_, at, {r_.batch, k}), u = packed(y_, at, {r_.batch, r_.m, k}), v = packed(y_, at, {r_.batch, k, r_.n});
    const NodeRef valuesbar = packed(ybar_, bar, {r_.batch, k}), ubar = packed(ybar_, bar, {r_.batch, r_.m, k}),
                  vbar = packed(ybar_, bar, {r_.batch, k, r_.n});
    const NodeRef f = gaps(values, [](Builder& b, Id x) { return b.apply(Op::mul_, {x, x}); });
    const NodeRef s = diagonal_of(values, false), inverse = diagonal_of(values, true);
    const auto turn = [&](const NodeRef& m) { return product(f, difference(m, transposed(m))); };  // of UT Ubar, VT Vbar
    const NodeRef of_u = matmul(turn(matmul(transposed(u), ubar)), s), of_v = matmul(s, turn(matmul(v, transposed(vbar))));
    const NodeRef inner = sum(sum(of_u, of_v), diagonal_of(valuesbar, false));
    NodeRef sums = matmul(matmul(u, inner), v);
    const NodeRef scaled_u = matmul(ubar, inverse), scaled_v = matmul(inverse, vbar);
    sums = sum(sums, matmul(difference(scaled_u, matmul(u, matmul(transposed(u), scaled_u))), v));
    sums = sum(sums, matmul(u, difference(scaled_v, matmul(matmul(scaled_v, transposed(v)), v))));
    a.give(pass_, sums);
  }

  // A symmetric complex matrix, whose adjoint is the conjugate.
  void transform(LinearRoutine::Op conjugate) const {
    const StoredMatrices x(call_.inputs[0], r_.a, r_.batch, r_.n, 2);
    x.give(pass_, fourier(conjugate, shaped(ybar_, r_.batch, r_.n, 2)));
  }

  GradientPass& pass_;
  const NodeRef& y_;
  const Definition& call_;
  const NodeRef& ybar_;
  const LinearRoutine r_;
};

}  // namespace

void linear_back(GradientPass& pass, const NodeRef& y, const Definition& call, const NodeRef& ybar) {
  LinearRule(pass, y, call, ybar).run();
}

}  // namespace wf
