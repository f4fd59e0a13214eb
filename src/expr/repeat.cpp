// Loops and folds: terms with functions inside. Values from outside that such a function uses are its free parameters.
#include <algorithm>
#include <cmath>

#include "expr/fn.h"
#include "expr/guards/guard.h"
#include "expr/numbering.h"
#include "expr/rewrite.h"
#include "expr/terms.h"

namespace wf {

namespace {

// The replacement of a free value: the body's own copy of a literal, argument or length, or its free parameter number `position`.
struct FreeValue {
  const Term* copied;  // null: it stays a parameter
  uint32_t position;
};

// The body with its parameters from `variables` on replaced by `free`. `count` of them stay parameters.
FnRef with_free_values(const Fn& body, uint32_t variables, std::span<const FreeValue> free, uint32_t count) {
  Builder builder;
  std::vector<Id> args;
  for (uint32_t k = 0; k < variables; k++) args.push_back(builder.param(body.params[k].type, body.params[k].name));
  std::vector<const Param*> kept(count);
  for (size_t k = 0; k < free.size(); k++)
    if (!free[k].copied && !kept[free[k].position]) kept[free[k].position] = &body.params[variables + k];
  std::vector<Id> params;
  for (const Param* p : kept) params.push_back(builder.param(p->type, p->name));
  for (size_t k = 0; k < free.size(); k++) {
    const auto [copied, position] = free[k];
    const Type type = body.params[variables + k].type;
    args.push_back(!copied                          ? params[position]
                   : copied->kind == Kind::Length   ? builder.length(copied->slot)
                   : copied->kind == Kind::Argument ? builder.argument(copied->slot, type)
                                                    : builder.literal(type, copied->bits));
  }
  return builder.finish(builder.inline_call(body, args));
}

// The parameters from `variables` on in the order in which the body first uses them; unused ones are left out.
std::vector<uint32_t> first_uses(const Fn& body, uint32_t variables) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(body.params.size());
  auto use = [&](Id id) {
    const Term& t = body[id];
    if (t.kind != Kind::Param || t.slot < variables || seen[t.slot]) return;
    seen[t.slot] = true;
    order.push_back(t.slot - variables);
  };
  for (const Term& t : body.terms)
    for (Id x : body.args(t)) use(x);
  for (Id x : body.results) use(x);
  return order;
}

void check_loop(const Fn& body, std::span<const Id> inits, std::span<const Id> free, const Builder& builder) {
  auto wrong = [](std::string text) { throw TypeError("loop: " + std::move(text)); };
  auto shown = [](Type t) { return std::string(name(t)); };
  if (inits.empty()) wrong("it has no variables; expected at least one");
  if (body.params.size() != inits.size() + free.size() || body.results.size() != inits.size() + 1)
    wrong("the body has " + std::to_string(body.params.size()) + " parameters and " + std::to_string(body.results.size()) +
          " results for " + std::to_string(inits.size()) + " variables and " + std::to_string(free.size()) + " free values");
  const std::vector<Type> results = body.result_types();
  if (results[0] != Type::Bool) wrong("the condition has type " + shown(results[0]) + "; expected bool");
  for (size_t k = 0; k < body.params.size(); k++) {
    const Param& p = body.params[k];
    const Type given = builder.type(k < inits.size() ? inits[k] : free[k - inits.size()]);
    if (p.type != given) wrong("the value of " + p.name + " has type " + shown(given) + "; expected " + shown(p.type));
    if (k < inits.size() && results[k + 1] != p.type)
      wrong("the next value of " + p.name + " has type " + shown(results[k + 1]) + "; expected " + shown(p.type) +
            ", the type of its first value");
  }
}

std::string counted(size_t n, const char* noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

// Returns true if f, or a function inside it, reads a captured sequence or its length.
bool reads_captures(const Fn& f) {
  return std::ranges::any_of(f.terms, [](const Term& t) { return t.kind == Kind::At || t.kind == Kind::Length; }) ||
         std::ranges::any_of(f.loops,
                             [](const Fn::LoopInfo& l) { return reads_captures(*l.body) || (l.is_fold() && reads_captures(*l.combine)); });
}

void check_fold(const Fn& body, const Fn& combine, Id count, std::span<const Id> identity, std::span<const Id> free,
                const Builder& builder) {
  auto wrong = [](std::string text) { throw TypeError("fold: " + std::move(text)); };
  auto shown = [](Type t) { return std::string(name(t)); };
  const size_t columns = combine.results.size();
  if (columns == 0 || combine.params.size() != 2 * columns)
    wrong("the function has " + counted(combine.params.size(), "parameter") + " and " + counted(columns, "result") +
          "; expected the columns of the left value, those of the right one, and a result for each column");
  if (builder.type(count) != Type::I64) wrong("the count has type " + shown(builder.type(count)) + "; expected i64");
  if (reads_captures(combine)) wrong("the function reads a captured sequence; expected one that depends on its parameters alone");
  if (identity.size() != columns || body.results.size() != columns)
    wrong("the function combines " + counted(columns, "column") + ", but the identity has " + std::to_string(identity.size()) +
          " and the value " + std::to_string(body.results.size()));
  const std::vector<Type> results = combine.result_types(), values = body.result_types();
  for (size_t k = 0; k < columns; k++) {
    const std::string column = columns == 1 ? "" : " of column " + std::to_string(k);
    for (size_t side : {size_t(0), columns})
      if (const Param& p = combine.params[side + k]; p.type != results[k])
        wrong("parameter " + p.name + " has type " + shown(p.type) + "; expected " + shown(results[k]) + ", the type of the result" +
              column);
    const Term& start = builder[identity[k]];
    if (!is_literal(start)) wrong("the identity" + column + " is computed; expected a literal");
    if (start.type != results[k])
      wrong("the identity" + column + " has type " + shown(start.type) + "; expected " + shown(results[k]) + ", the type of the result");
    if (values[k] != results[k])
      wrong("the value" + column + " has type " + shown(values[k]) + "; expected " + shown(results[k]) + ", the type of the result");
  }
  if (const auto op = op_not_associative(combine))
    wrong("the function applies " + std::string(name(*op)) +
          ", which is not associative; expected an associative function, or a loop or iterate, " +
          "which apply any function to one element after another");
  if (body.params.size() != 1 + free.size() || body.params[0].type != Type::I64)
    throw std::logic_error("fold: the value's parameters are its position, then the free values");
}

}  // namespace

std::vector<Id> Builder::loop(std::span<const Id> inits, std::span<const Id> free, FnRef body) {
  check_loop(*body, inits, free, *this);
  std::vector<Type> types;
  for (Id id : inits) types.push_back(type(id));
  return repeat_with(inits, free, {std::move(body), uint32_t(inits.size())}, types);
}

std::vector<Id> Builder::fold(Id count, std::span<const Id> identity, std::span<const Id> free, FnRef body, FnRef combine) {
  check_fold(*body, *combine, count, identity, free, *this);
  const Term& n = fn_.terms[count];
  if (is_literal(n) && from_bits<int64_t>(n.bits) <= 0) return {identity.begin(), identity.end()};
  std::vector<Bits64> bits;
  std::vector<std::optional<Op>> apart;
  const std::vector<Type> types = combine->result_types();
  std::vector<bool> hides(types.size());  // the identity would hide NaNs
  for (size_t k = 0; k < types.size(); k++) {
    bits.push_back(fn_.terms[identity[k]].bits);
    apart.push_back(op_apart(*combine, k, bits[k]));
    bits[k] = apart[k] ? *identity_bits(*apart[k], types[k]) : neutral_start(*combine, k, bits[k]);
    hides[k] = !apart[k] && bits[k] != fn_.terms[identity[k]].bits;
  }
  const bool may_be_empty = !is_literal(n);
  std::vector<Id> results = repeat_with({&count, 1}, free, {std::move(body), 1, std::move(combine), std::move(bits)}, types);
  for (size_t k = 0; k < types.size(); k++) {
    if (apart[k]) results[k] = apply(*apart[k], {identity[k], results[k]});
    if (hides[k] && may_be_empty) results[k] = apply(Op::where_, {apply(Op::gt_, {count, constant<int64_t>(0)}), results[k], identity[k]});
  }
  return results;
}

std::vector<Id> Builder::repeat(const Fn::LoopInfo& info, std::span<const Id> operands) {
  const std::span<const Id> inits = operands.first(info.variables), free = operands.subspan(info.variables);
  if (!info.is_fold()) return loop(inits, free, info.body);
  const std::vector<Type> types = info.combine->result_types();
  std::vector<Id> identity;
  for (size_t k = 0; k < types.size(); k++) identity.push_back(literal(types[k], info.identity[k]));
  return fold(inits[0], identity, free, info.body, info.combine);
}

std::vector<Id> Builder::repeat_with(std::span<const Id> inits, std::span<const Id> free, Fn::LoopInfo info, std::span<const Type> types) {
  FnRef& body = info.body;
  const uint32_t variables = info.variables;

  // Literals, arguments and lengths are copied into the body; equal values become one parameter.
  Numbering<Id> distinct;
  std::vector<FreeValue> values;
  for (Id id : free) {
    const Term& term = fn_.terms[id];
    const bool is_copied = is_literal(term) || term.kind == Kind::Argument || term.kind == Kind::Length;
    values.push_back(is_copied ? FreeValue{&term, 0} : FreeValue{nullptr, distinct.add(id).first});
  }
  std::vector<Id> outside = distinct.all();
  if (outside.size() < free.size()) body = with_free_values(*body, variables, values, uint32_t(outside.size()));

  // Parameters are sorted by their first use, and unused ones dropped. Their values are still evaluated before the first step, unless literals in
  // the written body have chosen others.
  std::vector<Id> dropped;
  const std::vector<uint32_t> order = first_uses(*body, variables);
  if (order.size() < outside.size() || !std::ranges::is_sorted(order)) {
    const Term unused{.kind = Kind::Literal};
    std::vector<FreeValue> moved(outside.size(), {&unused, 0});
    std::vector<Id> kept;
    for (uint32_t k : order) {
      moved[k] = {nullptr, uint32_t(kept.size())};
      kept.push_back(outside[k]);
    }
    body = with_free_values(*body, variables, moved, uint32_t(kept.size()));
    std::ranges::copy_if(outside, std::back_inserter(dropped), [&](Id id) { return std::ranges::find(kept, id) == kept.end(); });
    outside = std::move(kept);
  }

  auto is_same = [](const FnRef& f, const FnRef& g) { return f == g || (f && g && same_structure(*f, *g, true)); };
  auto known = std::ranges::find_if(fn_.loops, [&](const Fn::LoopInfo& l) {
    return l.variables == variables && is_same(l.body, body) && is_same(l.combine, info.combine) && l.identity == info.identity;
  });
  const uint32_t slot = uint32_t(known - fn_.loops.begin());
  const Kind kind = info.is_fold() ? Kind::Fold : Kind::Loop;
  if (known == fn_.loops.end()) fn_.loops.push_back(std::move(info));
  std::vector<Id> operands(inits.begin(), inits.end());
  operands.insert(operands.end(), outside.begin(), outside.end());
  std::vector<Id> results = picks(intern({.kind = kind, .slot = slot}, operands), types);
  std::erase_if(dropped, [&](Id id) { return !requires_unused_ || !fn_.terms[id].fails; });
  if (dropped.empty()) return results;
  if (kind == Kind::Fold) {
    const Id goes = apply(Op::gt_, {inits[0], constant<int64_t>(0)});
    for (Id& id : dropped) id = apply(Op::where_, {goes, id, literal(type(id), 0)});
  }
  for (Id& result : results) result = require(result, dropped);
  return results;
}

// ---- folds as loops ----------------------------------------------------------------------------------------------------

bool has_folds(const Fn& f) {
  return std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return l.is_fold() || has_folds(*l.body); });
}

bool unrolls(const Fn& f, const Term& fold) {
  constexpr int64_t most_positions = 8, most_terms = 200;
  const Fn::LoopInfo& inside = f.loops[fold.slot];
  const Term& count = f[f.args(fold)[0]];
  if (!is_literal(count) || from_bits<int64_t>(count.bits) > most_positions || !inside.body->loops.empty()) return false;
  return from_bits<int64_t>(count.bits) * int64_t(inside.body->terms.size() + inside.combine->terms.size()) <= most_terms;
}

namespace {

// (loop ((j 0) (accumulated identity) ...) (lt j count) (tuple (add j 1) (combine accumulated value(j)) ...)), with the count as first
// free value.
FnRef loop_body(const Fn& value, const Fn& combine) {
  Builder b;
  b.reads_cannot_fail();
  const Id j = b.param(Type::I64, value.params[0].name);
  std::vector<Id> operands;  // of combine
  for (size_t k = 0; k < combine.results.size(); k++) operands.push_back(b.param(combine.params[k].type, combine.params[k].name));
  const Id count = b.param(Type::I64);
  std::vector<Id> params{j};
  for (const Param& p : std::span(value.params).subspan(1)) params.push_back(b.param(p.type, p.name));
  for (Id id : b.inline_call(value, params)) operands.push_back(id);
  std::vector<Id> results{b.apply(Op::lt_, {j, count}), b.apply(Op::add_, {j, b.constant<int64_t>(1)})};
  for (Id id : b.inline_call(combine, operands)) results.push_back(id);
  return guard(b.finish(results), true);
}

struct Lower : Copy {
  using Copy::Copy;
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    const Fn::LoopInfo inside = info(id).with(lower_folds);
    if (!inside.is_fold()) return to.repeat(inside, x);
    if (unrolls(from, from[id])) return unrolled(inside, x);
    std::vector<Id> inits{to.constant<int64_t>(0)};
    const std::vector<Type> types = inside.combine->result_types();
    for (size_t k = 0; k < types.size(); k++) inits.push_back(to.literal(types[k], inside.identity[k]));
    std::vector<Id> values = to.loop(inits, x, loop_body(*inside.body, *inside.combine));
    values.erase(values.begin());
    return values;
  }

  // Every column's values are evaluated, also if the column's result is not used.
  std::vector<Id> unrolled(const Fn::LoopInfo& fold, std::span<const Id> x) {
    std::vector<Id> operands, values;
    const std::vector<Type> types = fold.combine->result_types();
    for (size_t k = 0; k < types.size(); k++) operands.push_back(to.literal(types[k], fold.identity[k]));
    const int64_t count = from_bits<int64_t>(to[x[0]].bits);
    for (int64_t j = 0; j < count; j++) {
      std::vector<Id> params{to.constant(j)};
      params.insert(params.end(), x.begin() + 1, x.end());
      for (Id value : to.inline_call(*fold.body, params)) operands.push_back(value), values.push_back(value);
      operands = to.inline_call(*fold.combine, operands);
    }
    for (Id& result : operands) result = to.require(result, values);
    return operands;
  }
};

struct Unroll : Lower {
  using Lower::Lower;
  static FnRef unrolled_all(const FnRef& f) {
    Builder builder;
    builder.reads_cannot_fail();
    Unroll pass(builder, *f);
    return builder.finish(copy_terms(pass, copy_params(builder, *f)));
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) { return unrolled(info(id).with(unrolled_all), x); }
};

// The number of terms after unrolling; more than any limit if not all folds can be unrolled.
double unrolled_terms(const Fn& f) {
  double sum = double(f.terms.size());
  for (const Term& t : f.terms) {
    if (t.kind == Kind::Loop || (t.kind == Kind::Fold && !is_literal(f[f.args(t)[0]]))) return INFINITY;
    if (t.kind != Kind::Fold) continue;
    const Fn::LoopInfo& fold = f.loops[t.slot];
    sum += double(from_bits<int64_t>(f[f.args(t)[0]].bits)) * (unrolled_terms(*fold.body) + unrolled_terms(*fold.combine));
  }
  return sum;
}

}  // namespace

FnRef unroll_folds(const FnRef& f, size_t most_terms) {
  return unrolled_terms(*f) <= double(most_terms) ? Unroll::unrolled_all(f) : nullptr;
}

FnRef lower_folds(FnRef f) {
  if (!f || !has_folds(*f)) return f;
  Builder builder;
  builder.reads_cannot_fail();
  Lower pass(builder, *f);
  return builder.finish(copy_terms(pass, copy_params(builder, *f)));
}

}  // namespace wf
