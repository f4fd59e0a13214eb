#include "lazy/linear/solve.h"

#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"

namespace wf {
namespace {

struct Form {
  std::string_view name;
  NodeRef (*solve)(const NodeRef& a, const NodeRef& b);
};

template <bool upper, bool unit> NodeRef solve_triangular(const NodeRef& a, const NodeRef& b) {
  return triangular(LinearRoutine::TriangularSolve, a, {upper, unit}, b);
}

// The forms of a system's matrix.
constexpr Form forms[] = {
    {"general", solve_general},  // any; by elimination with row exchanges
    {"positive",
     [](const NodeRef& a, const NodeRef& b) {  // symmetric and positive definite: only the lower triangle is read
       return solve_cholesky(cholesky_call(a), b);
     }},
    {"cholesky", solve_cholesky},  // l, for the system of l lT
    {"lower", solve_triangular<false, false>},
    {"upper", solve_triangular<true, false>},
    {"unit_lower", solve_triangular<false, true>},
    {"unit_upper", solve_triangular<true, true>},
};

const Form& form_of(std::string_view name) {
  std::string known;
  for (const Form& form : forms) {
    if (form.name == name) return form;
    known += (known.empty() ? "" : ", ") + std::string(form.name);
  }
  throw ArgumentError("form is \"" + std::string(name) + "\"; expected one of " + known);
}

// The system's right sides for the same batches as a.
struct System {
  Matrices a, b;
};
System system_of(const NodeRef& a_, const NodeRef& b_) {
  const Matrices a = square(a_, "a"), b = matrices(b_, "b");
  require_fit(a_, a_->rank() - 1, a.columns, b_, b_->rank() - 2, b.rows);
  const ExtentList batches = common_batches(a_, a.batches, b_, b.batches);
  return {{broadcast(a_, joined(batches, {a.rows, a.rows})), batches, a.rows, a.rows},
          {broadcast(b_, joined(batches, {b.rows, b.columns})), batches, b.rows, b.columns}};
}

}  // namespace

NodeRef triangular(LinearRoutine::Op op, const NodeRef& a, TriangleForm form, const NodeRef& b) {
  const System s = system_of(a, b);
  const MatrixInput triangle = input_of(s.a);
  LinearRoutine routine{.op = op, .batch = s.a.count(), .m = s.b.rows, .n = s.b.columns, .upper = form.upper, .unit = form.unit};
  routine.a = triangle.operand;
  routine.b = plain(s.b.rows, s.b.columns);
  return call_linear(routine, {triangle.node, s.b.node}, extents_of(s.b.node));
}

NodeRef cholesky_call(const NodeRef& a) {
  const Matrices m = square(a, "a");
  return call_linear({.op = LinearRoutine::Cholesky, .batch = m.count(), .n = m.rows, .a = plain(m.rows, m.rows)}, {a}, extents_of(a));
}

NodeRef eliminate_call(const NodeRef& a, bool strict) {
  const Matrices m = square(a, "a");
  const ExtentList packed = joined(m.batches, {m.rows * m.rows + m.rows});
  return call_linear({.op = LinearRoutine::Eliminate, .batch = m.count(), .n = m.rows, .strict = strict, .a = plain(m.rows, m.rows)}, {a},
                     packed);
}

NodeRef solve_cholesky(const NodeRef& l, const NodeRef& b) {
  const NodeRef half = triangular(LinearRoutine::TriangularSolve, l, {}, b);
  return triangular(LinearRoutine::TriangularSolve, transposed(l), {.upper = true}, half);
}

NodeRef solve_general(const NodeRef& a, const NodeRef& b) {
  const System s = system_of(a, b);
  const NodeRef factors = eliminate_call(a, true);
  if (b->is_tracked()) factors->track(Node::Tracking::Made);  // the gradient by b needs a
  const int64_t n = s.b.rows;
  // One matrix for a whole batch of right sides is factored once.
  const bool is_repeated = factors->rank() == 1 && s.a.count() != 1;
  LinearRoutine routine{.op = LinearRoutine::SolveEliminated, .batch = s.a.count(), .m = s.b.columns, .n = n};
  const NodeRef used = is_repeated ? factors : broadcast(factors, joined(s.a.batches, {n * n + n}));
  routine.a = {0, is_repeated ? 0 : n * n + n, n, 1};
  routine.b = plain(n, s.b.columns);
  return call_linear(routine, {used, s.b.node}, extents_of(s.b.node));
}

NodeRef solve(std::string_view form, const NodeRef& a, const NodeRef& b) {
  const Form& chosen = form_of(form);
  const NodeRef both[] = {a, b};
  common_context(both);
  return of_columns(a, b, chosen.solve);
}

NodeRef of_columns(const NodeRef& a, const NodeRef& b, NodeRef (*f)(const NodeRef& a, const NodeRef& b)) {
  if (b->rank() != 1) return f(a, b);
  square(a, "a");
  const int64_t n = b->length();
  require_fit(a, a->rank() - 1, a->shape().extents().back(), b, 0, n);
  const NodeRef x = f(a, reshape(b, ExtentList{n, 1}));
  ExtentList extents = extents_of(x);
  extents.pop_back();
  return reshape(x, extents);
}

}  // namespace wf
