// The rules for reductions and joins.
#include <algorithm>

#include "expr/derivative/derivative.h"
#include "grad/pass.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/composed/segments.h"

namespace wf {

// ---- reductions --------------------------------------------------------------------------------------------------------

namespace {

// The rules for one column that is reduced by one operation.
class ColumnReduction {
 public:
  ColumnReduction(const RowReduction& rows, size_t column, const NodeRef& ybar)
      : rows_(rows), column_(uint32_t(column)), type_(rows.values->types()[column]), ybar_(ybar) {}

  NodeRef add() const {
    return of_values({ybar_}, [&](Builder& b, Id, Id row) { return std::vector<Id>{b.at(0, 0, type_, row)}; });
  }

  // The first element that is the result has the whole cotangent, unless the start is.
  NodeRef extremum(Op op) const {
    const NodeRef position = positions(rows_.values), both[] = {column_of(rows_.values, column_), position};
    const NodeRef first = reduce_rows(rows_, zip(both), first_of(op), {nan_bits(), to_bits(int64_t(-1))});
    return of_values({ybar_, first, position}, [&](Builder& b, Id p, Id row) {
      Id is_it = b.apply(Op::eq_, {b.at(1, 1, Type::I64, row), b.at(2, 0, Type::I64, p)});
      if (const Bits64 start = rows_.identity[column_]; has_start(*rows_.combine, column_, start))
        is_it = b.apply(Op::and_, {is_it, b.apply(op == Op::min_ ? Op::lt_ : Op::gt_, {b.at(1, 0, type_, row), b.literal(type_, start)})});
      return std::vector<Id>{b.apply(Op::where_, {is_it, b.at(0, 0, type_, row), zero(b)})};
    });
  }

  // The product of the others: with z zeros and the product P of the other elements, P / x for z = 0, and P at the only zero for z = 1.
  NodeRef product() const {
    const NodeRef marked = of_values({rows_.values}, [&](Builder& b, Id p, Id) {
      const Id x = b.at(0, column_, type_, p), is_zero = b.apply(Op::eq_, {x, zero(b)});
      return std::vector<Id>{b.apply(Op::where_, {is_zero, one(b), x}), b.cast(Type::I64, is_zero)};
    });
    const NodeRef all = reduce_rows(rows_, marked, products_and_counts(), {rows_.identity[column_], 0});
    return of_values({ybar_, all, rows_.values}, [&](Builder& b, Id p, Id row) {
      const Id product = b.at(1, 0, type_, row), zeros = b.at(1, 1, Type::I64, row), x = b.at(2, column_, type_, p);
      const Id is_zero = b.apply(Op::eq_, {x, zero(b)}), others = b.apply(Op::sub_, {zeros, b.cast(Type::I64, is_zero)});
      const Id without = b.apply(Op::where_, {is_zero, product, b.apply(Op::div_, {product, x})});
      const Id is_none = b.apply(Op::eq_, {others, b.constant<int64_t>(0)});
      return std::vector<Id>{b.apply(Op::where_, {is_none, b.apply(Op::mul_, {b.at(0, 0, type_, row), without}), zero(b)})};
    });
  }

 private:
  Id zero(Builder& b) const { return b.literal(type_, 0); }
  Id one(Builder& b) const { return b.literal(type_, convert(Type::I32, type_, 1)); }
  Bits64 nan_bits() const { return type_ == Type::F32 ? to_bits(__builtin_nanf("")) : to_bits(__builtin_nan("")); }

  // f(builder, position p of the values, its row)
  template <class F> NodeRef of_values(Few<NodeRef> inputs, const F& f) const {
    const auto slot = uint32_t(inputs.size());
    if (rows_.offsets) inputs.push_back(segment_ids(rows_.offsets, rows_.values->length()));
    return computed(rows_.values, domain_of(rows_.values), std::move(inputs), [&](Builder& b, Id p) {
      if (rows_.offsets) return f(b, p, b.at(slot, 0, Type::I64, p));
      if (rows_.is_whole() || rows_.values->length() == rows_.count) return f(b, p, b.constant<int64_t>(0));
      return f(b, p, b.apply(Op::div_, {p, b.constant(std::max<int64_t>(1, rows_.count))}));
    });
  }

  // The function chooses the pair (value, position) of the extremum; a number is chosen before a NaN.
  FnRef first_of(Op op) const {
    Builder b;
    const Id v = b.param(type_), at = b.param(Type::I64), w = b.param(type_), next = b.param(Type::I64);
    const Id is_better = b.apply(op == Op::min_ ? Op::lt_ : Op::gt_, {w, v});
    const Id is_first = b.apply(Op::and_, {b.apply(Op::isnan_, {v}), b.apply(Op::not_, {b.apply(Op::isnan_, {w})})});
    const Id chosen = b.apply(Op::or_, {is_better, is_first});
    return b.finish({b.apply(Op::where_, {chosen, w, v}), b.apply(Op::where_, {chosen, next, at})});
  }
  FnRef products_and_counts() const {
    Builder b;
    const Id v = b.param(type_), n = b.param(Type::I64), w = b.param(type_), m = b.param(Type::I64);
    return b.finish({b.apply(Op::mul_, {v, w}), b.apply(Op::add_, {n, m})});
  }

  const RowReduction& rows_;
  const uint32_t column_;
  const Type type_;
  const NodeRef& ybar_;
};

// The exclusive prefixes of each row.
NodeRef prefixes_of_rows(const RowReduction& rows, const FnRef& combine, const NodeRef& values, const NodeRef& offsets) {
  const std::vector<Bits64> identity(rows.identity.begin(), rows.identity.end());
  if (!offsets) return scan_axis(closed(combine), identity, values, 1, false).prefixes;
  const NodeRef flat = reshape(values, std::vector<int64_t>{values->length()});
  return reshape(segment_scan(closed(combine), identity, flat, offsets, false).prefixes, values->shape().extents());
}

// The offsets of the segments of n values in the other order.
NodeRef offsets_from_end(const NodeRef& offsets, int64_t n) {
  return mapped(rev(offsets), [&](Builder& b, Id offset) { return b.apply(Op::sub_, {b.constant(n), b.cast(Type::I64, offset)}); });
}

struct RowPlace {
  Id row, is_first, is_last;
};
RowPlace place_in_row(Builder& b, Id p, int64_t n, int64_t count) {
  const Id zero = b.constant<int64_t>(0), width = b.constant(std::max<int64_t>(1, count));
  const Id row = n == count ? zero : b.apply(Op::div_, {p, width}), j = n == count ? p : b.apply(Op::rem_, {p, width});
  return {row, b.apply(Op::eq_, {j, zero}), b.apply(Op::eq_, {j, b.constant(count - 1)})};
}
// Slot 3 are the numbers of the segments, slot 4 their offsets.
RowPlace place_in_segment(Builder& b, Id p, Type type) {
  const Id one = b.constant<int64_t>(1), row = b.at(3, 0, Type::I64, p);
  const auto offset = [&](Id k) { return b.cast(Type::I64, b.at(4, 0, type, k)); };
  const Id next = b.apply(Op::add_, {p, one}), end = offset(b.apply(Op::add_, {row, one}));
  return {row, b.apply(Op::eq_, {p, offset(row)}), b.apply(Op::eq_, {next, end})};
}

// With exclusive prefixes L and suffixes R: xbar = J_right(L, x)T J_left(L x, R)T ybar.
void reduce_by_any(GradientPass& pass, const RowReduction& rows, const CotangentColumns& ybar) {
  const NodeRef& x = rows.values;
  for (size_t c = 0; c < ybar.size(); c++)
    if (has_start(*rows.combine, c, rows.identity[c]))
      throw NoDerivative("a reduction by several operations from a start that is not the identity of column " + std::to_string(c) +
                         " has no derivative; expected the identity");
  const int64_t n = pass.length_of(x), count = rows.is_whole() || rows.offsets ? n : rows.count;
  const std::vector<Type>& types = x->types();
  const size_t m = types.size();
  const FnRef vjp = vjp_of_combine(rows.combine);
  const NodeRef values = reshape(x, std::vector<int64_t>{n / std::max<int64_t>(1, count), count});
  const NodeRef before = prefixes_of_rows(rows, rows.combine, values, rows.offsets);
  const NodeRef reversed_offsets = rows.offsets ? offsets_from_end(rows.offsets, n) : NodeRef();
  const NodeRef after = reversed_along(prefixes_of_rows(rows, swapped(rows.combine), reversed_along(values, 1), reversed_offsets), 1);
  Few<NodeRef> inputs{before, x, after};
  if (rows.offsets) inputs.push_back(segment_ids(rows.offsets, n)), inputs.push_back(rows.offsets);
  std::vector<uint32_t> slots;
  for (const NodeRef& c : ybar) {
    slots.push_back(uint32_t(inputs.size()));
    if (c) inputs.push_back(c);
  }
  const NodeRef all = computed(x, domain_of(x), inputs, [&](Builder& b, Id p) {
    const auto [row, is_first, is_last] = rows.offsets ? place_in_segment(b, p, rows.offsets->types()[0]) : place_in_row(b, p, n, count);
    const std::vector<Id> left = read(b, 0, types, p), own = read(b, 1, types, p), right = read(b, 2, types, p);
    std::vector<Id> seeds;
    for (size_t c = 0; c < m; c++)
      if (is_in(types[c], Float)) seeds.push_back(ybar[c] ? b.at(slots[c], 0, types[c], row) : b.literal(types[c], 0));
    const size_t floats = seeds.size();
    // The cotangents go back through (prefix x) f suffix to its left operand, then through prefix f x to the right one. The identity has no part in either.
    const auto back = [&](std::vector<Id> args, const std::vector<Id>& more, std::span<const Id> with, size_t from, Id unless) {
      args.insert(args.end(), more.begin(), more.end());
      args.insert(args.end(), with.begin(), with.end());
      const std::vector<Id> both = b.inline_call(*vjp, args);
      std::vector<Id> chosen;
      for (size_t k = 0; k < floats; k++) chosen.push_back(b.apply(Op::where_, {unless, with[k], both[from + k]}));
      return chosen;
    };
    std::vector<Id> args = left;
    args.insert(args.end(), own.begin(), own.end());
    std::vector<Id> here = b.inline_call(*rows.combine, args);
    for (size_t c = 0; c < m; c++) here[c] = b.apply(Op::where_, {is_first, own[c], here[c]});
    return back(left, own, back(here, right, seeds, 0, is_last), floats, is_first);
  });
  for (size_t c = 0, k = 0; c < m; c++)
    if (is_in(types[c], Float)) pass.give(x, c, column_of(all, k++));
}

bool has_rule(Op op) { return op == Op::add_ || op == Op::min_ || op == Op::max_ || op == Op::mul_; }

}  // namespace

NodeRef reversed_along(const NodeRef& s, int axis) {
  const Shape shape = s->shape();
  const std::vector<int64_t> extents(shape.extents().begin(), shape.extents().end());
  if (shape.length() == 0) return s;
  std::vector<int64_t> starts(extents.size(), 0), steps(extents.size(), 1);
  starts[size_t(axis)] = extents[size_t(axis)] - 1, steps[size_t(axis)] = -1;
  return slice(s, starts, extents, steps.data());
}

FnRef swapped(const FnRef& f) {
  Builder b;
  const std::vector<Id> params = copy_params(b, *f);
  const auto middle = params.begin() + ptrdiff_t(params.size() / 2);
  std::vector<Id> args(middle, params.end());
  args.insert(args.end(), params.begin(), middle);
  return b.finish(b.inline_call(*f, args));
}

bool has_start(const Fn& combine, size_t column, Bits64 start) {
  const Type type = combine.params[column].type;
  const std::optional<Op> op = column_op(combine, column);
  return op && is_in(type, Float) && identity_bits(*op, type) && start != *identity_bits(*op, type) && start != neutral_bits(*op, type) &&
         !is_nan(type, start);
}

void reduce_back(GradientPass& pass, const RowReduction& rows, const CotangentColumns& ybar) {
  for (size_t c = 0; c < ybar.size(); c++)
    if (const auto op = column_op(*rows.combine, c); ybar[c] && (!op || !has_rule(*op))) return reduce_by_any(pass, rows, ybar);
  for (size_t c = 0; c < ybar.size(); c++) {
    if (!ybar[c]) continue;
    const ColumnReduction rule(rows, c, ybar[c]);
    const Op op = *column_op(*rows.combine, c);
    pass.give(rows.values, c, op == Op::add_ ? rule.add() : op == Op::mul_ ? rule.product() : rule.extremum(op));
  }
}

// ---- routines ----------------------------------------------------------------------------------------------------------

namespace {

void join_back(GradientPass& pass, const NodeRef& y, const Definition& join, const CotangentColumns& ybar) {
  const int64_t rows = from_bits<int64_t>(join.identity[0]), width = y->length() / rows;
  for (int64_t begin = 0; const NodeRef& part : join.inputs) {
    const int64_t own = part->length() / rows;
    for (size_t c = 0; c < ybar.size(); c++)
      if (ybar[c] && pass.is_active(part))
        pass.give(part, c,
                  view_of(reshape(ybar[c], std::vector<int64_t>{y->length()}), {begin, {width, 1}}, std::vector<int64_t>{rows, own}));
    begin += own;
  }
}

}  // namespace

void call_back(GradientPass& pass, const NodeRef& y, const Definition& call, const CotangentColumns& ybar) {
  switch (call.routine.kind) {
    case Routine::Join: return join_back(pass, y, call, ybar);
    case Routine::Linear: return linear_back(pass, y, call, ybar[0]);
    case Routine::Sort:
    case Routine::Merge: return sort_back(pass, y, call, ybar);
    case Routine::Scatter: return scatter_back(pass, call, ybar);
    case Routine::Iterate: return iterate_back(pass, y, call, ybar);
    case Routine::Derivative: return derivative_back(pass, y, call, ybar);
    case Routine::Recompute: return recompute_back(pass, call, ybar);
    case Routine::SegmentIds: return;  // integers
  }
}

}  // namespace wf
