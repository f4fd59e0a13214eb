// The rewrites of every written function, done once, before anything is fused with it:
//   contract   a*b + c -> fma(a, b, c) for floats, one rounding instead of two, unless c is a product, too: then both are
//              rounded, so that equal products cancel to 0 (a*a - b*b, b*b - 4*a*c, cross products)
//   choose     (and a b) -> (where a b false), (or a b) -> (where a true b) for bools, if b may fail: then b is evaluated only
//              if a does not decide. Guards are not changed, since nothing fails in them
//   guard      an index under a `where` is checked only if its branch is chosen (guard.cpp)
//   hoist      an element that every step of a fold reads at one index is read once, before the fold
#include <algorithm>

#include "expr/guard.h"
#include "expr/rewrite.h"

namespace wf {

namespace {

FnRef simplify(FnRef f, bool is_loop_body);

bool may_contract(const Term& t) { return (is_op(t, Op::add_) || is_op(t, Op::sub_)) && is_in(t.type, Float); }

// ---- hoist -----------------------------------------------------------------------------------------------------------

// For each term: true if it is computed from free values, literals, arguments and elements alone.
std::vector<bool> find_fixed(const Fn& value) {
  std::vector<bool> fixed(value.terms.size());
  for (Id id = 0; id < value.terms.size(); id++) {
    const Term& t = value[id];
    switch (t.kind) {
      case Kind::Param: fixed[id] = t.slot > 0; break;
      case Kind::Literal:
      case Kind::Argument:
      case Kind::Length: fixed[id] = true; break;
      case Kind::Apply:
      case Kind::Cast:
      case Kind::Check:
      case Kind::At: fixed[id] = std::ranges::all_of(value.args(t), [&](Id x) { return fixed[x]; }); break;
      default: break;
    }
  }
  return fixed;
}

// The reads that move, in order: every step evaluates them, and no other one that moves reads their result.
std::vector<Id> reads_that_move(const Fn& value) {
  const std::vector<bool> fixed = find_fixed(value);
  std::vector<bool> is_evaluated(value.terms.size());
  for (Id x : value.results) is_evaluated[x] = true;
  std::vector<Id> found;
  for (Id id = Id(value.terms.size()); id-- > 0;) {
    if (!is_evaluated[id]) continue;
    const Term& t = value[id];
    const std::span<const Id> args = value.args(t);
    if (t.kind == Kind::At && fixed[id]) {
      found.push_back(id);
      continue;
    }
    // A `where` evaluates one branch, and the guard of a Check nothing that fails.
    const size_t always = is_op(t, Op::where_) ? 1 : t.kind == Kind::Check ? 2 : args.size();
    for (Id x : args.first(always)) is_evaluated[x] = true;
  }
  std::ranges::reverse(found);
  return found;
}

struct Without : Copy {
  using Copy::Copy;
  std::vector<Id> by;  // the parameter instead of a read that moves, or no_id
  Id at(Id id, Id index) { return by[id] == no_id ? Copy::at(id, index) : by[id]; }
};

// The value without these reads: its position, the free values that it still needs, whose numbers are appended to `kept`, and the reads.
FnRef without(const Fn& value, std::span<const Id> reads, std::vector<uint32_t>& kept) {
  std::vector<bool> is_moved(value.terms.size()), is_needed(value.terms.size());
  for (Id read : reads) is_moved[read] = true;
  for (Id x : value.results) is_needed[x] = true;
  for (Id id = Id(value.terms.size()); id-- > 0;)
    if (is_needed[id] && !is_moved[id])
      for (Id x : value.args(id)) is_needed[x] = true;
  Builder builder;
  std::vector<Id> params;
  for (uint32_t slot = 0; slot < value.params.size(); slot++) {
    const Param& p = value.params[slot];
    if (slot > 0 && is_needed[slot]) kept.push_back(slot);  // parameters are a function's first terms
    params.push_back(slot == 0 || is_needed[slot] ? builder.param(p.type, p.name) : builder.literal(p.type, 0));
  }
  Without rest(builder, value);
  rest.by.assign(value.terms.size(), no_id);
  for (Id read : reads) rest.by[read] = builder.param(value[read].type);
  return builder.finish(copy_terms(rest, params));
}

// The function from the value's free values to these reads.
FnRef alone(const Fn& value, std::span<const Id> reads) {
  Fn only = value;
  only.results.assign(reads.begin(), reads.end());
  Builder builder;
  Copy copy(builder, only);
  return builder.finish(copy_terms(copy, copy_params(builder, only)));
}

// Returns true if the loop or fold with these operands is a fold of at least one position.
bool makes_a_step(const Builder& builder, const Fn::LoopInfo& info, std::span<const Id> operands) {
  if (!info.is_fold()) return false;
  const Term& count = builder[operands[0]];
  return is_literal(count) && from_bits<int64_t>(count.bits) > 0;
}

// Replaces each read of the fold's value that every step evaluates, at an index that does not depend on the position, by a free value that
// `to` reads once. The fold makes at least one step. `operands`: its count, then its free values.
void hoist_reads(Builder& to, Fn::LoopInfo& fold, std::vector<Id>& operands) {
  const std::vector<Id> reads = reads_that_move(*fold.body);
  if (reads.empty()) return;
  // The position is not read.
  std::vector<Id> args{to.constant<int64_t>(0)};
  args.insert(args.end(), operands.begin() + 1, operands.end());
  const std::vector<Id> moved = to.inline_call(*alone(*fold.body, reads), args);
  std::vector<uint32_t> kept;
  fold.body = without(*fold.body, reads, kept);
  std::vector<Id> rest{operands[0]};
  for (uint32_t slot : kept) rest.push_back(operands[slot]);
  rest.insert(rest.end(), moved.begin(), moved.end());
  operands = std::move(rest);
}

// ----------------------------------------------------------------------------------------------------------------------

struct Simplify : Copy {
  Simplify(Builder& to, const Fn& from) : Copy(to, from), is_used(used_outside_guards(from)) {}
  std::vector<bool> is_used;

  bool is_product(Id x) const { return is_op(to[x], Op::mul_); }
  bool is_signed_product(Id x) const { return is_product(is_op(to[x], Op::neg_) ? to.so_far().args(x)[0] : x); }
  Id make(Op op, std::initializer_list<Id> x) { return to.apply_typed(op, {x.begin(), x.size()}); }
  Id fused(Id product, bool is_negative, Id c) {
    std::span<const Id> factors = to.so_far().args(product);
    Id a = factors[0];
    const Id b = factors[1];
    if (is_negative) a = make(Op::neg_, {a});
    return make(Op::fma_, {a, b, c});
  }

  Id choice(Id id, std::span<const Id> x) {
    if (!is_used[id]) return to.apply_in_guard(from[id].op, x);
    return is_op(from[id], Op::and_) ? make(Op::where_, {x[0], x[1], to.constant(false)})
                                     : make(Op::where_, {x[0], to.constant(true), x[1]});
  }

  Id apply(Id id, std::span<const Id> x) {
    if (is_choice(from, from[id])) return choice(id, x);
    if (!may_contract(from[id]) || (is_signed_product(x[0]) && is_signed_product(x[1]))) return Copy::apply(id, x);
    const bool is_difference = from[id].op == Op::sub_;
    if (is_product(x[0])) return fused(x[0], false, is_difference ? make(Op::neg_, {x[1]}) : x[1]);
    if (is_product(x[1])) return fused(x[1], is_difference, x[0]);
    return Copy::apply(id, x);
  }

  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    const bool is_loop_body = !info(id).is_fold();
    Fn::LoopInfo inside = info(id).with([&](const FnRef& fn) { return simplify(fn, is_loop_body); });
    std::vector<Id> operands(x.begin(), x.end());
    if (makes_a_step(to, inside, x)) hoist_reads(to, inside, operands);
    return to.repeat(inside, operands);
  }
};

bool is_simplified(const Fn& f) {
  if (!f.loops.empty()) return false;
  for (const Term& t : f.terms) {
    if (is_choice(f, t)) return false;
    if (may_contract(t))
      for (Id x : f.args(t))
        if (is_op(f[x], Op::mul_)) return false;
  }
  return true;
}

FnRef simplify(FnRef f, bool is_loop_body) {
  if (!is_simplified(*f)) {
    Builder builder;
    Simplify pass(builder, *f);
    f = builder.finish(copy_terms(pass, copy_params(builder, *f)));
  }
  return guard(std::move(f), is_loop_body);
}

}  // namespace

FnRef simplify(FnRef f) { return simplify(std::move(f), false); }

}  // namespace wf
