#include <algorithm>

#include "expr/derivative/derivative.h"

namespace wf {

Tangents::Tangents(Builder& to, const Fn& from, const TangentSource& source)
    : Copy(to, from), source_(source), active_(active_terms(from, source.is_source)), tangents_(from.terms.size(), no_id) {}

void Tangents::run(std::span<const Id> params) {
  for (Id id = 0; id < from.terms.size(); id++) {
    if (active_[id] && is_repeated(from[id])) {
      copy_with_tangents(id);
    } else {
      copy_term(*this, id, params);
      if (active_[id]) tangents_[id] = tangent_of(id);
    }
  }
}

Id Tangents::tangent_of(Id id) {
  const Term& t = from[id];
  const std::span<const Id> x = from.args(t);
  switch (t.kind) {
    case Kind::Param: return source_.tangent(to, t, no_id);
    case Kind::At: return source_.tangent(to, t, here[x[0]]);
    case Kind::Apply: return of_apply(id);
    case Kind::Cast: return tangents_[x[0]] == no_id ? no_id : to.cast(t.type, tangents_[x[0]]);
    case Kind::Require: return tangents_[x[0]];
    case Kind::Pick: return tuple_tangents_[here[x[0]]][t.slot];
    case Kind::Foreign:
      tuple_tangents_.resize(tuples.size());
      tuple_tangents_[here[id]] = of_foreign(id);
      return no_id;
    default: return no_id;
  }
}

Id Tangents::of_apply(Id id) {
  const Term& t = from[id];
  const std::span<const Id> x = from.args(t);
  std::vector<Id> copies;
  for (Id y : x) copies.push_back(here[y]);
  if (t.op == Op::where_) {
    if (tangents_[x[1]] == no_id && tangents_[x[2]] == no_id) return no_id;
    return to.apply(Op::where_, {copies[0], tangent_or_zero(x[1]), tangent_or_zero(x[2])});
  }
  Id sum = no_id;
  for (size_t k = 0; k < x.size(); k++) {
    if (tangents_[x[k]] == no_id) continue;
    const auto factor = partial(to, t.op, k, copies, here[id]);
    if (!factor) continue;
    const Id product = to.apply(Op::mul_, {tangents_[x[k]], *factor});
    sum = sum == no_id ? product : to.apply(Op::add_, {sum, product});
  }
  return sum;
}

// Row k of the Jacobian is the derivative for the cotangent 1 of result k alone.
std::vector<Id> Tangents::of_foreign(Id id) {
  const Foreign& f = *from.foreigns[from[id].slot];
  const Fn& derivative = derivative_of(f);
  std::vector<Id> tangents(f.results.size(), no_id);
  for (size_t k = 0; k < f.results.size(); k++) {
    if (!is_in(f.results[k], Float)) continue;
    std::vector<Id> args;
    for (Id x : from.args(id)) args.push_back(here[x]);
    for (Id y : tuples[here[id]]) args.push_back(y);
    for (size_t j = 0; j < f.results.size(); j++)
      if (const Type type = f.results[j]; is_in(type, Float)) args.push_back(to.literal(type, convert(Type::I32, type, j == k)));
    const std::vector<Id> row = to.inline_call(derivative, args);
    for (size_t next = 0; Id x : from.args(id)) {
      if (!is_in(from[x].type, Float)) continue;
      const Id factor = row[next++];
      if (tangents_[x] == no_id) continue;
      const Id product = to.cast(f.results[k], to.apply(Op::mul_, {tangents_[x], factor}));
      tangents[k] = tangents[k] == no_id ? product : to.apply(Op::add_, {tangents[k], product});
    }
  }
  return tangents;
}

void Tangents::copy_with_tangents(Id id) {
  std::vector<Id> copies, directions;
  for (Id y : from.args(id)) copies.push_back(here[y]), directions.push_back(tangents_[y]);
  RepeatedTangents made = repeat_with_tangents(to, info(id), copies, directions, source_);
  here[id] = Id(tuples.size());
  tuple_tangents_.resize(tuples.size() + 1);
  tuple_tangents_.back() = std::move(made.tangents);
  tuples.push_back(std::move(made.values));
}

namespace {

// A function with parameters for values, and for the tangents of some of them.
struct Doubled {
  Builder b;
  std::vector<Id> params, directions;  // of the original parameters
  void param(const Param& p) { params.push_back(b.param(p.type, p.name)), directions.push_back(no_id); }
  void direction(size_t k, const Param& p) { directions[k] = b.param(p.type, "d" + p.name); }
  // Parameters of f from `first` to before `end`, then the tangents that are wanted.
  void add(const Fn& f, size_t first, size_t end, const std::function<bool(size_t)>& wanted) {
    for (size_t k = first; k < end; k++) param(f.params[k]);
    for (size_t k = first; k < end; k++)
      if (wanted(k)) direction(k, f.params[k]);
  }
  // The values of f's results, then the tangents of the float ones from result `first` on.
  FnRef finish(const Fn& f, size_t first, const TangentSource& outer) {
    const TangentSource source{
        [&](const Term& t) { return t.kind == Kind::Param ? directions[t.slot] != no_id : outer.is_source && outer.is_source(t); },
        [&](Builder& to, const Term& t, Id index) { return t.kind == Kind::Param ? directions[t.slot] : outer.tangent(to, t, index); }};
    Tangents tangents(b, f, source);
    tangents.run(params);
    std::vector<Id> results;
    for (Id r : f.results) results.push_back(tangents.here[r]);
    for (size_t k = first; k < f.results.size(); k++)
      if (is_in(f[f.results[k]].type, Float)) results.push_back(tangents.tangent_or_zero(f.results[k]));
    return b.finish(results);
  }
};

// The tangents that follow the values, one per float.
RepeatedTangents with_tangents_apart(const std::vector<Id>& all, std::span<const Type> types) {
  RepeatedTangents made{{all.begin(), all.begin() + ptrdiff_t(types.size())}, {}};
  for (size_t next = types.size(); Type type : types) made.tangents.push_back(is_in(type, Float) ? all[next++] : no_id);
  return made;
}

}  // namespace

RepeatedTangents repeat_with_tangents(Builder& b, const Fn::LoopInfo& info, std::span<const Id> x, std::span<const Id> directions,
                                      const TangentSource& source) {
  const Fn& body = *info.body;
  const size_t variables = info.variables;
  Doubled doubled;
  std::vector<Id> free(x.begin() + ptrdiff_t(variables), x.end());
  for (size_t k = variables; k < x.size(); k++)
    if (directions[k] != no_id) free.push_back(directions[k]);
  const auto is_float = [&](size_t k) { return is_in(body.params[k].type, Float); };
  const auto has_direction = [&](size_t k) { return directions[k] != no_id; };
  if (!info.is_fold()) {
    std::vector<Id> inits(x.begin(), x.begin() + ptrdiff_t(variables));
    std::vector<Type> types;
    for (size_t k = 0; k < variables; k++) {
      types.push_back(body.params[k].type);
      if (is_float(k)) inits.push_back(has_direction(k) ? directions[k] : b.literal(types[k], 0));
    }
    doubled.add(body, 0, variables, is_float);
    doubled.add(body, variables, x.size(), has_direction);
    return with_tangents_apart(b.loop(inits, free, doubled.finish(body, 1, source)), types);
  }
  const std::vector<Type> types = body.result_types();
  doubled.add(body, 0, 1, [](size_t) { return false; });
  doubled.add(body, 1, x.size(), has_direction);
  const FnRef value = doubled.finish(body, 0, source);
  Doubled combined;
  const Fn& combine = *info.combine;
  const auto is_float_column = [&](size_t k) { return is_in(combine.params[k].type, Float); };
  combined.add(combine, 0, types.size(), is_float_column);
  combined.add(combine, types.size(), 2 * types.size(), is_float_column);
  std::vector<Id> identity;
  for (size_t c = 0; c < types.size(); c++) identity.push_back(b.literal(types[c], info.identity[c]));
  for (Type type : types)
    if (is_in(type, Float)) identity.push_back(b.literal(type, 0));
  return with_tangents_apart(b.fold(x[0], identity, free, value, combined.finish(combine, 0, {})), types);
}

}  // namespace wf
