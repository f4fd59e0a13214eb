#include <algorithm>

#include "expr/derivative/derivative.h"

namespace wf {

// Returns true if a float is read from a source.
static bool reads_source(const Fn& f, const IsSource& is_source) {
  return std::ranges::any_of(f.terms, [&](const Term& t) { return t.kind == Kind::At && is_in(t.type, Float) && is_source(t); }) ||
         std::ranges::any_of(f.loops, [&](const Fn::LoopInfo& info) { return reads_source(*info.body, is_source); });
}

std::vector<bool> active_terms(const Fn& f, const IsSource& is_source) {
  std::vector<bool> active(f.terms.size());
  for (Id id = 0; id < f.terms.size(); id++) {
    const Term& t = f[id];
    const auto is_active = [&](Id x) { return bool(active[x]); };
    const bool is_tuple = is_repeated(t) || t.kind == Kind::Foreign;
    if (!is_source || (!is_tuple && !is_in(t.type, Float))) continue;
    if (t.kind == Kind::Param || t.kind == Kind::At) active[id] = is_source(t);
    else active[id] = std::ranges::any_of(f.args(t), is_active) || (is_repeated(t) && reads_source(*f.loops[t.slot].body, is_source));
  }
  return active;
}

Cotangents::Cotangents(const Copy& copied, const IsSource& is_source)
    : b_(copied.to),
      copied_(copied),
      from_(copied.from),
      is_source_(is_source),
      active_(active_terms(copied.from, is_source)),
      all_(copied.from.terms.size()),
      picked_(copied.from.terms.size()) {}

void Cotangents::add(Id term, Cotangent c) {
  if (!active_[term]) return;
  Cotangent& sum = all_[term];
  if (sum.value == no_id) {
    sum = c;
    return;
  }
  sum.value = b_.apply(Op::add_, {sum.value, c.value});
  const bool is_guarded = sum.guard != no_id && c.guard != no_id;
  sum.guard = is_guarded ? b_.apply(Op::or_, {sum.guard, c.guard}) : no_id;
}

namespace {

// The product is 0 where the guard does not hold. With `may_be_infinite`, also for an infinite partial and the cotangent 0, which another node's `where`
// may have made. It is linear in the cotangent for other partials, as forward mode needs.
Cotangents::Cotangent product_with(Builder& b, const Cotangents::Cotangent& c, Id by, bool may_be_infinite = false) {
  const Term factor = b[by];
  if (is_literal(factor)) {
    const Bits64 minus_one = convert(Type::I32, factor.type, to_bits(int32_t(-1)));
    if (factor.bits == minus_one) return {b.apply(Op::neg_, {c.value}), c.guard};
    return {b.apply(Op::mul_, {c.value, by}), c.guard};
  }
  const Id product = b.apply(Op::mul_, {c.value, by});
  const Id zero = b.literal(factor.type, 0);
  Id chosen = c.guard;
  if (chosen == no_id && !may_be_infinite) return {product, no_id};
  if (chosen == no_id) chosen = b.apply(Op::or_, {b.apply(Op::isfinite_, {by}), b.apply(Op::ne_, {c.value, zero})});
  return {b.apply(Op::where_, {chosen, product, zero}), c.guard};
}

}  // namespace

void Cotangents::pass_apply(Id id, const Cotangent& c) {
  const Term& t = from_[id];
  const std::span<const Id> x = from_.args(t);
  std::vector<Id> copies;
  for (Id y : x) copies.push_back(copied_.here[y]);
  if (t.op == Op::where_) {
    const Id zero = b_.literal(t.type, 0), chosen = copies[0];
    const auto guard = [&](Id with) { return c.guard == no_id ? with : b_.apply(Op::and_, {c.guard, with}); };
    add(x[1], {b_.apply(Op::where_, {chosen, c.value, zero}), guard(chosen)});
    add(x[2], {b_.apply(Op::where_, {chosen, zero, c.value}), guard(b_.apply(Op::not_, {chosen}))});
    return;
  }
  for (size_t k = 0; k < x.size(); k++) {
    if (!active_[x[k]]) continue;
    if (const auto factor = partial(b_, t.op, k, copies, copied_.here[id]))
      add(x[k], product_with(b_, c, *factor, info(t.op).cost != Cost::simple));
  }
}

// The values of a loop depend on few others, so a further loop for each of these computes its tangents.
void Cotangents::pass_loop(Id id) {
  constexpr size_t most = 8;
  const std::span<const Id> x = from_.args(id);
  const Fn::LoopInfo& info = from_.loops[from_[id].slot];
  if (reads_source(*info.body, is_source_))
    throw NoDerivative("a loop that reads elements of a captured sequence has no derivative in reverse mode; expected a fold or iterate");
  const size_t inputs = size_t(std::ranges::count_if(x, [&](Id y) { return bool(active_[y]); }));
  if (inputs > most)
    throw NoDerivative("a loop that depends on " + std::to_string(inputs) + " values has no derivative in reverse mode; expected at most " +
                       std::to_string(most) + ": use a fold or iterate");
  std::vector<Id> copies;
  for (Id y : x) copies.push_back(copied_.here[y]);
  for (size_t k = 0; k < x.size(); k++) {
    if (!active_[x[k]]) continue;
    const Type type = from_[x[k]].type;
    std::vector<Id> direction(x.size(), no_id);
    direction[k] = b_.literal(type, convert(Type::I32, type, 1));
    const RepeatedTangents made = repeat_with_tangents(b_, info, copies, direction, {});
    for (size_t v = 0; v < picked_[id].size(); v++) {
      Cotangent c = picked_[id][v];
      if (c.value == no_id || made.tangents[v] == no_id) continue;
      c = product_with(b_, c, made.tangents[v]);
      add(x[k], {b_.cast(type, c.value), c.guard});
    }
  }
}

void Cotangents::pass_foreign(Id id) {
  const Foreign& f = *from_.foreigns[from_[id].slot];
  const Fn& derivative = derivative_of(f);
  const std::span<const Id> x = from_.args(id);
  std::vector<Cotangent>& picked = picked_[id];
  picked.resize(f.results.size());
  std::vector<Id> args;
  for (Id y : x) args.push_back(copied_.here[y]);
  for (Id y : copied_.tuples[copied_.here[id]]) args.push_back(y);
  Id guard = b_.constant(false);
  for (size_t k = 0; k < picked.size(); k++) {
    if (!is_in(f.results[k], Float)) continue;
    const bool is_used = picked[k].value != no_id;
    args.push_back(is_used ? picked[k].value : b_.literal(f.results[k], 0));
    if (is_used) guard = b_.apply(Op::or_, {guard, picked[k].guard == no_id ? b_.constant(true) : picked[k].guard});
  }
  const std::vector<Id> values = b_.inline_call(derivative, args);
  for (size_t next = 0; Id y : x) {
    if (!is_in(from_[y].type, Float)) continue;
    const Id value = values[next++];
    add(y, {b_.apply(Op::where_, {guard, value, b_.literal(from_[y].type, 0)}), is_literal(b_[guard]) ? no_id : guard});
  }
}

void Cotangents::pass(Id id, const Cotangent& c) {
  const Term& t = from_[id];
  const std::span<const Id> x = from_.args(t);
  switch (t.kind) {
    case Kind::Apply: pass_apply(id, c); break;
    case Kind::Cast: add(x[0], active_[x[0]] ? Cotangent{b_.cast(from_[x[0]].type, c.value), c.guard} : c); break;
    case Kind::Require: add(x[0], c); break;
    case Kind::Pick: {
      std::vector<Cotangent>& values = picked_[x[0]];
      if (values.size() <= t.slot) values.resize(t.slot + 1);
      values[t.slot] = c;
      break;
    }
    default: break;  // Param and At keep theirs
  }
}

void Cotangents::run() {
  for (Id id = Id(all_.size()); id-- > 0;) {
    const Term& t = from_[id];
    if (!active_[id]) continue;
    if (all_[id].value != no_id) pass(id, Cotangent(all_[id]));
    if (picked_[id].empty()) continue;
    if (t.kind == Kind::Foreign) {
      pass_foreign(id);
      continue;
    }
    if (t.kind == Kind::Fold)
      throw NoDerivative("a fold whose number of positions is not a literal has no derivative here; expected reduce");
    pass_loop(id);
  }
}

namespace {

// seed(builder, cotangents, f)
template <class Seed> FnRef reverse_of(const FnRef& given, const Seed& seed) {
  const FnRef f = has_folds(*given) ? unroll_folds(given, 4096) : given;
  if (!f) throw NoDerivative("a fold whose number of positions is not a small literal has no derivative in reverse mode as a function");
  Builder b;
  Copy copy(b, *f);
  const std::vector<Id> params = copy_params(b, *f);
  copy_terms(copy, params);
  Cotangents cotangents(copy, [](const Term& t) { return t.kind == Kind::Param; });
  seed(b, cotangents, *f);
  cotangents.run();
  std::vector<Id> results;
  for (Id id = 0; id < f->terms.size() && (*f)[id].kind == Kind::Param; id++) {
    if (!is_in((*f)[id].type, Float)) continue;
    const Id value = cotangents.of(id).value;
    results.push_back(value == no_id ? b.literal((*f)[id].type, 0) : value);
  }
  return simplify(b.finish(results));
}

FnRef reverse_of(const FnRef& f) {
  return reverse_of(f, [](Builder& b, Cotangents& cotangents, const Fn& fn) {
    for (size_t k = 0; k < fn.results.size(); k++)
      if (const Type type = fn[fn.results[k]].type; is_in(type, Float)) cotangents.seed(k, b.param(type, "d" + std::to_string(k)));
  });
}

FnRef forward_of(const FnRef& f) {
  Builder b;
  const std::vector<Id> params = copy_params(b, *f);
  std::vector<Id> directions;
  for (const Param& p : f->params) directions.push_back(is_in(p.type, Float) ? b.param(p.type, "d" + p.name) : no_id);
  const TangentSource source{[](const Term& t) { return t.kind == Kind::Param; },
                             [&](Builder&, const Term& t, Id) { return directions[t.slot]; }};
  Tangents tangents(b, *f, source);
  tangents.run(params);
  std::vector<Id> results;
  for (Id r : f->results)
    if (is_in((*f)[r].type, Float)) results.push_back(tangents.tangent_or_zero(r));
  return simplify(b.finish(results));
}

bool has_floats(std::span<const Type> types) {
  return std::ranges::any_of(types, [](Type t) { return is_in(t, Float); });
}

}  // namespace

FnRef vjp_of_combine(const FnRef& combine) { return reverse_of(combine); }

FnRef derivatives_of_result(const FnRef& f, size_t k) {
  return reverse_of(f, [k](Builder& b, Cotangents& cotangents, const Fn& fn) {
    const Type type = fn[fn.results[k]].type;
    cotangents.seed(k, b.literal(type, convert(Type::I32, type, 1)));
  });
}

FnRef gradient_of(const FnRef& f, Mode mode) {
  std::vector<Type> params;
  for (const Param& p : f->params) params.push_back(p.type);
  if (!has_floats(params) || !has_floats(f->result_types()))
    throw TypeError("f has no floats among its " + std::string(has_floats(params) ? "results" : "parameters") + "; expected f32 or f64");
  return mode == Mode::Reverse ? reverse_of(f) : forward_of(f);
}

}  // namespace wf
