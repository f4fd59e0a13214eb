// Predicates of terms that several files of this folder use.
#pragma once

#include <string>

#include "expr/fn.h"
#include "expr/recent.h"

namespace wf {

constexpr Id no_id = ~Id(0);

inline bool is_literal(const Term& t) { return t.kind == Kind::Literal; }
inline bool is_true(const Term& t) { return is_literal(t) && t.type == Type::Bool && t.bits != 0; }
// Its slot is one of Fn::loops.
inline bool is_repeated(const Term& t) { return t.kind == Kind::Loop || t.kind == Kind::Fold; }
inline bool is_positive(const Term& t) { return is_literal(t) && from_bits<int64_t>(t.bits) > 0; }
inline bool is_op(const Term& t, Op op) { return t.kind == Kind::Apply && t.op == op; }

// Returns true for `and` and `or` of bools whose second operand may fail: in a written function it is evaluated only if the first one does
// not decide.
inline bool is_choice(const Fn& f, const Term& t, uint8_t reasons = fails_here) {
  return (is_op(t, Op::and_) || is_op(t, Op::or_)) && t.type == Type::Bool && (f[f.args(t)[1]].fails & reasons);
}

// For each term: true if one of the results is computed from it.
inline std::vector<bool> needed_for(const Fn& f, std::span<const Id> results) {
  std::vector<bool> needed(f.terms.size());
  for (Id id : results) needed[id] = true;
  for (Id id = Id(f.terms.size()); id-- > 0;)
    if (needed[id])
      for (Id x : f.args(id)) needed[x] = true;
  return needed;
}

// Returns true if op(a, b) and op(b, a) have the same bits. min and max of equal operands are the first, so of 0 and -0 the order matters.
inline bool is_commutative(const Term& t) {
  return t.kind == Kind::Apply && (info(t.op).laws & Comm) && !((t.op == Op::min_ || t.op == Op::max_) && is_in(t.type, Float));
}

// An operation that is known not to be associative and computes a column of a combine function (2m -> m) from the same columns alone.
std::optional<Op> op_not_associative(const Fn& combine);

// The operands that an operation takes, for messages: "two numbers".
std::string takes(Op op);

}  // namespace wf
