// The conditions under which the terms of a function are used.
//
// Each use of a term has a condition. The second operand of where(c, ...) is used if c holds, the third if it does not. The next values of a
// loop are used if the loop goes on. The free values of a fold are used if its count is positive, and those that only the next values of a loop
// read if its condition holds at first. Both are used only if the part of their condition in the body that is the same for all steps holds. A free
// value that a loop's condition chooses is used if the first values choose it, or as those that the next values read. Every other operand is
// used if its user is. A term's condition is the disjunction over its uses:
//
//     cond(t) = or over uses (u, k) of t:  cond(u) and (c if k = 1, not c if k = 2, for u = where(c, ...); n > 0 if k > 0, for u = fold(n, ...);
//                                                       c(first values) if only the next values read operand k, for u = loop(c, ...))
//
// One walk from users to operands computes it, so its size is linear in the number of uses, not of paths.
//
// Checks only raise errors; the values of At and Check do not depend on guards. So a term that a guard reads need not be checked there, and
// uses in guards do not count. If a condition would depend on the Check that it guards, the guard has a copy of it without Checks.
#pragma once

#include <span>
#include <vector>

#include "expr/guards/guard.h"
#include "expr/rewrite.h"

namespace wf::guards {

// Tells which operands are uses: all but a Check's guard, and a loop's free value that only guards Checks in the body.
class Uses {
 public:
  explicit Uses(const Fn& f) : f_(f) {
    for (const Fn::LoopInfo& l : f.loops) loop_params_.push_back(Uses(*l.body).of_params());
  }
  bool counts(const Term& t, size_t operand) const {
    if (t.kind == Kind::Check) return operand != 2;
    if (is_repeated(t)) return operand < f_.loops[t.slot].variables || loop_params_[t.slot][operand];
    return true;
  }

  std::vector<bool> of_terms() const { return below(f_.results); }
  // The terms that these are computed from.
  std::vector<bool> below(std::span<const Id> results) const {
    std::vector<bool> used(f_.terms.size());
    for (Id id : results) used[id] = true;
    for (Id id = Id(f_.terms.size()); id-- > 0;)
      for (size_t k = 0; used[id] && k < f_[id].count; k++)
        if (counts(f_[id], k)) used[f_.args(id)[k]] = true;
    return used;
  }

 private:
  std::vector<bool> of_params() const {
    const std::vector<bool> used = of_terms();
    std::vector<bool> params(f_.params.size());
    for (Id id = 0; id < f_.terms.size(); id++)
      if (f_[id].kind == Kind::Param) params[f_[id].slot] = used[id];
    return params;
  }
  const Fn& f_;
  std::vector<std::vector<bool>> loop_params_;
};

constexpr uint32_t nowhere = ~0u, everywhere = 0;  // the conditions false and true

// Conditions by number. A condition refers only to earlier ones.
struct Conditions {
  // The term is true, false, a positive count, a loop that makes a step, or a loop or fold that evaluates a free value in one of its steps; or a
  // fold may evaluate a free value.
  enum Decides : uint8_t { Yes, No, Positive, Starts, Chooses, Allows };
  struct Condition {
    bool is_or;
    uint32_t first;   // a condition: of the user (and), or the left one (or)
    uint32_t second;  // the term that decides, or for Allows a number in Analysis::choices (and); or the right condition (or)
    Decides how;      // and
  };
  std::vector<Condition> all{{}};

  uint32_t both(uint32_t around, Id term, Decides how) {
    all.push_back({false, around, term, how});
    return uint32_t(all.size() - 1);
  }
  uint32_t either(uint32_t a, uint32_t b) {
    if (a == nowhere || a == b || b == everywhere) return b;
    if (b == nowhere || a == everywhere) return a;
    const Condition &p = all[a], &q = all[b];
    const bool is_same = !p.is_or && !q.is_or && p.first == q.first && p.second == q.second;
    if (is_same && p.how == q.how) return a;
    if (is_same && p.how <= No && q.how <= No) return p.first;
    if (!q.is_or && q.first == a) return a;
    all.push_back({true, a, b, Yes});
    return uint32_t(all.size() - 1);
  }
};

// The terms whose conditions are wanted: Checks and the loops and folds that contain them, folds, or all. A value that is computed from those of
// loops and folds stays outside of the loop or fold that reads it (simplify.cpp), so its condition looks into the body for the part that every
// step shares. Other free values that some steps do not evaluate are in the body. For folds, conditions do not look into loops. `All` tells only
// whether a step evaluates a term always, sometimes or never; `Shared` also what part of its condition is shared.
enum class Wanted : uint8_t { Checks, Folds, All, Shared };

// The condition under which the steps of a loop or fold may evaluate a free value, from the parameters of the body. `is_copied`: guards read copies
// of the operands without Checks.
struct Choice {
  Id repeated;
  FnRef condition;
  bool is_copied;
};

// For each parameter: true if the function's results depend on it, other than through guards.
std::vector<bool> params_of(const Fn& f);

// The conditions of all terms that depend on a wanted term.
struct Analysis {
  Conditions conditions;
  std::vector<Choice> choices;
  std::vector<uint32_t> of;     // each term's condition; nowhere: it depends on no wanted term, or no use of it counts
  std::vector<bool> is_copied;  // for the condition of a `where`: guards have a copy of it without Checks

  Analysis(const Fn& f, bool is_loop_body, Wanted wanted);
};

// The term of a condition (and) in a builder, without the condition around it. `terms`: of each term of `from`, in that builder.
Id decision(Builder& to, const Fn& from, const Analysis& analysis, const Conditions::Condition& c, std::span<const Id> terms);

FnRef without_checks(const Fn& f);
// The loop's condition, without Checks, as a function of the body's parameters.
FnRef first_condition(const Fn& f, Id loop);

struct WithoutChecks : Copy {
  using Copy::Copy;
  Id check(Id, std::span<const Id> x) { return x[0]; }
  Id require(std::span<const Id> x) { return x[0]; }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    return to.in_guard([&] { return to.repeat(info(id).with([](const FnRef& inside) { return without_checks(*inside); }), x); });
  }
};

inline Id conjunction(Builder& builder, Id a, Id b) {
  const Id operands[] = {a, b};
  return builder.apply_in_guard(Op::and_, operands);
}

}  // namespace wf::guards
