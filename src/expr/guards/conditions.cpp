#include "expr/guards/conditions.h"

#include <algorithm>
#include <optional>

namespace wf::guards {
namespace {

bool is_wanted(const Fn& f, const Term& t, Wanted wanted) {
  if (wanted == Wanted::All || wanted == Wanted::Shared) return true;
  if (wanted == Wanted::Checks) return t.kind == Kind::Check || (is_repeated(t) && has_checks(*f.loops[t.slot].body));
  return t.kind == Kind::Fold;
}

// For each term of a body: true if, without Checks, it is computed from free values, literals, arguments and elements alone.
std::vector<bool> shared_terms(const Fn& body, uint32_t variables) {
  std::vector<bool> shared(body.terms.size());
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    const bool has_first = t.kind == Kind::Check || t.kind == Kind::Require;  // has the value of its first operand
    if (t.kind == Kind::Param) shared[id] = t.slot >= variables;
    else if (t.kind != Kind::Pick && t.kind != Kind::Foreign && !is_repeated(t))
      shared[id] = std::ranges::all_of(body.args(t).first(has_first ? 1 : t.count), [&](Id x) { return bool(shared[x]); });
  }
  return shared;
}

// For each term: true if it is computed from the values of a loop, a fold or a foreign function.
std::vector<bool> repeated_terms(const Fn& f) {
  std::vector<bool> repeated(f.terms.size());
  for (Id id = 0; id < f.terms.size(); id++)
    repeated[id] = f[id].kind == Kind::Pick || std::ranges::any_of(f.args(id), [&](Id x) { return bool(repeated[x]); });
  return repeated;
}

// The function with 0 in place of this parameter.
FnRef ignoring(const Fn& f, size_t param) {
  Builder builder;
  std::vector<Id> args = copy_params(builder, f);
  args[param] = builder.literal(f.params[param].type, 0);
  return builder.finish(builder.in_guard([&] { return builder.inline_call(f, args); }));
}

// When the steps of a loop or fold evaluate its free values; the body's first parameters vary with the step.
class Steps {
 public:
  Steps(FnRef body, uint32_t variables, Wanted wanted);
  // Returns true if some steps may evaluate the free value, and others not.
  bool choose(Id param) const { return analysis_.of[param] != nowhere && analysis_.of[param] != everywhere; }
  // The part of its condition that is the same for all steps, as a function of the body's parameters; null if there is none.
  FnRef condition(Id param) const;

 private:
  std::vector<Id> read_by(const Conditions::Condition& c) const;
  const FnRef body_;
  Analysis analysis_;
  std::vector<bool> shared_;              // of each term
  std::vector<bool> decides_, has_part_;  // of each condition: true if shared terms decide it, or a part of it
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
  // The condition of a use of x; `last`: the last term that it is computed from.
  auto decided = [&](Id x, uint32_t around, Id decides, Conditions::Decides how, Id last) {
    if (first_wanted[x] <= last) is_copied[decides] = true;
    return conditions.both(around, decides, how);
  };
  auto allowed = [&](Id x, uint32_t around, Id repeats, FnRef condition) {
    Id last = 0;
    const std::vector<bool> read = params_of(*condition);
    for (size_t k = 0; k < read.size(); k++)
      if (read[k]) last = std::max(last, f.args(repeats)[k]);
    choices.push_back({repeats, std::move(condition), first_wanted[x] <= last});
    return conditions.both(around, uint32_t(choices.size() - 1), Conditions::Allows);
  };
  auto use_where = [&](Id x, uint32_t around, Id decides, Conditions::Decides how) {
    if (first_wanted[x] != no_id) use(x, decided(x, around, decides, how, decides));
  };
  const std::vector<bool> repeated = f.loops.empty() ? std::vector<bool>() : repeated_terms(f);
  const auto use_operands = [&](Id id, const Term& t) {
    const Fn::LoopInfo& inside = f.loops[t.slot];
    const std::span<const Id> x = f.args(t);
    // The free values of a loop that its condition does not read are used if it makes a step.
    std::vector<bool> tested(x.size(), true);
    if (!inside.is_fold() && wanted != Wanted::Folds) tested = Uses(*inside.body).below({inside.body->results.data(), 1});
    Id last = 0;
    for (size_t k = 0; k < x.size(); k++)
      if (tested[k]) last = std::max(last, x[k]);
    std::optional<Steps> steps, first;
    // The condition under which a loop's condition evaluates a free value before the first step; null if it always does. If it does not, the
    // first step does not depend on the value.
    const auto tested_first = [&](size_t k) -> FnRef {
      if (!first) {
        Fn test = *inside.body;
        test.results.resize(1);
        first.emplace(std::make_shared<const Fn>(std::move(test)), 0, Wanted::Shared);
      }
      return first->condition(Id(k));
    };
    for (size_t k = 0; k < x.size(); k++) {
      if (!counts(t, k) || first_wanted[x[k]] == no_id) continue;
      if (k < inside.variables || !uses.counts(t, k)) {
        use(x[k], k < inside.variables ? of[id] : everywhere);
        continue;
      }
      const bool is_any = wanted == Wanted::All || wanted == Wanted::Shared;
      uint32_t condition = of[id];
      FnRef at_first;
      if (tested[k] && !inside.is_fold() && wanted == Wanted::Checks) at_first = tested_first(k);
      if (at_first) {
        use(x[k], allowed(x[k], condition, id, std::move(at_first)));
        condition = allowed(x[k], condition, id, ignoring(*first_condition(f, id), k));
      }
      if (inside.is_fold() && !is_positive(f[x[0]])) condition = decided(x[k], condition, x[0], Conditions::Positive, x[0]);
      if (!tested[k]) condition = decided(x[k], condition, id, Conditions::Starts, last);
      if (is_any || (repeated[x[k]] && (inside.is_fold() || wanted == Wanted::Checks))) {
        if (!steps) steps.emplace(inside.body, inside.variables, wanted == Wanted::All ? Wanted::All : Wanted::Shared);
        if (FnRef shared = steps->condition(Id(k))) condition = allowed(x[k], condition, id, std::move(shared));
        if (is_any && steps->choose(Id(k))) condition = conditions.both(condition, id, Conditions::Chooses);
      }
      use(x[k], condition);
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
    } else if ((wanted == Wanted::All || wanted == Wanted::Shared) && is_choice(f, t, fails_here | fails_before)) {
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

Steps::Steps(FnRef body, uint32_t variables, Wanted wanted)
    : body_(std::move(body)), analysis_(*body_, false, wanted), shared_(shared_terms(*body_, variables)) {
  for (const Conditions::Condition& c : analysis_.conditions.all) {
    const bool is_first = decides_.empty();  // the condition true
    const bool decides = !is_first && wanted == Wanted::Shared && !c.is_or && c.how != Conditions::Chooses &&
                         std::ranges::all_of(read_by(c), [&](Id x) { return bool(shared_[x]); });
    decides_.push_back(decides);
    has_part_.push_back(!is_first && (c.is_or ? has_part_[c.first] && has_part_[c.second] : has_part_[c.first] || decides));
  }
}

// The terms that decide the condition.
std::vector<Id> Steps::read_by(const Conditions::Condition& c) const {
  if (c.how != Conditions::Starts && c.how != Conditions::Allows) return {c.second};
  const Id repeated = c.how == Conditions::Starts ? c.second : analysis_.choices[c.second].repeated;
  const std::vector<bool> read =
      params_of(c.how == Conditions::Starts ? *first_condition(*body_, repeated) : *analysis_.choices[c.second].condition);
  std::vector<Id> found;
  for (size_t k = 0; k < read.size(); k++)
    if (read[k]) found.push_back(body_->args(repeated)[k]);
  return found;
}

FnRef Steps::condition(Id param) const {
  const uint32_t wanted = analysis_.of[param];
  if (wanted == nowhere || !has_part_[wanted]) return nullptr;
  const std::span all(analysis_.conditions.all.data(), wanted + 1);
  // The conditions that are a part of it, and the terms that decide them.
  std::vector<bool> is_part(all.size()), is_read(body_->terms.size());
  is_part[wanted] = true;
  for (uint32_t number = wanted; number > 0; number--) {
    if (!is_part[number]) continue;
    is_part[all[number].first] = true;
    if (all[number].is_or) is_part[all[number].second] = true;
    if (decides_[number])
      for (Id x : read_by(all[number])) is_read[x] = true;
  }
  for (Id id = Id(body_->terms.size()); id-- > 0;)
    for (size_t k = 0; is_read[id] && k < (*body_)[id].count; k++) is_read[body_->args(id)[k]] = true;
  Builder builder;
  WithoutChecks copy(builder, *body_);
  const std::vector<Id> params = copy_params(builder, *body_);
  for (Id id = 0; id < body_->terms.size(); id++)
    if (is_read[id] && shared_[id]) copy_term(copy, id, params);
  std::vector<Id> made(all.size(), builder.constant(true));
  for (uint32_t number = 1; number <= wanted; number++) {
    if (!is_part[number]) continue;
    const Conditions::Condition& c = all[number];
    made[number] = made[c.first];
    if (c.is_or) {
      const Id operands[] = {made[c.first], made[c.second]};
      made[number] = builder.apply_in_guard(Op::or_, operands);
    } else if (decides_[number]) {
      made[number] = conjunction(builder, made[c.first], decision(builder, *body_, analysis_, c, copy.here));
    }
  }
  return builder.finish({made[wanted]});
}

}  // namespace

FnRef first_condition(const Fn& f, Id loop) {
  Fn condition = *f.loops[f[loop].slot].body;
  condition.results.resize(1);
  return without_checks(condition);
}

Id decision(Builder& to, const Fn& from, const Analysis& analysis, const Conditions::Condition& c, std::span<const Id> terms) {
  // A function of the parameters of a loop's or fold's body, of its operands.
  const auto called = [&](const Fn& function, Id repeated) {
    const std::vector<bool> read = params_of(function);
    std::vector<Id> args;
    for (size_t k = 0; k < function.params.size(); k++)
      args.push_back(read[k] ? terms[from.args(repeated)[k]] : to.literal(function.params[k].type, 0));
    return to.in_guard([&] { return to.inline_call(function, args)[0]; });
  };
  switch (c.how) {
    case Conditions::Yes: return terms[c.second];
    case Conditions::No: return to.apply_in_guard(Op::not_, {&terms[c.second], 1});
    case Conditions::Positive: {
      const Id operands[] = {terms[c.second], to.constant(int64_t(0))};
      return to.apply_in_guard(Op::gt_, operands);
    }
    case Conditions::Starts: return called(*first_condition(from, c.second), c.second);
    case Conditions::Allows: return called(*analysis.choices[c.second].condition, analysis.choices[c.second].repeated);
    case Conditions::Chooses: break;
  }
  throw std::logic_error("no term decides whether a step evaluates a free value");
}

}  // namespace wf::guards
