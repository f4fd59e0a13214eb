#include "lazy/composed/iterate.h"

#include <algorithm>

#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {
namespace {

// Throws unless f is a step from a state like `initial` and an element of s to the next state.
void require_step(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_vector(*s);
  common_context({&s, 1}, &f);
  const Fn& fn = *f.fn;
  const std::vector<Type> state = fn.result_types();
  std::vector<Type> both(state);
  both.insert(both.end(), s->types().begin(), s->types().end());
  if (state.empty() || !std::ranges::equal(fn.params, both, {}, &Param::type))
    throw TypeError("f is " + signature(fn) + "; expected the columns of its results and those of s, " + list(s->types()) +
                    ", as parameters: from a state and an element to the next state");
  if (initial.size() != state.size())
    throw TypeError("initial has " + count(initial.size(), "value") + "; expected " + std::to_string(state.size()) +
                    ", one per result of f");
}

}  // namespace

NodeRef iterate(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_step(f, initial, s);
  const Fn& fn = *f.fn;
  const std::vector<Type> state = fn.result_types(), &types = s->types();
  Builder step;
  std::vector<Id> args;
  const Id i = step.param(Type::I64, "i"), one = step.constant<int64_t>(1);
  for (Type type : state) args.push_back(step.param(type, "a" + std::to_string(args.size())));
  for (Id x : read(step, 0, types, i)) args.push_back(x);
  std::vector<Id> results{step.apply(Op::lt_, {i, step.length(0)}), step.apply(Op::add_, {i, one})};
  for (Id x : inline_closure(step, fn, args, 1)) results.push_back(x);
  const FnRef body = step.finish(results);

  Builder b;
  b.param(Type::I64, "i");
  std::vector<Id> first{b.constant<int64_t>(0)};
  for (size_t c = 0; c < state.size(); c++) first.push_back(b.literal(state[c], initial[c]));
  std::vector<Id> last = b.loop(first, {}, body);
  last.erase(last.begin());
  Few<NodeRef> inputs{s};
  for (const NodeRef& capture : f.captures) inputs.push_back(capture);
  return pull(s->context(), {Shape::scalar(), {}}, simplify(b.finish(last)), std::move(inputs), 1, f.arguments);
}

NodeRef iterated_states(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_step(f, initial, s);
  if (!f.captures.empty())
    throw ArgumentError("f captures " + count(f.captures.size(), "sequence") + "; expected a function of the state and the element alone");
  const std::vector<Type> state = f.fn->result_types();
  const int64_t n = known_length(*s, "s");
  require_length(n + 1, state);
  Builder b;
  b.param(Type::I64, "i");
  std::vector<Id> literals;
  for (size_t c = 0; c < state.size(); c++) literals.push_back(b.literal(state[c], initial[c]));
  const NodeRef first = pull(s->context(), {Shape::vector(1), {}}, b.finish(literals), {}, 0);
  Definition definition{NodeKind::Call, with_values(f.fn, f.arguments), {first, s}, {}};
  definition.routine.kind = Routine::Iterate;
  return delayed(s->context(), {Shape::vector(n + 1), {}}, state, std::move(definition));
}

}  // namespace wf
