// Each use of a term has a condition. The second operand of where(c, ...) is used if c holds, the third if it does not. The next values of a
// loop are used if the loop goes on. The free values of a fold are used if its count is positive, and those that only the next values of a loop
// read if its condition holds at first. Every other operand is used if its user is. A term's condition is the disjunction over its uses:
//
//     cond(t) = or over uses (u, k) of t:  cond(u) and (c if k = 1, not c if k = 2, for u = where(c, ...); n > 0 if k > 0, for u = fold(n, ...);
//                                                       c(first values) if only the next values read operand k, for u = loop(c, ...))
//
// One walk from users to operands computes it, so its size is linear in the number of uses, not of paths. A Check's guard becomes the
// conjunction of cond(check) and its own guard. A loop whose body has Checks gets the condition as a free value.
//
// A fold's count becomes 0 if its condition is false, but only in kernels (choose_folds): written functions keep their counts. There, uses in
// guards count and have the condition true: a guard that takes the place of a `where` needs the fold's value to be false.
//
// Checks only raise errors; the values of At and Check do not depend on guards. So a term that a guard reads need not be checked there, and
// uses in guards do not count. If a condition would depend on the Check that it guards, the guard has a copy of it without Checks.
#include "expr/guard.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "expr/rewrite.h"

namespace wf {

bool has_checks(const Fn& f) {
  return std::ranges::any_of(f.terms, [](const Term& t) { return t.kind == Kind::Check; }) ||
         std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return has_checks(*l.body); });
}

namespace {

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

}  // namespace

std::vector<bool> used_outside_guards(const Fn& f) { return Uses(f).of_terms(); }

namespace {

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

// The terms whose conditions are wanted: Checks and the loops and folds that contain them, folds, or all. Those of Checks and folds look into
// the bodies of folds for the conditions that every step shares: a free value that some steps do not evaluate is in the body, apart from values
// of loops and folds (simplify.cpp).
enum class Wanted : uint8_t { Checks, Folds, All };

bool is_wanted(const Fn& f, const Term& t, Wanted wanted) {
  if (wanted == Wanted::All) return true;
  if (wanted == Wanted::Checks) return t.kind == Kind::Check || (is_repeated(t) && has_checks(*f.loops[t.slot].body));
  return t.kind == Kind::Fold;
}

struct Analysis;

// The conditions of a fold's free values that are the same for all steps.
class SharedConditions {
 public:
  explicit SharedConditions(const Fn& value);
  ~SharedConditions();
  // A function of the parameters of the fold's value; null if no such condition is left.
  FnRef of(Id param) const;

 private:
  bool decides(const Conditions::Condition& c) const { return !c.is_or && c.how <= Conditions::No && shared_[c.second]; }
  const Fn& value_;
  std::unique_ptr<Analysis> analysis_;
  std::vector<bool> shared_;
};

// The condition under which a fold's steps may evaluate a free value, from the parameters of the fold's value. `is_copied`: guards read copies of
// the operands without Checks.
struct Choice {
  Id fold;
  FnRef condition;
  bool is_copied;
};

std::vector<bool> params_of(const Fn& f) {
  std::vector<bool> read(f.params.size());
  const std::vector<bool> used = Uses(f).of_terms();
  for (Id id = 0; id < f.params.size(); id++) read[id] = used[id];  // parameters are a function's first terms
  return read;
}

// The conditions of all terms that depend on a wanted term.
struct Analysis {
  Conditions conditions;
  std::vector<Choice> choices;
  std::vector<uint32_t> of;     // each term's condition; nowhere: it depends on no wanted term, or no use of it counts
  std::vector<bool> is_copied;  // for the condition of a `where`: guards have a copy of it without Checks

  Analysis(const Fn& f, bool is_loop_body, Wanted wanted) : of(f.terms.size(), nowhere), is_copied(f.terms.size()) {
    const Uses uses(f);
    const auto counts = [&](const Term& t, size_t operand) { return wanted == Wanted::Folds || uses.counts(t, operand); };
    // The first wanted term at or below each term. A condition with a lower number cannot depend on it, or on later ones.
    std::vector<Id> first_wanted(f.terms.size(), no_id);
    for (Id id = 0; id < f.terms.size(); id++) {
      const Term& t = f[id];
      if (is_wanted(f, t, wanted)) first_wanted[id] = id;
      for (size_t k = 0; k < t.count; k++)
        if (counts(t, k)) first_wanted[id] = std::min(first_wanted[id], first_wanted[f.args(t)[k]]);
    }
    auto use = [&](Id x, uint32_t condition) {
      if (first_wanted[x] != no_id) of[x] = conditions.either(of[x], condition);
    };
    // `last`: the last term that the condition is computed from.
    auto use_if = [&](Id x, uint32_t around, Id decides, Conditions::Decides how, Id last) {
      if (first_wanted[x] == no_id) return;
      if (first_wanted[x] < last) is_copied[decides] = true;
      use(x, conditions.both(around, decides, how));
    };
    // The use of free value k by the steps of a fold: that of a loop or fold under the condition that all steps share.
    auto use_in_steps = [&](Id fold, const Fn& value, size_t k, std::optional<SharedConditions>& shared) {
      const std::span<const Id> x = f.args(fold);
      if (first_wanted[x[k]] == no_id) return;
      if (first_wanted[x[k]] < x[0]) is_copied[x[0]] = true;
      const uint32_t around = conditions.both(of[fold], x[0], Conditions::Positive);
      FnRef condition;
      if (f[x[k]].kind == Kind::Pick) {
        if (!shared) shared.emplace(value);
        condition = shared->of(Id(k));
      }
      if (!condition) return use(x[k], around);
      Id last = 0;
      const std::vector<bool> read = params_of(*condition);
      for (size_t p = 1; p < read.size(); p++)
        if (read[p]) last = std::max(last, x[p]);
      choices.push_back({fold, std::move(condition), first_wanted[x[k]] < last});
      use(x[k], conditions.both(around, uint32_t(choices.size() - 1), Conditions::Allows));
    };
    auto use_where = [&](Id x, uint32_t around, Id decides, Conditions::Decides how) { use_if(x, around, decides, how, decides); };
    const auto use_operands = [&](Id id, const Term& t) {
      const Fn::LoopInfo& inside = f.loops[t.slot];
      const std::span<const Id> x = f.args(t);
      std::vector<Evaluated> steps;
      std::optional<SharedConditions> shared;
      if (wanted == Wanted::All) steps = evaluated_terms(*inside.body, false);
      // The free values of a loop that its condition does not read are used if it makes a step.
      std::vector<bool> tested(x.size(), true);
      if (!inside.is_fold() && wanted != Wanted::Folds) tested = Uses(*inside.body).below({inside.body->results.data(), 1});
      Id last = 0;
      for (size_t k = 0; k < x.size(); k++)
        if (tested[k]) last = std::max(last, x[k]);
      for (size_t k = 0; k < x.size(); k++) {
        if (!counts(t, k)) continue;
        const bool is_free = k >= inside.variables;
        if (!uses.counts(t, k)) use(x[k], everywhere);
        else if (is_free && wanted == Wanted::All && steps[k] == Evaluated::Sometimes) use_if(x[k], of[id], id, Conditions::Chooses, id);
        else if (is_free && inside.is_fold() && wanted != Wanted::All) use_in_steps(id, *inside.body, k, shared);
        else if (is_free && inside.is_fold() && !is_positive(f[x[0]])) use_where(x[k], of[id], x[0], Conditions::Positive);
        else if (is_free && !tested[k]) use_if(x[k], of[id], id, Conditions::Starts, last);
        else use(x[k], of[id]);
      }
    };

    for (size_t k = 0; k < f.results.size(); k++) {
      if (is_loop_body && k > 0) use_where(f.results[k], everywhere, f.results[0], Conditions::Yes);
      else use(f.results[k], everywhere);
    }
    for (Id id = Id(f.terms.size()); id-- > 0;) {
      if (of[id] == nowhere) continue;
      const Term& t = f[id];
      std::span<const Id> x = f.args(t);
      if (is_op(t, Op::where_)) {
        use(x[0], of[id]);
        use_where(x[1], of[id], x[0], Conditions::Yes);
        use_where(x[2], of[id], x[0], Conditions::No);
      } else if (wanted == Wanted::All && is_choice(f, t, fails_here | fails_before)) {
        use(x[0], of[id]);
        use_where(x[1], of[id], x[0], is_op(t, Op::and_) ? Conditions::Yes : Conditions::No);
      } else if (is_repeated(t)) {
        use_operands(id, t);
      } else {
        for (size_t k = 0; k < x.size(); k++)
          if (counts(t, k)) use(x[k], uses.counts(t, k) ? of[id] : everywhere);
      }
    }
  }
};

FnRef without_checks(const Fn& f);

struct WithoutChecks : Copy {
  using Copy::Copy;
  Id check(Id, std::span<const Id> x) { return x[0]; }
  Id require(std::span<const Id> x) { return x[0]; }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    return to.in_guard([&] { return to.repeat(info(id).with([](const FnRef& inside) { return without_checks(*inside); }), x); });
  }
};

FnRef without_checks(const Fn& f) {
  Builder builder;
  WithoutChecks pass(builder, f);
  return builder.finish(copy_terms(pass, copy_params(builder, f)));
}

Id conjunction(Builder& builder, Id a, Id b) {
  const Id operands[] = {a, b};
  return builder.apply_in_guard(Op::and_, operands);
}

// For each term of a fold's value: true if, without Checks, it is computed from free values, literals, arguments and elements alone.
std::vector<bool> shared_terms(const Fn& value) {
  std::vector<bool> shared(value.terms.size());
  for (Id id = 0; id < value.terms.size(); id++) {
    const Term& t = value[id];
    const bool has_first = t.kind == Kind::Check || t.kind == Kind::Require;  // has the value of its first operand
    if (t.kind == Kind::Param) shared[id] = t.slot > 0;
    else if (t.kind != Kind::Pick && t.kind != Kind::Foreign && !is_repeated(t))
      shared[id] = std::ranges::all_of(value.args(t).first(has_first ? 1 : t.count), [&](Id x) { return bool(shared[x]); });
  }
  return shared;
}

SharedConditions::SharedConditions(const Fn& value)
    : value_(value), analysis_(std::make_unique<Analysis>(value, false, Wanted::All)), shared_(shared_terms(value)) {}
SharedConditions::~SharedConditions() = default;

// The condition of the parameter without the decisions that depend on the position.
FnRef SharedConditions::of(Id param) const {
  const uint32_t wanted = analysis_->of[param];
  if (wanted == nowhere || wanted == everywhere) return nullptr;
  const std::span all(analysis_->conditions.all.data(), wanted + 1);
  std::vector<bool> is_left{false};
  for (uint32_t number = 1; number <= wanted; number++) {
    const Conditions::Condition& c = all[number];
    is_left.push_back(c.is_or ? is_left[c.first] && is_left[c.second] : is_left[c.first] || decides(c));
  }
  if (!is_left[wanted]) return nullptr;
  Builder builder;
  WithoutChecks copy(builder, value_);
  copy_terms(copy, copy_params(builder, value_));
  std::vector<Id> made{builder.constant(true)};
  for (uint32_t number = 1; number <= wanted; number++) {
    const Conditions::Condition& c = all[number];
    const Id first = made[c.first];
    if (c.is_or) {
      const Id operands[] = {first, made[c.second]};
      made.push_back(builder.apply_in_guard(Op::or_, operands));
    } else if (decides(c)) {
      const Id yes = copy.here[c.second];
      made.push_back(conjunction(builder, first, c.how == Conditions::Yes ? yes : builder.apply_in_guard(Op::not_, {&yes, 1})));
    } else made.push_back(first);
  }
  return builder.finish({made[wanted]});
}

// The body with one more parameter, the last, which guards all its Checks.
FnRef conditional(const Fn& body);

struct Conditional : Copy {
  using Copy::Copy;
  Id condition = no_id;
  Id check(Id, std::span<const Id> x) { return to.check(x[0], x[1], conjunction(to, condition, x[2])); }
  std::vector<Id> repeat(Id id, std::span<const Id> x) { return repeat_under(condition, id, x); }

  std::vector<Id> repeat_under(Id guard, Id id, std::span<const Id> x) {
    Fn::LoopInfo inside = info(id);
    if (!has_checks(*inside.body)) return Copy::repeat(id, x);
    inside.body = conditional(*inside.body);
    std::vector<Id> operands(x.begin(), x.end());
    operands.push_back(guard);
    return to.repeat(inside, operands);
  }
};

FnRef conditional(const Fn& body) {
  Builder builder;
  const std::vector<Id> params = copy_params(builder, body);
  Conditional pass(builder, body);
  pass.condition = builder.param(Type::Bool);
  return builder.finish(copy_terms(pass, params));
}

struct Guarded : Conditional {
  Guarded(Builder& to, const Fn& from, const Analysis& analysis)
      : Conditional(to, from), analysis(analysis), made(analysis.conditions.all.size(), no_id) {}
  const Analysis& analysis;
  std::vector<Id> copies;  // of each term, without Checks; empty if no copy is needed
  std::vector<Id> made;    // the term of each condition, or no_id

  // A Check that only guards read is dropped: outside of the range, the element is 0.
  Id check(Id id, std::span<const Id> x) {
    if (analysis.of[id] == nowhere) return x[0];
    return to.check(x[0], x[1], conjunction(to, make(analysis.of[id]), x[2]));
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    const Id guard = make(analysis.of[id]);
    return is_true(to[guard]) ? Copy::repeat(id, x) : repeat_under(guard, id, x);
  }

  Id make(uint32_t wanted) {
    if (wanted == nowhere || wanted == everywhere) return to.constant(true);
    made[everywhere] = to.constant(true);
    std::vector<uint32_t> open{wanted};
    while (!open.empty()) {
      const uint32_t number = open.back();
      const Conditions::Condition& c = analysis.conditions.all[number];
      const size_t before = open.size();
      if (made[c.first] == no_id) open.push_back(c.first);
      if (c.is_or && made[c.second] == no_id) open.push_back(c.second);
      if (open.size() > before) continue;
      open.pop_back();
      if (made[number] != no_id) continue;
      if (c.is_or) {
        const Id operands[] = {made[c.first], made[c.second]};
        made[number] = to.apply_in_guard(Op::or_, operands);
      } else {
        made[number] = conjunction(to, made[c.first], decision(c.second, c.how));
      }
    }
    return made[wanted];
  }

  // The condition that a term decides.
  Id decision(Id term, Conditions::Decides how) {
    if (how == Conditions::Allows) {
      const Choice& choice = analysis.choices[term];
      return called(*choice.condition, choice.fold, choice.is_copied ? copies : here);
    }
    const std::vector<Id>& terms = analysis.is_copied[term] ? copies : here;
    if (how == Conditions::Yes) return terms[term];
    if (how == Conditions::No) return to.apply_in_guard(Op::not_, {&terms[term], 1});
    if (how == Conditions::Positive) {
      const Id operands[] = {terms[term], to.constant(int64_t(0))};
      return to.apply_in_guard(Op::gt_, operands);
    }
    // The loop's condition at its first values.
    Fn condition = *info(term).body;
    condition.results.resize(1);
    return called(*without_checks(condition), term, terms);
  }

  // A function of the parameters of a loop's or fold's body, of the operands in these terms.
  Id called(const Fn& function, Id repeated, const std::vector<Id>& terms) {
    const std::vector<bool> read = params_of(function);
    std::vector<Id> args;
    for (size_t k = 0; k < function.params.size(); k++)
      args.push_back(read[k] ? terms[from.args(repeated)[k]] : to.literal(function.params[k].type, 0));
    return to.in_guard([&] { return to.inline_call(function, args)[0]; });
  }
};

template <class Pass> FnRef under_conditions(const FnRef& f, bool is_loop_body, Wanted wanted) {
  const Analysis analysis(*f, is_loop_body, wanted);
  Builder builder;
  const std::vector<Id> params = copy_params(builder, *f);
  Pass pass(builder, *f, analysis);
  if (std::ranges::find(analysis.is_copied, true) != analysis.is_copied.end() ||
      std::ranges::any_of(analysis.choices, [](const Choice& choice) { return choice.is_copied; })) {
    WithoutChecks copy(builder, *f);
    copy_terms(copy, params);
    pass.copies = std::move(copy.here);
  }
  return builder.finish(copy_terms(pass, params));
}

FnRef choose_folds(FnRef f, bool is_loop_body);

struct Chosen : Guarded {
  using Guarded::Guarded;
  Id check(Id id, std::span<const Id> x) { return Copy::check(id, x); }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    const bool is_fold = info(id).is_fold();
    std::vector<Id> operands(x.begin(), x.end());
    const Id condition = is_fold ? make(analysis.of[id]) : no_id;
    if (is_fold && !is_true(to[condition])) operands[0] = to.apply(Op::where_, {condition, x[0], to.constant<int64_t>(0)});
    return to.repeat(info(id).with([&](const FnRef& inside) { return choose_folds(inside, !is_fold); }), operands);
  }
};

FnRef choose_folds(FnRef f, bool is_loop_body) { return has_folds(*f) ? under_conditions<Chosen>(f, is_loop_body, Wanted::Folds) : f; }

}  // namespace

std::vector<Evaluated> evaluated_terms(const Fn& f, bool is_loop_body) {
  std::vector<Evaluated> found;
  for (uint32_t condition : Analysis(f, is_loop_body, Wanted::All).of)
    found.push_back(condition == nowhere ? Evaluated::Never : condition == everywhere ? Evaluated::Always : Evaluated::Sometimes);
  return found;
}

FnRef guard(FnRef f, bool is_loop_body) {
  const bool has_conditions =
      is_loop_body || std::ranges::any_of(f->terms, [](const Term& t) { return is_op(t, Op::where_) || is_repeated(t); });
  return has_conditions && has_checks(*f) ? under_conditions<Guarded>(f, is_loop_body, Wanted::Checks) : f;
}

FnRef choose_folds(FnRef f) { return choose_folds(std::move(f), false); }

}  // namespace wf
