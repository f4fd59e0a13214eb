// 1. Forwards: which terms are uniform, and which are base + i or base - i.
// 2. Backwards from the results: which terms are needed, as a value or only as an index's base, and how often.
#include "cpu/facts.h"

#include <algorithm>
#include <cstdlib>

namespace wf::cpu {
namespace {

class Finder {
 public:
  Finder(const Fn& f, const CompileOptions& options) : f_(f), options_(options), facts_(f.terms.size()) {}

  std::vector<Fact> run() {
    classify();
    mark();
    return std::move(facts_);
  }

 private:
  void classify() {
    for (Id t = 0; t < f_.terms.size(); t++) {
      const Term& term = f_[t];
      Fact& fact = facts_[t];
      fact.uniform = is_uniform(term);
      if (term.type != Type::I64) continue;
      if (fact.uniform) fact.sign = 0;
      else fact.sign = sign_of(term);
    }
  }

  bool is_uniform(const Term& term) const {
    switch (term.kind) {
      case Kind::Literal:
      case Kind::Length: return true;
      case Kind::Check: return facts_[f_.args(term)[0]].uniform;
      case Kind::Apply:
      case Kind::Cast:
      case Kind::At:
        return std::ranges::all_of(f_.args(term), [&](Id x) { return facts_[x].uniform; });
      default: return false;
    }
  }

  int8_t sign_of(const Term& term) const {
    auto sign = [&](int k) { return facts_[f_.args(term)[k]].sign; };
    if (term.kind == Kind::Param) return options_.indexed && term.slot == 0 ? 1 : Fact::not_affine;
    if (term.kind == Kind::Check) return sign(0);
    if (term.kind != Kind::Apply || (term.op != Op::add_ && term.op != Op::sub_)) return Fact::not_affine;
    if (sign(0) == Fact::not_affine || sign(1) == Fact::not_affine) return Fact::not_affine;
    int sum = term.op == Op::add_ ? sign(0) + sign(1) : sign(0) - sign(1);
    return std::abs(sum) == 1 ? int8_t(sum) : Fact::not_affine;
  }

  // A Check has its index's value: whoever needs it needs the check made and the index.
  void need_value(Id t, bool early) {
    for (; f_[t].kind == Kind::Check; t = f_.args(t)[0]) facts_[t].checked = true, facts_[t].early |= early;
    Fact& fact = facts_[t];
    fact.value_needed = true;
    fact.early |= early;
    fact.uses++;
  }
  void need_base(Id t, bool early) {
    if (facts_[t].uniform) return need_value(t, early);
    facts_[t].base_needed = true;
    facts_[t].checked = f_[t].kind == Kind::Check;
    facts_[t].early |= early;
  }

  void mark() {
    for (Id r : f_.results) need_value(r, false);
    for (uint32_t r : options_.early) need_value(f_.results[r], true);
    for (Id t = Id(f_.terms.size()); t-- > 0;)
      if (facts_[t].needed()) mark_operands(t);
  }

  void mark_operands(Id t) {
    const Term& term = f_[t];
    const Fact fact = facts_[t];
    std::span<const Id> args = f_.args(term);
    switch (term.kind) {
      case Kind::Check:
        if (decided_by_bounds(f_, facts_, term, options_.indexed)) need_base(args[0], fact.early), need_value(args[1], fact.early);
        else for (Id x : args) need_value(x, fact.early);
        if (fact.base_needed) need_base(args[0], fact.early);
        break;
      case Kind::At:
        if (!fact.uniform && facts_[args[0]].streams()) need_base(args[0], fact.early);
        else need_value(args[0], fact.early);
        break;
      default:
        if (fact.value_needed) for (Id x : args) need_value(x, fact.early);
        if (fact.base_needed) for (Id x : args) need_base(x, fact.early);
    }
  }

  const Fn& f_;
  const CompileOptions& options_;
  std::vector<Fact> facts_;
};

}  // namespace

std::vector<Fact> find_facts(const Fn& f, const CompileOptions& options) { return Finder(f, options).run(); }

bool decided_by_bounds(const Fn& f, const std::vector<Fact>& facts, const Term& check, bool indexed) {
  std::span<const Id> args = f.args(check);
  const Term& guard = f[args[2]];
  return indexed && facts[args[0]].sign != Fact::not_affine && facts[args[1]].uniform && guard.kind == Kind::Literal &&
         guard.bits != 0;
}

}  // namespace wf::cpu
