// Products. A product of matrices is a call of the engine's library. A product with a vector reads each element of the matrix once, so it is a
// fold, which fuses with what computes its operands and with its readers.
#include <algorithm>

#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "lazy/linear/matrix.h"

namespace wf {
namespace {

// a[first + j * step] b[j * other]
Id dot_of(Builder& b, Type type, int64_t count, Id first_a, int64_t step_a, Id first_b, int64_t step_b) {
  const Id free[] = {first_a, first_b};
  return sum_of(b, type, b.constant(count), free, [&](Builder& inner, Id j, std::span<const Id> first) {
    auto at = [&](uint32_t slot, int64_t step) {
      return inner.at(slot, 0, type, inner.apply(Op::add_, {first[slot], inner.apply(Op::mul_, {j, inner.constant(step)})}));
    };
    return inner.apply(Op::mul_, {at(0, step_a), at(1, step_b)});
  });
}

NodeRef fold_node(const NodeRef& a, const NodeRef& b, const ExtentList& extents, Builder& builder, Id result) {
  require_extents(extents, a->types());
  return pull(a->context(), {Shape::of(extents), {}}, simplify(builder.finish({result})), {a, b}, 0);
}

NodeRef inner_product(const NodeRef& a, const NodeRef& b) {
  Builder f;
  const Id i = f.param(Type::I64, "i");
  return fold_node(a, b, {}, f, dot_of(f, a->types()[0], a->length(), i, 1, i, 1));
}

NodeRef times_vector(const Matrices& a, const NodeRef& v) {
  Builder f;
  const Id i = f.param(Type::I64, "i"), first = f.apply(Op::mul_, {i, f.constant(a.columns)});
  return fold_node(a.node, v, joined(a.batches, {a.rows}), f, dot_of(f, v->types()[0], a.columns, first, 1, f.constant<int64_t>(0), 1));
}

NodeRef vector_times(const NodeRef& v, const Matrices& b) {
  Builder f;
  const Id i = f.param(Type::I64, "i"), columns = f.constant(std::max<int64_t>(1, b.columns));
  const Id matrix = f.apply(Op::mul_, {f.apply(Op::div_, {i, columns}), f.constant(b.rows * b.columns)});
  const Id first = f.apply(Op::add_, {matrix, f.apply(Op::rem_, {i, columns})});
  return fold_node(v, b.node, joined(b.batches, {b.columns}), f,
                   dot_of(f, v->types()[0], b.rows, f.constant<int64_t>(0), 1, first, b.columns));
}

void require_numbers(const NodeRef& s, const std::string& argument) {
  if (s->rank() == 0) throw SizeError(argument + " has rank 0; expected a vector or matrices");
  if (s->types().size() != 1 || !is_in(s->types()[0], Num) || s->types()[0] == Type::U8)
    throw TypeError(argument + " has columns " + list(s->types()) + "; expected one column of floats, or of integers of 32 or 64 bits");
}

// A product of columns and rows is elementwise, so it fuses with its readers.
NodeRef product_of_lines(const Matrices& columns, const Matrices& rows, const ExtentList& extents) {
  const Type type = rows.node->types()[0];
  return by_element(columns.node, extents, {columns.node, rows.node}, 0, [&](Builder& b, Id i, Id, Id column) {
    const Id width = b.constant(std::max<int64_t>(1, rows.columns)), size = b.constant(std::max<int64_t>(1, columns.rows * rows.columns));
    const Id line = rows.batches.empty() ? column : b.apply(Op::add_, {b.apply(Op::mul_, {b.apply(Op::div_, {i, size}), width}), column});
    return b.apply(Op::mul_, {b.at(0, 0, type, b.apply(Op::div_, {i, width})), b.at(1, 0, type, line)});
  });
}

NodeRef product(const Matrices& a, const Matrices& b, const ExtentList& batches) {
  Matrices left{broadcast(a.node, joined(batches, {a.rows, a.columns})), batches, a.rows, a.columns};
  Matrices right{broadcast(b.node, joined(batches, {b.rows, b.columns})), batches, b.rows, b.columns};
  // Matrices one below another, times one matrix, are one matrix.
  if (b.batches.empty() && !batches.empty() && a.batches == batches) {
    left = {reshape(a.node, ExtentList{left.count() * a.rows, a.columns}), {}, left.count() * a.rows, a.columns};
    right = b;
  }
  if (a.columns == 1) return product_of_lines(left, right, joined(batches, {a.rows, b.columns}));
  const MatrixInput x = input_of(left), y = input_of(right);
  LinearRoutine routine{.op = LinearRoutine::Product, .batch = left.count(), .m = left.rows, .n = b.columns, .k = a.columns};
  routine.a = x.operand;
  routine.b = y.operand;
  return call_linear(routine, {x.node, y.node}, joined(batches, {a.rows, b.columns}));
}

}  // namespace

NodeRef matmul(const NodeRef& a, const NodeRef& b) {
  const NodeRef both[] = {a, b};
  common_context(both);
  require_numbers(a, "a");
  require_numbers(b, "b");
  const ExtentList left = extents_of(a), right = extents_of(b);
  const int axis_b = int(right.size()) - (right.size() > 1 ? 2 : 1);
  require_fit(a, int(left.size()) - 1, left.back(), b, axis_b, right[size_t(axis_b)]);
  if (left.size() == 1 && right.size() == 1) return inner_product(a, b);
  if (right.size() == 1) return times_vector(matrices(a, "a", false), b);
  if (left.size() == 1) return vector_times(a, matrices(b, "b", false));
  const Matrices x = matrices(a, "a", false), y = matrices(b, "b", false);
  return product(x, y, common_batches(a, x.batches, b, y.batches));
}

NodeRef matrix_power(const NodeRef& a, int64_t n) {
  const Matrices m = square(a, "a", false);
  if (n < 0) throw ArgumentError("n is " + std::to_string(n) + "; expected 0 or more: powers of the inverse are negative powers");
  if (n == 0) return identity(a, m.batches, m.rows);
  NodeRef result, base = a;
  for (;; n /= 2) {
    if (n % 2 == 1) result = result ? matmul(result, base) : base;
    if (n == 1) return result;
    base = matmul(base, base);
  }
}

}  // namespace wf
