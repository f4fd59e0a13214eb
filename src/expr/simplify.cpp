// The rewrites of every written function, done once, before anything is fused with it:
//   contract   a*b + c -> fma(a, b, c) for floats, one rounding instead of two, unless c is a product, too: then both are
//              rounded, so that equal products cancel to 0 (a*a - b*b, b*b - 4*a*c, cross products)
//   choose     (and a b) -> (where a b false), (or a b) -> (where a true b) for bools, if b may fail: then b is evaluated only
//              if a does not decide. Guards are not changed, since nothing fails in them
//   guard      an index under a `where` is checked only if its branch is chosen (guards/guard.cpp)
//   fold       a loop that counts from a number up to a bound, and whose other variables combine integers that depend on the counter alone, is a
//              fold: engines choose the order of its steps
//   sink       an element from outside of a loop or fold is read inside, if only some steps evaluate a use of it
//   hoist      an element that every step of a fold reads at one index is read once, before the fold, and a `where` that chooses among values
//              of loops and folds from outside chooses once, before the fold
#include <algorithm>
#include <map>
#include <set>

#include "expr/guards/guard.h"
#include "expr/rewrite.h"

namespace wf {

namespace {

// A written function, or a function inside it: the body of a loop, or the value or combining function of a fold.
enum class Role : uint8_t { Whole, LoopBody, OfFold };

FnRef simplify(FnRef f, Role role, bool keeps_loops);

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
      case Kind::Require:
      case Kind::At: fixed[id] = std::ranges::all_of(value.args(t), [&](Id x) { return fixed[x]; }); break;
      default: break;
    }
  }
  return fixed;
}

// For each term: true if it is computed from one of these parameters.
std::vector<bool> depend_on(const Fn& f, const std::vector<bool>& params) {
  std::vector<bool> found(f.terms.size());
  for (Id id = 0; id < f.terms.size(); id++)
    found[id] = f[id].kind == Kind::Param ? params[f[id].slot] : std::ranges::any_of(f.args(id), [&](Id x) { return bool(found[x]); });
  return found;
}

// For each term: true if computing it reads an element or checks an index.
std::vector<bool> find_reading(const Fn& f) {
  std::vector<bool> reads(f.terms.size());
  for (Id id = 0; id < f.terms.size(); id++)
    reads[id] =
        f[id].kind == Kind::At || f[id].kind == Kind::Check || std::ranges::any_of(f.args(id), [&](Id x) { return bool(reads[x]); });
  return reads;
}

// The terms that move, in order; no other one that moves depends on them. These are reads that every step evaluates, if a step is certain, and
// choices among values that may fail. Those values are evaluated before the fold, so a choice moves even if some steps do not evaluate it, unless
// it reads elements itself. For those, the conditions of the values look into the fold (guards/conditions.cpp).
std::vector<Id> terms_that_move(const Fn& value, bool makes_a_step, const std::vector<bool>& may_fail) {
  const std::vector<bool> fixed = find_fixed(value), fails = depend_on(value, may_fail), reads = find_reading(value);
  std::vector<bool> is_evaluated(value.terms.size()), is_used(value.terms.size());
  for (Id x : value.results) is_evaluated[x] = is_used[x] = true;
  std::vector<Id> found;
  for (Id id = Id(value.terms.size()); id-- > 0;) {
    if (!is_used[id]) continue;
    const Term& t = value[id];
    const std::span<const Id> args = value.args(t);
    const bool is_read = t.kind == Kind::At && makes_a_step && is_evaluated[id];
    const bool is_choice = is_op(t, Op::where_) && (fails[args[1]] || fails[args[2]]) && (is_evaluated[id] || !reads[id]);
    if (fixed[id] && (is_read || is_choice)) {
      found.push_back(id);
      continue;
    }
    for (Id x : args) is_used[x] = true;
    // A `where` evaluates one branch, and the guard of a Check nothing that fails.
    const size_t always = is_op(t, Op::where_) ? 1 : t.kind == Kind::Check ? 2 : args.size();
    if (is_evaluated[id])
      for (Id x : args.first(always)) is_evaluated[x] = true;
  }
  std::ranges::reverse(found);
  return found;
}

struct Without : Copy {
  using Copy::Copy;
  std::vector<Id> by;  // the parameter instead of a term that moves, or no_id
  Id at(Id id, Id index) { return by[id] == no_id ? Copy::at(id, index) : by[id]; }
  Id apply(Id id, std::span<const Id> x) { return by[id] == no_id ? Copy::apply(id, x) : by[id]; }
};

// The value without these terms: its position, the free values that it still needs, whose numbers are appended to `kept`, and the terms.
FnRef without(const Fn& value, std::span<const Id> moved, std::vector<uint32_t>& kept) {
  std::vector<bool> is_moved(value.terms.size()), is_needed(value.terms.size());
  for (Id id : moved) is_moved[id] = true;
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
  for (Id id : moved) rest.by[id] = builder.param(value[id].type);
  return builder.finish(copy_terms(rest, params));
}

// The function from the value's free values to these terms.
FnRef alone(const Fn& value, std::span<const Id> moved) {
  Fn only = value;
  only.results.assign(moved.begin(), moved.end());
  Builder builder;
  Copy copy(builder, only);
  return builder.finish(copy_terms(copy, copy_params(builder, only)));
}

// Replaces what moves out of the fold's value by free values that `to` computes once. `operands`: its count, then its free values. `may_fail`:
// of each parameter of the value, true if it is a free value that may fail and that not every step evaluates.
void hoist(Builder& to, Fn::LoopInfo& fold, std::vector<Id>& operands, const std::vector<bool>& may_fail) {
  const std::vector<Id> terms = terms_that_move(*fold.body, is_positive(to[operands[0]]), may_fail);
  if (terms.empty()) return;
  // The position is not read.
  std::vector<Id> args{to.constant<int64_t>(0)};
  args.insert(args.end(), operands.begin() + 1, operands.end());
  const std::vector<Id> moved = to.inline_call(*alone(*fold.body, terms), args);
  std::vector<uint32_t> kept;
  fold.body = without(*fold.body, terms, kept);
  std::vector<Id> rest{operands[0]};
  for (uint32_t slot : kept) rest.push_back(operands[slot]);
  rest.insert(rest.end(), moved.begin(), moved.end());
  operands = std::move(rest);
}

// ---- sink ------------------------------------------------------------------------------------------------------------

// A term outside of a loop or fold.
struct Outer {
  bool sinks = false;    // it may be computed inside: a read, a Check, or an operation on one
  bool repeats = false;  // it depends on a loop or fold that may fail
  bool moves = false;    // it is computed inside
};
using Outers = std::map<Id, Outer>;

// The terms from which these are computed, apart from those that stay, and what loops and folds read. Choices among values of loops and folds
// do not sink, since these values do not either.
template <class Stays> Outers terms_below(const Fn& f, std::vector<Id> open, const Stays& stays) {
  Outers found;
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (stays(id) || !found.try_emplace(id).second || f[id].kind == Kind::Pick) continue;
    open.insert(open.end(), f.args(id).begin(), f.args(id).end());
  }
  for (auto& [id, outer] : found) {
    const Term& t = f[id];
    const auto any = [&](std::span<const Id> args, bool Outer::*flag) {
      return std::ranges::any_of(args, [&](Id x) { return found.contains(x) && found[x].*flag; });
    };
    const std::span<const Id> args = f.args(t);
    outer.repeats = t.kind == Kind::Pick ? (t.fails & fails_here) != 0 : any(args, &Outer::repeats);
    const bool is_pure = t.kind == Kind::Apply || t.kind == Kind::Cast || t.kind == Kind::Require;
    const bool chooses = is_op(t, Op::where_) && any(args.subspan(1), &Outer::repeats);
    outer.sinks = t.kind == Kind::At || t.kind == Kind::Check || (is_pure && any(args, &Outer::sinks) && !chooses);
  }
  return found;
}

// Moves free values into the body: the chosen ones, which some steps may not evaluate. `outside`: the function around the loop or fold. `settled`:
// its terms that are evaluated anyway. `operands`: the variables' first values or the count, then the free values.
void sink(const Fn& outside, const std::vector<bool>& settled, Fn::LoopInfo& inside, std::vector<Id>& operands,
          const std::vector<bool>& chosen) {
  const auto is_atom = [&](Id id) {
    return is_literal(outside[id]) || outside[id].kind == Kind::Argument || outside[id].kind == Kind::Length;
  };
  std::vector<Id> open;
  std::set<Id> kept;
  for (size_t k = 0; k < operands.size(); k++)
    if (k >= inside.variables && chosen[k]) open.push_back(operands[k]);
    else kept.insert(operands[k]);
  Outers outers = terms_below(outside, open, [&](Id id) { return !is_atom(id) && (settled[id] || kept.contains(id)); });

  Builder builder;
  Copy copy(builder, outside);
  std::vector<Id> rest, args;
  // Moves the term, or makes it a parameter of the body.
  const auto use = [&](Id id, const std::string& name) {
    const auto found = outers.find(id);
    if (found != outers.end() && (found->second.sinks || is_atom(id))) {
      found->second.moves = true;
    } else if (copy.here[id] == no_id) {
      copy.here[id] = builder.param(outside[id].type, name);
      rest.push_back(id);
    }
  };
  for (size_t k = 0; k < operands.size(); k++) {
    const Param& p = inside.body->params[k];
    if (k < inside.variables) args.push_back(builder.param(p.type, p.name)), rest.push_back(operands[k]);
    else use(operands[k], p.name);
  }
  if (std::ranges::none_of(outers, [](const auto& outer) { return outer.second.moves; })) return;
  for (auto outer = outers.rbegin(); outer != outers.rend(); outer++)
    for (Id x : outside.args(outer->first))
      if (outer->second.moves) use(x, "");
  for (const auto& [id, outer] : outers)
    if (outer.moves) copy_term(copy, id, {});
  for (size_t k = inside.variables; k < operands.size(); k++) args.push_back(copy.here[operands[k]]);
  inside.body = builder.finish(builder.inline_call(*inside.body, args));
  operands = std::move(rest);
}

// ---- fold ------------------------------------------------------------------------------------------------------------

// (loop ((i a) (s b) ...) (lt i n) (tuple (add i 1) (op s value(i)) ...)), where a >= 0 is a literal, no variable but i is part of n or value(i), and op
// is an operation on integers whose order does not matter. Its values are max(n, a) and b op fold(op, j < max(n, a) - a, value(a + j)).
struct CountingLoop {
  uint32_t counter;
  Id bound;                // a term of the body
  std::vector<Id> values;  // of the variables; that of the counter is not used
};

std::optional<CountingLoop> counting_loop(const Fn& body, uint32_t variables) {
  const Term& goes = body[body.results[0]];
  if (variables < 2 || (!is_op(goes, Op::lt_) && !is_op(goes, Op::gt_)) || !body.foreigns.empty()) return std::nullopt;
  const size_t of_bound = goes.op == Op::lt_ ? 1 : 0;
  const Term &counter = body[body.args(goes)[1 - of_bound]], &bound = body[body.args(goes)[of_bound]];
  if (counter.kind != Kind::Param || counter.slot >= variables || (counter.type != Type::I64 && counter.type != Type::I32))
    return std::nullopt;
  const bool is_fixed = bound.kind == Kind::Param ? bound.slot >= variables : is_literal(bound) || bound.kind == Kind::Argument;
  if (!is_fixed) return std::nullopt;
  std::vector<bool> combined(body.params.size());
  for (uint32_t k = 0; k < variables; k++) combined[k] = k != counter.slot;
  const std::vector<bool> depends = depend_on(body, combined);
  CountingLoop found{counter.slot, body.args(goes)[of_bound], std::vector<Id>(variables)};
  for (uint32_t k = 0; k < variables; k++) {
    const Term& next = body[body.results[k + 1]];
    const auto is_variable = [&](Id x) { return body[x].kind == Kind::Param && body[x].slot == k; };
    if (next.kind != Kind::Apply || next.count != 2 || !is_in(next.type, Int)) return std::nullopt;
    const std::span<const Id> x = body.args(next);
    const size_t own = is_variable(x[0]) ? 0 : 1;
    if (!is_variable(x[own]) || depends[x[1 - own]]) return std::nullopt;
    found.values[k] = x[1 - own];
    const Term& value = body[x[1 - own]];
    if (k == counter.slot && !(next.op == Op::add_ && is_literal(value) && value.bits == 1)) return std::nullopt;
    if (!(info(next.op).laws & Assoc) || !(info(next.op).laws & Comm) || !identity_bits(next.op, next.type)) return std::nullopt;
  }
  return found;
}

class LoopAsFold {
 public:
  // operands: the variables' first values, then the free values. Becomes those of the fold.
  LoopAsFold(Builder& to, Fn::LoopInfo& loop, std::vector<Id>& operands) : to_(to) {
    const auto found = loop.is_fold() ? std::nullopt : counting_loop(*loop.body, loop.variables);
    if (!found || !is_literal(to[operands[found->counter]])) return;
    const auto first = from_bits<int64_t>(convert(to[operands[found->counter]].type, Type::I64, to[operands[found->counter]].bits));
    if (first < 0) return;
    counter_ = found->counter;
    starts_.assign(operands.begin(), operands.begin() + loop.variables);
    const Fn& body = *loop.body;
    const Term& bound = body[found->bound];
    const Id end = bound.kind == Kind::Param      ? operands[bound.slot]
                   : bound.kind == Kind::Argument ? to.argument(bound.slot, bound.type)
                                                  : to.literal(bound.type, bound.bits);
    end_ = to.apply(Op::max_, {end, starts_[counter_]});
    for (uint32_t k = 0; k < loop.variables; k++) ops_.push_back(body[body.results[k + 1]].op);
    const Id count = first == 0 ? end : to.apply(Op::sub_, {end_, starts_[counter_]});  // a fold of less than 0 makes no step
    std::vector<Id> rest{to.cast(Type::I64, count)};
    loop = fold(body, *found, first, operands, rest);
    operands = std::move(rest);
  }

  bool exists() const { return !starts_.empty(); }

  // The values of the loop's variables, from those of the fold.
  std::vector<Id> results(std::vector<Id> folded) {
    if (!exists()) return folded;
    folded.insert(folded.begin() + counter_, end_);
    for (uint32_t k = 0; k < folded.size(); k++)
      if (k != counter_) folded[k] = to_.apply(ops_[k], {starts_[k], folded[k]});
    return folded;
  }

 private:
  // Appends the free values that the fold reads to `rest`: the bound may be none of them.
  Fn::LoopInfo fold(const Fn& body, const CountingLoop& found, int64_t first, const std::vector<Id>& operands,
                    std::vector<Id>& rest) const {
    const auto variables = uint32_t(starts_.size());
    Builder value, combine;
    std::vector<Id> args, sides[2], results;
    Fn values = body;
    values.results.clear();
    std::vector<Bits64> identity;
    std::vector<Op> ops;
    for (uint32_t k = 0; k < variables; k++) {
      if (k == counter_) continue;
      values.results.push_back(found.values[k]);
      identity.push_back(*identity_bits(ops_[k], body.params[k].type));
      ops.push_back(ops_[k]);
    }
    const std::vector<bool> is_needed = needed_for(values, values.results);  // parameters are a function's first terms
    const Id j = value.param(Type::I64, body.params[counter_].name);
    for (uint32_t k = 0; k < body.params.size(); k++) {
      const auto& [name, type] = body.params[k];
      if (k == counter_) args.push_back(value.cast(type, value.apply(Op::add_, {j, value.constant(first)})));
      else if (k < variables || !is_needed[k]) args.push_back(value.literal(type, 0));
      else args.push_back(value.param(type, name)), rest.push_back(operands[k]);
    }
    for (std::vector<Id>& side : sides)
      for (Id result : values.results) side.push_back(combine.param(body[result].type));
    for (size_t k = 0; k < ops.size(); k++) results.push_back(combine.apply(ops[k], {sides[0][k], sides[1][k]}));
    return {value.finish(value.inline_call(values, args)), 1, combine.finish(results), std::move(identity)};
  }

  Builder& to_;
  uint32_t counter_ = 0;
  std::vector<Id> starts_;  // empty: the loop stays one
  std::vector<Op> ops_;
  Id end_ = no_id;
};

// ----------------------------------------------------------------------------------------------------------------------

struct Simplify : Copy {
  Simplify(Builder& to, const Fn& from, Role role, bool keeps_loops)
      : Copy(to, from), role(role), keeps_loops(keeps_loops), is_used(used_outside_guards(from)) {}
  Role role;
  bool keeps_loops;
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
    Fn::LoopInfo inside = info(id);
    std::vector<Id> operands(x.begin(), x.end());
    std::optional<LoopAsFold> loop;
    if (!keeps_loops) loop.emplace(to, inside, operands);
    // The free values that may fail for one of these reasons, and that some steps do not evaluate.
    const auto chosen = [&](uint8_t reasons) {
      std::vector<bool> found(operands.size());
      for (size_t k = inside.variables; k < operands.size(); k++) found[k] = to[operands[k]].fails & reasons;
      if (std::ranges::find(found, true) == found.end()) return found;
      const std::vector<Evaluated> steps = evaluated_terms(*inside.body, false);  // parameters are a function's first terms
      for (size_t k = 0; k < found.size(); k++) found[k] = found[k] && steps[k] == Evaluated::Sometimes;
      return found;
    };
    // Parameters of written functions do not fail, but those of functions inside may be values of loops and folds.
    const uint8_t reasons = role == Role::Whole ? fails_here : fails_here | fails_before;
    std::vector<bool> moves = chosen(reasons);
    const bool has_chosen = std::ranges::find(moves, true) != moves.end();
    if (has_chosen) sink(to.so_far(), settled_before(id), inside, operands, chosen(fails_here));
    inside = inside.with([&](const FnRef& fn) { return simplify(fn, inside.is_fold() ? Role::OfFold : Role::LoopBody, keeps_loops); });
    if (has_chosen) moves = chosen(reasons);
    // If a loop's bound changes, its steps are not certain, and the function should stay the same.
    if (inside.is_fold() && !(loop && loop->exists())) hoist(to, inside, operands, moves);
    return loop ? loop->results(to.repeat(inside, operands)) : to.repeat(inside, operands);
  }

  // For each term of `to`: true if it is the copy of a term before this one that is always evaluated.
  const std::vector<bool>& settled_before(Id id) {
    if (evaluated.empty()) evaluated = evaluated_terms(from, role == Role::LoopBody);
    settled.resize(to.so_far().terms.size());
    for (; next < id; next++)
      if (evaluated[next] == Evaluated::Always && from[next].kind != Kind::Foreign && !is_repeated(from[next])) settled[here[next]] = true;
    return settled;
  }
  std::vector<Evaluated> evaluated;  // of each term of `from`, if it is known
  std::vector<bool> settled;
  Id next = 0;
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

FnRef simplify(FnRef f, Role role, bool keeps_loops) {
  if (!is_simplified(*f)) {
    Builder builder;
    Simplify pass(builder, *f, role, keeps_loops);
    f = builder.finish(copy_terms(pass, copy_params(builder, *f)));
  }
  return guard(std::move(f), role == Role::LoopBody);
}

}  // namespace

FnRef simplify(FnRef f) { return simplify(std::move(f), Role::Whole, false); }
FnRef simplify_with_loops(FnRef f) { return simplify(std::move(f), Role::Whole, true); }

}  // namespace wf
