// Ready-made functions, and the recognition of single operations.
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

}  // namespace wf
