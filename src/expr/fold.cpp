// Folds a term when it is made: operations of literals, and identities that keep every bit. A rule depends only on the operands and their
// operands, so a folded term stays folded when it is printed and parsed again.
//
// An operand that folding drops is still evaluated if it may fail: the result requires it (Kind::Require).
//
// Floats: x + 0 is not x for x = -0, x * 0 is not 0 for NaN and infinities; x * 1, x - 0 and x / 1 are x.
#include <algorithm>

#include "expr/fn.h"
#include "expr/terms.h"

namespace wf {

namespace {

// Returns true if every value of `from` is a value of `to`.
bool is_embedded(Type from, Type to) {
  if (from == to || from == Type::Bool) return true;
  switch (from) {
    case Type::U8: return to != Type::Bool;
    case Type::I32: return to == Type::I64 || to == Type::F64;
    case Type::U32: return to == Type::I64 || to == Type::U64 || to == Type::F64;
    case Type::F32: return to == Type::F64;
    default: return false;
  }
}

// Returns true if cast(to, cast(middle, x)) is cast(to, x): the first cast loses nothing, and the second treats the value as the direct
// cast would (float to integer saturates, integer to integer wraps).
bool passes_through(Type from, Type middle, Type to) {
  if (!is_embedded(from, middle)) return false;
  const bool changes_rule = !is_in(from, Float) && is_in(middle, Float) && is_in(to, Int);
  return !changes_rule || is_embedded(from, to);
}

}  // namespace

struct Folder {
  Builder& builder;
  Op op;
  Type type;  // the operands'
  std::span<const Id> x;

  const Term& term(Id id) const { return builder.fn_.terms[id]; }
  Id operand(Id id, int k) const { return builder.fn_.args(id)[k]; }
  bool is_integer() const { return is_in(type, Int); }
  bool is_one(Id id) const { return is_literal(term(id)) && term(id).bits == convert(Type::U8, type, 1); }
  bool is_zero(Id id) const { return is_literal(term(id)) && term(id).bits == 0; }  // not -0
  bool is_ones(Id id) const { return is_literal(term(id)) && term(id).bits == *identity_bits(Op::and_, type); }
  bool is_identity(Id id) const { return is_literal(term(id)) && term(id).bits == *identity_bits(op, type); }
  bool is_not_of(Id id, Id of) const { return is_op(term(id), Op::not_) && operand(id, 0) == of; }
  Id truth(bool b) { return builder.literal(Type::Bool, b); }
  Id make(Op o, Id a, Id b) {
    const Id ab[] = {a, b};
    return builder.apply_typed(o, ab);
  }
  Id number(Bits64 bits) { return builder.literal(type, bits); }
  Bits64 bits(Id id) const { return term(id).bits; }
  Id without(Id dropped, Id result) { return builder.require(result, {dropped}); }

  std::optional<Id> literals() {
    if (!is_exact(op)) return std::nullopt;
    for (Id id : x)
      if (!is_literal(term(id))) return std::nullopt;
    Bits64 b[3] = {};
    for (size_t k = 0; k < x.size(); k++) b[k] = bits(x[k]);
    return builder.literal(result_type(op, type), evaluate(op, type, b[0], b[1], b[2]));
  }

  // The normal form of integer sums is value + literal or literal - value.
  std::optional<Id> sum() {
    const Id a = x[0], b = x[1];
    if (!is_integer()) return std::nullopt;
    if (is_zero(b)) return a;
    if (!is_literal(term(b))) return std::nullopt;
    if (is_op(term(a), Op::add_) && is_literal(term(operand(a, 1))))
      return make(Op::add_, operand(a, 0), number(evaluate(Op::add_, type, bits(operand(a, 1)), bits(b))));
    if (is_op(term(a), Op::sub_) && is_literal(term(operand(a, 0))))
      return make(Op::sub_, number(evaluate(Op::add_, type, bits(operand(a, 0)), bits(b))), operand(a, 1));
    return std::nullopt;
  }

  std::optional<Id> difference() {
    const Id a = x[0], b = x[1];
    if (is_zero(b)) return a;
    if (!is_integer()) return std::nullopt;
    if (a == b) return without(a, number(0));
    if (is_literal(term(b))) return make(Op::add_, a, number(evaluate(Op::neg_, type, bits(b))));
    if (!is_literal(term(a))) {
      // n - (n - i) = i, for views of views whose length is not a literal.
      if (is_op(term(b), Op::sub_) && operand(b, 0) == a) return without(a, operand(b, 1));
      return std::nullopt;
    }
    if (is_op(term(b), Op::add_) && is_literal(term(operand(b, 1))))
      return make(Op::sub_, number(evaluate(Op::sub_, type, bits(a), bits(operand(b, 1)))), operand(b, 0));
    if (is_op(term(b), Op::sub_) && is_literal(term(operand(b, 0))))
      return make(Op::add_, operand(b, 1), number(evaluate(Op::sub_, type, bits(a), bits(operand(b, 0)))));
    return std::nullopt;
  }

  std::optional<Id> product() {
    const Id a = x[0], b = x[1];
    if (is_one(b)) return a;
    if (!is_integer() || !is_literal(term(b))) return std::nullopt;
    if (is_zero(b)) return without(a, b);
    if (is_op(term(a), Op::mul_) && is_literal(term(operand(a, 1))))
      return make(Op::mul_, operand(a, 0), number(evaluate(Op::mul_, type, bits(operand(a, 1)), bits(b))));
    return std::nullopt;
  }

  // `and` and `or`, which are dual: one of zero and all ones is the neutral operand, the other the absorbing one.
  std::optional<Id> lattice(Op dual, bool neutral_is_ones) {
    const Id a = x[0], b = x[1];
    if (a == b) return a;
    if (neutral_is_ones ? is_ones(b) : is_zero(b)) return a;
    if (neutral_is_ones ? is_zero(b) : is_ones(b)) return without(a, b);
    if (is_not_of(a, b) || is_not_of(b, a)) return without(a, number(neutral_is_ones ? 0 : *identity_bits(Op::and_, type)));
    for (auto [p, q] : {std::pair(a, b), std::pair(b, a)}) {
      const bool same = is_op(term(q), op), other = is_op(term(q), dual);
      if (!same && !other) continue;
      if (operand(q, 0) == p || operand(q, 1) == p) return same ? q : without(q, p);
    }
    // (p and c) or (p and not c) = p
    if (is_op(term(a), dual) && is_op(term(b), dual))
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          if (operand(a, i) == operand(b, j) &&
              (is_not_of(operand(a, 1 - i), operand(b, 1 - j)) || is_not_of(operand(b, 1 - j), operand(a, 1 - i))))
            return without(operand(a, 1 - i), operand(a, i));
    return std::nullopt;
  }

  // Returns true for an order relation of indices: engines may choose a branch for many indices at once.
  bool orders_indices(Id id) const {
    const Term& t = term(id);
    return t.kind == Kind::Apply && t.op >= Op::lt_ && t.op <= Op::ge_ && term(operand(id, 0)).type == Type::I64;
  }

  std::optional<Id> choice() {
    const Id c = x[0], a = x[1], b = x[2];
    if (is_literal(term(c))) return bits(c) ? a : b;
    if (a == b) return without(c, a);
    if (type == Type::Bool && is_true(term(a)) && is_zero(b)) return c;
    if (type == Type::Bool && !orders_indices(c)) {
      if (is_zero(b) && !term(a).fails) return make(Op::and_, c, a);
      if (is_true(term(a)) && !term(b).fails) return make(Op::or_, c, b);
    }
    if (is_op(term(c), Op::not_)) {
      const Id swapped[] = {operand(c, 0), b, a};
      return builder.apply_typed(op, swapped);
    }
    return std::nullopt;
  }

  std::optional<Id> unary() {
    const Term& a = term(x[0]);
    const bool undoes_itself = op == Op::neg_ || op == Op::not_;
    if (undoes_itself && is_op(a, op)) return operand(x[0], 0);
    const bool idempotent = op == Op::abs_ || op == Op::floor_ || op == Op::ceil_ || op == Op::round_ || op == Op::trunc_;
    if (idempotent && is_op(a, op)) return x[0];
    return std::nullopt;
  }

  std::optional<Id> other() {
    const Id a = x[0], b = x[1];
    switch (op) {
      case Op::div_:
        if (is_one(b)) return a;
        return std::nullopt;
      case Op::min_:
      case Op::max_:
        if (a == b || (!is_in(type, Float) && is_identity(b))) return a;
        return std::nullopt;
      case Op::xor_:
        if (is_zero(b)) return a;
        if (a == b) return without(a, number(0));
        return std::nullopt;
      case Op::shl_:
      case Op::shr_:
        if (is_zero(b)) return a;
        return std::nullopt;
      case Op::eq_:
      case Op::le_:
      case Op::ge_:
        if (a == b && !is_in(type, Float)) return without(a, truth(true));
        return std::nullopt;
      case Op::ne_:
      case Op::lt_:
      case Op::gt_:
        if (a == b && !is_in(type, Float)) return without(a, truth(false));
        return std::nullopt;
      default: return std::nullopt;
    }
  }

  std::optional<Id> run() {
    if (auto folded = literals()) return folded;
    if (x.size() == 1) return unary();
    // A literal becomes the second operand.
    Id swapped[] = {x[1], x[0]};
    const Term shape{.kind = Kind::Apply, .op = op, .type = type};
    if (x.size() == 2 && is_literal(term(x[0])) && !is_literal(term(x[1])) && is_commutative(shape))
      return builder.apply_typed(op, swapped);
    switch (op) {
      case Op::add_: return sum();
      case Op::sub_: return difference();
      case Op::mul_: return product();
      case Op::and_: return lattice(Op::or_, true);
      case Op::or_: return lattice(Op::and_, false);
      case Op::where_: return choice();
      case Op::fma_: return std::nullopt;
      default: return other();
    }
  }
};

std::optional<Id> Builder::plain(Op op, std::span<const Id> operands) { return Folder{*this, op, type(operands.back()), operands}.run(); }

Id Builder::cast(Type to, Id x) {
  const Term& t = fn_.terms[x];
  if (t.type == to) return x;
  if (is_literal(t)) return literal(to, convert(t.type, to, t.bits));
  if (t.kind == Kind::Cast) {
    const Id origin = fn_.args(t)[0];
    if (passes_through(type(origin), t.type, to)) return cast(to, origin);
  }
  return intern({.kind = Kind::Cast, .type = to}, {&x, 1});
}

}  // namespace wf
