// Index terms of the form sign * i + offset, where i is parameter 0 of the function.
#pragma once

#include <cstdint>

#include "expr/fn.h"

namespace wf {

struct Affine {
  bool known = false;
  int64_t sign = 0, offset = 0;  // sign 1, -1, or 0: the constant `offset`

  // The index that this one reads if i is itself `inner`. Offsets wrap, as indices do.
  Affine of(const Affine& inner) const {
    return {known && inner.known, sign * inner.sign, int64_t(uint64_t(sign) * uint64_t(inner.offset) + uint64_t(offset))};
  }
  // The lowest and the highest index that an i in [0, n) is mapped to: the limits of the type if an index wraps.
  int64_t lowest(int64_t n) const { return wraps(n) ? INT64_MIN : sign < 0 ? offset - (n - 1) : offset; }
  int64_t highest(int64_t n) const { return wraps(n) ? INT64_MAX : sign > 0 ? offset + (n - 1) : offset; }

 private:
  bool wraps(int64_t n) const {
    int64_t last;
    return sign < 0 ? __builtin_sub_overflow(offset, n - 1, &last) : sign > 0 && __builtin_add_overflow(offset, n - 1, &last);
  }
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
  const auto x = uint64_t(a.offset), y = uint64_t(b.offset);
  return term.op == Op::add_ ? Affine{true, a.sign + b.sign, int64_t(x + y)} : Affine{true, a.sign - b.sign, int64_t(x - y)};
}

}  // namespace wf
