#include "lazy/linear/matrix.h"

#include <algorithm>

#include "lazy/arrays/arrays.h"
#include "lazy/compose.h"

namespace wf {

int64_t Matrices::count() const { return length_of(batches); }

ExtentList extents_of(const NodeRef& s) {
  const Shape shape = s->shape();
  return {shape.extents().begin(), shape.extents().end()};
}

std::string shape_text(const NodeRef& s) { return text_of(extents_of(s)); }

ExtentList joined(const ExtentList& batches, std::initializer_list<int64_t> more) {
  ExtentList all = batches;
  all.insert(all.end(), more);
  return all;
}

static Matrices matrices_of_any_type(const NodeRef& s, const std::string& argument) {
  if (s->rank() < 2) throw SizeError(argument + " has " + describe_length(*s) + "; expected rank 2 or more: rows and columns of matrices");
  const ExtentList all = extents_of(s);
  return {s, {all.begin(), all.end() - 2}, all[all.size() - 2], all.back()};
}

Matrices matrices(const NodeRef& s, const std::string& argument, bool floats) {
  const std::vector<Type>& types = s->types();
  const bool fits = types.size() == 1 && (floats ? is_in(types[0], Float) : is_in(types[0], Num) && types[0] != Type::U8);
  if (!fits)
    throw TypeError(argument + " has columns " + list(types) + "; expected one column of type f32 or f64" +
                    (floats ? "" : ", or of integers of 32 or 64 bits"));
  return matrices_of_any_type(s, argument);
}

Matrices images(const NodeRef& s, const std::string& argument) {
  const std::vector<Type>& types = s->types();
  if (types.size() != 1 || !is_in(types[0], Num))
    throw TypeError(argument + " has columns " + list(types) + "; expected one column of numbers");
  return matrices_of_any_type(s, argument);
}

Matrices square(const NodeRef& s, const std::string& argument, bool floats) {
  const Matrices m = matrices(s, argument, floats);
  if (m.rows != m.columns)
    throw SizeError(argument + " has shape " + shape_text(s) + ": " + std::to_string(m.rows) + " rows and " + std::to_string(m.columns) +
                    " columns; expected as many rows as columns");
  return m;
}

ExtentList common_batches(const NodeRef& a, const ExtentList& left, const NodeRef& b, const ExtentList& right) {
  const size_t rank = std::max(left.size(), right.size());
  ExtentList common(rank);
  for (size_t k = 0; k < rank; k++) {
    const int64_t x = k + left.size() < rank ? 1 : left[k + left.size() - rank],
                  y = k + right.size() < rank ? 1 : right[k + right.size() - rank];
    if (x != y && x != 1 && y != 1)
      throw SizeError("a has shape " + shape_text(a) + " and b " + shape_text(b) + ": axis " + std::to_string(k) + " of the batches has " +
                      std::to_string(x) + " and " + std::to_string(y) + " matrices; expected equal numbers, or 1");
    common[k] = x == 1 ? y : x;
  }
  return common;
}

void require_fit(const NodeRef& a, int axis_a, int64_t left, const NodeRef& b, int axis_b, int64_t right) {
  if (a->types() != b->types())
    throw TypeError("a has columns " + list(a->types()) + " and b has " + list(b->types()) + "; expected equal types");
  if (left != right)
    throw SizeError("a has shape " + shape_text(a) + " and b " + shape_text(b) + ": axis " + std::to_string(axis_a) + " of a has " +
                    std::to_string(left) + " elements and axis " + std::to_string(axis_b) + " of b " + std::to_string(right) +
                    "; expected equal extents");
}

MatrixInput input_of(const Matrices& m) {
  const Viewed from = viewed(m.node);
  const std::span<const int64_t> strides(from.view.strides);
  const size_t rank = strides.size();
  const int64_t row = strides[rank - 2], column = strides[rank - 1];
  const std::vector<Axis> batches = merged_axes(m.batches, strides.first(rank - 2));
  const bool is_stored = from.base->is_in_memory() || from.base->length() <= 2 * m.node->length();
  const bool reads_lines = (column == 1 && (row >= m.columns || m.rows == 1)) || (row == 1 && (column >= m.rows || m.columns == 1));
  if (is_stored && reads_lines && batches.size() <= 1)
    return {from.base, {from.view.offset, batches.empty() ? 0 : batches[0].stride, row, column}};
  return {m.node, plain(m.rows, m.columns)};
}

NodeRef call_linear(const LinearRoutine& routine, std::initializer_list<NodeRef> inputs, std::span<const int64_t> extents) {
  const NodeRef& like = *inputs.begin();
  require_extents(extents, like->types());
  Definition definition{.kind = NodeKind::Call, .fn = nullptr, .inputs = inputs, .identity = parameters_of(routine)};
  definition.routine.kind = Routine::Linear;
  return delayed(like->context(), {Shape::of(extents), {}}, like->column_types(), std::move(definition));
}

FnRef function_of_element(const ExtentList& extents, const ElementOf& element) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), columns = b.constant(std::max<int64_t>(1, extents.back()));
  const Id rows = b.constant(std::max<int64_t>(1, extents[extents.size() - 2]));
  const Id line = b.apply(Op::div_, {i, columns}), column = b.apply(Op::rem_, {i, columns});
  const Id row = extents.size() == 2 ? line : b.apply(Op::rem_, {line, rows});
  return simplify(b.finish({element(b, i, row, column)}));
}

NodeRef by_element(const NodeRef& like, const ExtentList& extents, std::initializer_list<NodeRef> inputs, uint32_t viewed,
                   const ElementOf& element) {
  FnRef fn = function_of_element(extents, element);
  require_extents(extents, fn->result_types());
  return pull(like->context(), {Shape::of(extents), {}}, std::move(fn), inputs, viewed);
}

NodeRef transposed(const NodeRef& s) {
  std::vector<int32_t> axes;
  for (int k = 0; k < s->rank(); k++) axes.push_back(k);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return permute(s, axes);
}

NodeRef triangle(const NodeRef& s, bool upper, bool unit) {
  const Type type = s->types()[0];
  return by_element(s, extents_of(s), {s}, 1, [&](Builder& b, Id i, Id row, Id column) {
    const Id zero = b.literal(type, 0), x = b.at(0, 0, type, i);
    const Id inside = b.apply(unit ? (upper ? Op::lt_ : Op::gt_) : (upper ? Op::le_ : Op::ge_), {row, column});
    const Id kept = b.apply(Op::where_, {inside, x, zero});
    return unit ? b.apply(Op::where_, {b.apply(Op::eq_, {row, column}), b.literal(type, convert(Type::I64, type, 1)), kept}) : kept;
  });
}

NodeRef identity(const NodeRef& like, const ExtentList& batches, int64_t n) {
  const Type type = like->types()[0];
  return by_element(like, joined(batches, {n, n}), {}, 0, [&](Builder& b, Id, Id row, Id column) {
    return b.cast(type, b.apply(Op::eq_, {row, column}));
  });
}

Id sum_of(Builder& b, Type type, Id count, std::span<const Id> free, const std::function<Id(Builder&, Id, std::span<const Id>)>& value) {
  Builder inner;
  const Id j = inner.param(Type::I64, "j");
  std::vector<Id> params;
  for (Id x : free) params.push_back(inner.param(b.type(x), "v" + std::to_string(params.size())));
  const Id term = value(inner, j, params), zero = b.literal(type, 0);
  return b.fold(count, {&zero, 1}, free, inner.finish({term}), op_fn(Op::add_, type))[0];
}

}  // namespace wf
