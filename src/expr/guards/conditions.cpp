#include "expr/guards/conditions.h"

#include <algorithm>
#include <optional>

namespace wf::guards {
namespace {

bool is_wanted(const Fn& f, const Term& t, Wanted wanted) {
  if (wanted == Wanted::All) return true;
  if (wanted == Wanted::Checks) return t.kind == Kind::Check || (is_repeated(t) && has_checks(*f.loops[t.slot].body));
  return t.kind == Kind::Fold;
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

// The conditions of a fold's free values that are the same for all steps.
class SharedConditions {
 public:
  explicit SharedConditions(const Fn& value) : value_(value), analysis_(value, false, Wanted::All), shared_(shared_terms(value)) {}
  // A function of the parameters of the fold's value; null if no such condition is left.
  FnRef of(Id param) const;

 private:
  bool decides(const Conditions::Condition& c) const { return !c.is_or && c.how <= Conditions::No && shared_[c.second]; }
  const Fn& value_;
  Analysis analysis_;
  std::vector<bool> shared_;
};

}  // namespace

std::vector<bool> params_of(const Fn& f) {
  std::vector<bool> read(f.params.size());
  const std::vector<bool> used = Uses(f).of_terms();
  for (Id id = 0; id < f.params.size(); id++) read[id] = used[id];  // parameters are a function's first terms
  return read;
}

Analysis::Analysis(const Fn& f, bool is_loop_body, Wanted wanted) : of(f.terms.size(), nowhere), is_copied(f.terms.size()) {
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

FnRef without_checks(const Fn& f) {
  Builder builder;
  WithoutChecks pass(builder, f);
  return builder.finish(copy_terms(pass, copy_params(builder, f)));
}

namespace {

// The condition of the parameter without the decisions that depend on the position.
FnRef SharedConditions::of(Id param) const {
  const uint32_t wanted = analysis_.of[param];
  if (wanted == nowhere || wanted == everywhere) return nullptr;
  const std::span all(analysis_.conditions.all.data(), wanted + 1);
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

}  // namespace
}  // namespace wf::guards
