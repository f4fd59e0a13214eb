// Factorizations. The routines' results that have several parts are one sequence, whose parts are views of its memory.
#include <algorithm>

#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "lazy/linear/solve.h"

namespace wf {
namespace {

// Views of a sequence's parts, one after another.
class Parts {
 public:
  explicit Parts(NodeRef all) : all_(std::move(all)) {}
  NodeRef next(const ExtentList& extents) {
    const int64_t length = length_of(extents);
    const NodeRef part = subseq(all_, at_, length);
    at_ += length;
    return reshape(part, extents);
  }

 private:
  const NodeRef all_;
  int64_t at_ = 0;
};

// The routine's result for matrices a, with `length` numbers per matrix.
Parts parts(LinearRoutine routine, const Matrices& a, int64_t length) {
  routine.batch = a.count();
  routine.a = plain(a.rows, a.columns);
  int64_t all;
  if (__builtin_mul_overflow(routine.batch, length, &all)) throw SizeError("the results of all matrices overflow 64 bits");
  return Parts(call_linear(routine, {a.node}, ExtentList{all}));
}

std::vector<NodeRef> cholesky(const NodeRef& a) { return {triangle(cholesky_call(a), false)}; }

// The factors whose r has no negative number on its diagonal, which are unique if a has full rank: columns of q and rows of r change their sign.
std::vector<NodeRef> qr(const NodeRef& s) {
  const Matrices a = matrices(s, "a");
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  Parts all = parts({.op = LinearRoutine::Orthogonal, .m = m, .n = n}, a, m * k + k * n);
  const NodeRef q = all.next(joined(a.batches, {m, k})), r = all.next(joined(a.batches, {k, n}));
  const Type type = s->types()[0];
  // x, or -x if number `at` of the diagonal of its matrix's r is negative
  auto turned = [&](Builder& b, Id i, Id at, int64_t size, Id x) {
    const Id matrix = b.apply(Op::div_, {i, b.constant(std::max<int64_t>(1, size))});
    const Id pivot = b.apply(Op::add_, {b.apply(Op::mul_, {matrix, b.constant(k * n)}), b.apply(Op::mul_, {at, b.constant(n + 1)})});
    const Id is_negative = b.apply(Op::lt_, {b.at(1, 0, type, pivot), b.literal(type, 0)});
    return b.apply(Op::where_, {is_negative, b.apply(Op::neg_, {x}), x});
  };
  const NodeRef q_turned = by_element(s, extents_of(q), {q, r}, 0,
                                      [&](Builder& b, Id i, Id, Id column) { return turned(b, i, column, m * k, b.at(0, 0, type, i)); });
  const NodeRef r_turned = by_element(s, extents_of(r), {r, r}, 0, [&](Builder& b, Id i, Id row, Id column) {
    const Id x = turned(b, i, row, k * n, b.at(0, 0, type, i));
    return b.apply(Op::where_, {b.apply(Op::le_, {row, column}), x, b.literal(type, 0)});
  });
  return {q_turned, r_turned};
}

std::vector<NodeRef> eigen(const NodeRef& s) {
  const Matrices a = square(s, "a");
  const int64_t n = a.rows;
  Parts all = parts({.op = LinearRoutine::SymmetricEigen, .n = n}, a, n + n * n);
  const NodeRef values = all.next(joined(a.batches, {n}));
  return {values, transposed(all.next(joined(a.batches, {n, n})))};
}

std::vector<NodeRef> singular_values(const NodeRef& s) {
  const Matrices a = matrices(s, "a");
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  Parts all = parts({.op = LinearRoutine::SingularValues, .m = m, .n = n}, a, k + m * k + k * n);
  const NodeRef values = all.next(joined(a.batches, {k}));
  const NodeRef u = all.next(joined(a.batches, {m, k}));
  return {u, values, all.next(joined(a.batches, {k, n}))};
}

struct Factorization {
  std::string_view name;
  std::vector<NodeRef> (*make)(const NodeRef& a);
};
constexpr Factorization factorizations[] = {
    {"cholesky", cholesky},               // l
    {"qr", qr},                           // q, r
    {"eigen", eigen},                     // values, vectors
    {"singular_values", singular_values}  // u, values, v
};

}  // namespace

std::vector<NodeRef> factor(std::string_view name, const NodeRef& a) {
  std::string known;
  for (const Factorization& f : factorizations) {
    if (f.name == name) return f.make(a);
    known += (known.empty() ? "" : ", ") + std::string(f.name);
  }
  throw ArgumentError("factorization is \"" + std::string(name) + "\"; expected one of " + known);
}

}  // namespace wf
