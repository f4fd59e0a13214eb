#include "expr/hoist.h"

#include <algorithm>

#include "expr/rewrite.h"

namespace wf {
namespace {

enum class Varies : uint8_t { Never, ByRow, ByPosition };

// How each term's value varies: by the position of a fold or the step of a loop, or by the row, the element of the outer domain. A Check and
// a Require have the value of their first operand.
std::vector<Varies> variation(const Fn& value, uint32_t variables) {
  std::vector<Varies> found(value.terms.size(), Varies::ByPosition);
  for (Id t = 0; t < value.terms.size(); t++) {
    const Term& term = value[t];
    switch (term.kind) {
      case Kind::Literal:
      case Kind::Argument:
      case Kind::Length: found[t] = Varies::Never; break;
      case Kind::Param: found[t] = term.slot >= variables ? Varies::ByRow : Varies::ByPosition; break;
      case Kind::Check:
      case Kind::Require: found[t] = found[value.args(term)[0]]; break;
      case Kind::Apply:
      case Kind::Cast:
      case Kind::At:
        found[t] = Varies::Never;
        for (Id x : value.args(term)) found[t] = std::max(found[t], found[x]);
        break;
      default: break;
    }
  }
  return found;
}

// The terms that may move out of a body: operations and reads, or, out of a body inside of another one, reads alone.
enum class Moves : uint8_t { All, Reads };

// The terms that move: they vary by row, and another term reads them, or they are results. A read's Checks stay in the value.
std::vector<Id> invariants(const Fn::LoopInfo& loop, Moves moved) {
  const Fn& value = *loop.body;
  const std::vector<Varies> varies = variation(value, loop.variables);
  std::vector<bool> is_read(value.terms.size());
  std::vector<Id> found;
  for (Id x : value.results) is_read[x] = true;
  for (Id t = Id(value.terms.size()); t-- > 0;) {
    if (!is_read[t]) continue;
    const Kind kind = value[t].kind;
    const bool moves = varies[t] == Varies::ByRow && (kind == Kind::At || (kind == Kind::Apply && moved == Moves::All));
    if (moves) found.push_back(t);
    for (Id x : value.args(t)) is_read[x] = is_read[x] || !moves || value[x].kind == Kind::Check || value[x].kind == Kind::Require;
  }
  std::ranges::reverse(found);
  return found;
}

// The value with further parameters instead of its invariants.
FnRef without(const Fn& value, const std::vector<Id>& invariants) {
  Builder builder;
  builder.reads_cannot_fail();
  builder.params_cannot_fail();
  const std::vector<Id> params = copy_params(builder, value);
  struct Replace : Copy {
    using Copy::Copy;
    std::vector<Id> by;  // of each term, or no_id
    Id apply(Id id, std::span<const Id> x) { return by[id] == no_id ? Copy::apply(id, x) : to.require(by[id], x); }
    Id at(Id id, Id index) { return by[id] == no_id ? Copy::at(id, index) : to.require(by[id], {index}); }
  } replace(builder, value);
  replace.by.assign(value.terms.size(), no_id);
  for (Id t : invariants) replace.by[t] = builder.param(value[t].type);
  return builder.finish(copy_terms(replace, params));
}

FnRef hoist(FnRef f, Moves moves);

struct Hoist : Copy {
  Hoist(Builder& to, const Fn& from, Moves moves) : Copy(to, from), moves(moves) {}
  Moves moves;

  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    Fn::LoopInfo loop = info(id);
    loop.body = hoist(loop.body, Moves::Reads);
    const std::vector<Id> moved = invariants(loop, moves);
    if (moved.empty()) return to.repeat(loop, x);
    std::vector<Id> operands(x.begin(), x.end());
    const std::vector<Id> outside = computed_outside(loop, x);
    for (Id t : moved) operands.push_back(outside[t]);
    loop.body = without(*loop.body, moved);
    return to.repeat(loop, operands);
  }

  // The copies in `to`, without Checks, of the terms that do not vary by position; x: the operands.
  std::vector<Id> computed_outside(const Fn::LoopInfo& loop, std::span<const Id> x) {
    const Fn& value = *loop.body;
    const std::vector<Varies> varies = variation(value, loop.variables);
    std::vector<Id> copies(value.terms.size(), no_id), args;
    for (Id t = 0; t < value.terms.size(); t++) {
      if (varies[t] == Varies::ByPosition) continue;
      const Term& term = value[t];
      args.clear();
      for (Id a : value.args(term)) args.push_back(copies[a]);
      switch (term.kind) {
        case Kind::Param: copies[t] = x[term.slot]; break;
        case Kind::Literal: copies[t] = to.literal(term.type, term.bits); break;
        case Kind::Argument: copies[t] = to.argument(term.slot, term.type); break;
        case Kind::Length: copies[t] = to.length(term.slot); break;
        case Kind::Check:
        case Kind::Require: copies[t] = args[0]; break;
        case Kind::At: copies[t] = to.at(term.slot, term.column, term.type, args[0]); break;
        case Kind::Cast: copies[t] = to.cast(term.type, args[0]); break;
        default: copies[t] = to.apply_typed(term.op, args);
      }
    }
    return copies;
  }
};

bool has_invariants(const Fn& f, Moves moves) {
  return std::ranges::any_of(f.loops,
                             [&](const Fn::LoopInfo& l) { return !invariants(l, moves).empty() || has_invariants(*l.body, Moves::Reads); });
}

FnRef hoist(FnRef f, Moves moves) {
  if (!has_invariants(*f, moves)) return f;
  Builder builder;
  builder.reads_cannot_fail();
  builder.params_cannot_fail();
  Hoist pass(builder, *f, moves);
  return builder.finish(copy_terms(pass, copy_params(builder, *f)));
}

}  // namespace

FnRef hoist_invariants(FnRef f) { return hoist(std::move(f), Moves::All); }

}  // namespace wf
