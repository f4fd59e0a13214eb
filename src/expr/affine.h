// Index terms of the form sign * i + offset, where i is parameter 0 of the function.
#pragma once

#include "expr/fn.h"

namespace wf {

struct Affine {
  bool known = false;
  int64_t sign = 0, offset = 0;  // sign 1, -1, or 0: the constant `offset`

  // The index that this one reads if i is itself `inner`.
  Affine of(const Affine& inner) const { return {known && inner.known, sign * inner.sign, sign * inner.offset + offset}; }
  // The lowest and the highest index that an i in [0, n) is mapped to.
  int64_t lowest(int64_t n) const { return sign < 0 ? offset - (n - 1) : offset; }
  int64_t highest(int64_t n) const { return sign > 0 ? offset + (n - 1) : offset; }
};

// The affine form of an index term, if it has one. Builder folds sums of integers to value + literal or literal - value, so there is at
// most one addition or subtraction.
inline Affine affine(const Fn& fn, Id index) {
  auto leaf = [&](Id id) -> Affine {
    const Term& term = fn[id];
    if (term.kind == Kind::Param && term.slot == 0) return {true, 1, 0};
    if (term.kind == Kind::Literal && term.type == Type::I64) return {true, 0, from_bits<int64_t>(term.bits)};
    return {};
  };
  const Term& term = fn[index];
  if (term.kind != Kind::Apply || (term.op != Op::add_ && term.op != Op::sub_) || term.type != Type::I64) return leaf(index);
  const Affine a = leaf(fn.args(term)[0]), b = leaf(fn.args(term)[1]);
  if (!a.known || !b.known || (a.sign != 0 && b.sign != 0)) return {};
  return term.op == Op::add_ ? Affine{true, a.sign + b.sign, a.offset + b.offset} : Affine{true, a.sign - b.sign, a.offset - b.offset};
}

}  // namespace wf
