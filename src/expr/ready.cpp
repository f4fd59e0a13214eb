// Ready-made functions, and the recognition of single operations.
#include <algorithm>

#include "expr/fn.h"
#include "expr/terms.h"

namespace wf {

FnRef identity_fn(std::span<const Type> types) {
  Builder builder;
  std::vector<Id> params;
  for (Type t : types) params.push_back(builder.param(t));
  return builder.finish(params);
}

FnRef op_fn(Op op, Type type) {
  Builder builder;
  std::vector<Id> params;
  for (int k = 0; k < info(op).arity; k++) params.push_back(builder.param(op == Op::where_ && k == 0 ? Type::Bool : type));
  return builder.finish({builder.apply(op, params)});
}

std::optional<Op> as_op(const Fn& f) {
  if (f.params.size() != 2 || f.results.size() != 1) return std::nullopt;
  const Term& t = f[f.results[0]];
  if (t.kind != Kind::Apply || t.count != 2) return std::nullopt;
  const Term &a = f[f.args(t)[0]], &b = f[f.args(t)[1]];
  if (a.kind != Kind::Param || b.kind != Kind::Param || a.slot == b.slot) return std::nullopt;
  if (a.slot == 1 && !is_commutative(t)) return std::nullopt;
  return t.op;
}

namespace {

// The operation by which a combine function (2m -> m) computes this column from the same columns alone, in either order.
std::optional<Op> op_of_column(const Fn& combine, size_t column) {
  const size_t columns = combine.results.size();
  const Term& t = combine[combine.results[column]];
  if (t.kind != Kind::Apply || t.count != 2) return std::nullopt;
  const Term &x = combine[combine.args(t)[0]], &y = combine[combine.args(t)[1]];
  if (x.kind != Kind::Param || y.kind != Kind::Param) return std::nullopt;
  const bool own = std::min(x.slot, y.slot) == column && std::max(x.slot, y.slot) == column + columns;
  return own ? std::optional(t.op) : std::nullopt;
}

constexpr Op not_associative[] = {
#define NOT_ASSOCIATIVE(f) Op::f##_,
#include "ops/laws.def"
};

}  // namespace

std::optional<Op> column_op(const Fn& combine, size_t column) {
  const std::optional<Op> op = op_of_column(combine, column);
  return op && (info(*op).laws & Comm) && (info(*op).laws & Assoc) ? op : std::nullopt;
}

std::optional<Op> op_not_associative(const Fn& combine) {
  for (size_t column = 0; column < combine.results.size(); column++)
    if (const auto op = op_of_column(combine, column); op && !(info(*op).laws & Assoc) && std::ranges::count(not_associative, *op) > 0)
      return op;
  return std::nullopt;
}

std::optional<Op> op_apart(const Fn& combine, size_t column, Bits64 start) {
  const std::optional<Op> op = column_op(combine, column);
  if (!op || info(*op).laws & Idem) return std::nullopt;
  const Type type = combine.params[column].type;
  const std::optional<Bits64> neutral = identity_bits(*op, type);
  return neutral && start != *neutral && evaluate(*op, type, start, *neutral) != *neutral ? op : std::nullopt;
}

Bits64 neutral_start(const Fn& combine, size_t column, Bits64 start) {
  const Type type = combine.params[column].type;
  const std::optional<Op> op = column_op(combine, column);
  return op && is_in(type, Float) && info(*op).laws & Idem && start == *identity_bits(*op, type) ? neutral_bits(*op, type) : start;
}

}  // namespace wf
