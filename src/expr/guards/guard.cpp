// A Check's guard becomes the conjunction of its condition (conditions.h) and its own guard. A loop whose body has Checks gets the condition as a
// free value.
//
// A fold's count becomes 0 if its condition is false, but only in kernels (choose_folds): written functions keep their counts. There, uses in
// guards count and have the condition true: a guard that takes the place of a `where` needs the fold's value to be false.
#include "expr/guards/guard.h"

#include <algorithm>

#include "expr/guards/conditions.h"

namespace wf {

bool has_checks(const Fn& f) {
  return std::ranges::any_of(f.terms, [](const Term& t) { return t.kind == Kind::Check; }) ||
         std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return has_checks(*l.body); });
}

std::vector<bool> used_outside_guards(const Fn& f) { return guards::Uses(f).of_terms(); }

namespace guards {
namespace {

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
        const bool is_copied = c.how == Conditions::Allows ? analysis.choices[c.second].is_copied : analysis.is_copied[c.second];
        made[number] = conjunction(to, made[c.first], decision(to, from, analysis, c, is_copied ? copies : here));
      }
    }
    return made[wanted];
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
}  // namespace guards

std::vector<Evaluated> evaluated_terms(const Fn& f, bool is_loop_body) {
  std::vector<Evaluated> found;
  for (uint32_t condition : guards::Analysis(f, is_loop_body, guards::Wanted::All).of)
    found.push_back(condition == guards::nowhere      ? Evaluated::Never
                    : condition == guards::everywhere ? Evaluated::Always
                                                      : Evaluated::Sometimes);
  return found;
}

FnRef guard(FnRef f, bool is_loop_body) {
  const bool has_conditions =
      is_loop_body || std::ranges::any_of(f->terms, [](const Term& t) { return is_op(t, Op::where_) || is_repeated(t); });
  return has_conditions && has_checks(*f) ? guards::under_conditions<guards::Guarded>(f, is_loop_body, guards::Wanted::Checks) : f;
}

FnRef choose_folds(FnRef f) { return guards::choose_folds(std::move(f), false); }

}  // namespace wf
