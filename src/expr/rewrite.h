// Copies a function's terms into a builder, operands first. A pass is a struct derived from Copy that redefines the copies of some kinds
// of terms.
#pragma once

#include "expr/fn.h"
#include "expr/terms.h"

namespace wf {

struct Copy {
  Copy(Builder& to, const Fn& from) : to(to), from(from), here(from.terms.size(), no_id) {}

  Builder& to;
  const Fn& from;
  // here[t]: the copy of from's term t. For a Loop, Fold or Foreign, the number of its values in `tuples`.
  std::vector<Id> here;
  std::vector<std::vector<Id>> tuples;
  std::vector<Id> operands;  // of the term that is copied; keeps its memory

  // Each function takes the term's number in `from`, and the copies of its operands in `to`.
  Id apply(Id id, std::span<const Id> x) { return to.apply_typed(from[id].op, x); }
  Id argument(Id id) { return to.argument(from[id].slot, from[id].type); }
  Id length(Id id) { return to.length(from[id].slot); }
  Id check(Id, std::span<const Id> x) { return to.check(x[0], x[1], x[2]); }
  Id at(Id id, Id index) { return to.at(from[id].slot, from[id].column, from[id].type, index); }
  Id require(std::span<const Id> x) { return to.require(x[0], x.subspan(1)); }
  std::vector<Id> foreign(Id id, std::span<const Id> x) { return to.foreign(from.foreigns[from[id].slot], x); }
  // A Loop or a Fold.
  std::vector<Id> repeat(Id id, std::span<const Id> x) { return to.repeat(info(id), x); }

 protected:
  const Fn::LoopInfo& info(Id id) const { return from.loops[from[id].slot]; }
};

// Copies a term whose operands are copied. A parameter is replaced by one of args.
template <class Rules> void copy_term(Rules& rules, Id id, std::span<const Id> args) {
  const Fn& f = rules.from;
  std::vector<Id>& here = rules.here;
  const Term& t = f.terms[id];
  std::vector<Id>& operands = rules.operands;
  operands.clear();
  for (Id x : f.args(t)) operands.push_back(here[x]);
  switch (t.kind) {
    case Kind::Param: here[id] = args[t.slot]; break;
    case Kind::Literal: here[id] = rules.to.literal(t.type, t.bits); break;
    case Kind::Argument: here[id] = rules.argument(id); break;
    case Kind::Apply: here[id] = rules.apply(id, operands); break;
    case Kind::Cast: here[id] = rules.to.cast(t.type, operands[0]); break;
    case Kind::Length: here[id] = rules.length(id); break;
    case Kind::Check: here[id] = rules.check(id, operands); break;
    case Kind::At: here[id] = rules.at(id, operands[0]); break;
    case Kind::Require: here[id] = rules.require(operands); break;
    case Kind::Loop:
    case Kind::Fold:
      here[id] = Id(rules.tuples.size());
      rules.tuples.push_back(rules.repeat(id, operands));
      break;
    case Kind::Foreign:
      here[id] = Id(rules.tuples.size());
      rules.tuples.push_back(rules.foreign(id, operands));
      break;
    case Kind::Pick: here[id] = rules.tuples[operands[0]][t.slot]; break;
  }
}

// Copies every term, with parameters replaced by args; returns the results. Rules is Copy or derived from it.
template <class Rules> std::vector<Id> copy_terms(Rules& rules, std::span<const Id> args) {
  for (Id id = 0; id < rules.from.terms.size(); id++) copy_term(rules, id, args);
  std::vector<Id> results;
  results.reserve(rules.from.results.size());
  for (Id x : rules.from.results) results.push_back(rules.here[x]);
  return results;
}

// Adds parameters like those of f to the builder.
inline std::vector<Id> copy_params(Builder& builder, const Fn& f) {
  std::vector<Id> params;
  params.reserve(f.params.size());
  for (const Param& p : f.params) params.push_back(builder.param(p.type, p.name));
  return params;
}

// simplify, but no loop becomes a fold.
FnRef simplify_with_loops(FnRef f);

}  // namespace wf
