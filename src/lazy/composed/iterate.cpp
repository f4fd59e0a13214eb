// iterate is one loop. Its prefixes are a routine, if f captures nothing. Otherwise they are loops, too, one per state: the states at multiples
// of a large stride come from the first element on, those at multiples of a smaller stride from the states before, and so on to stride 1. Each
// stride is at most 2^6 times the next one. So a force applies f at most 32 n times per stride, in parallel but for the n steps of the first
// stride, which are sequential by definition.
#include "lazy/composed/iterate.h"

#include <algorithm>
#include <bit>

#include "expr/rewrite.h"
#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {
namespace {

constexpr int most_bits = 6;  // between strides

void require_step(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_vector(*s);
  common_context({&s, 1}, &f);
  const Fn& fn = *f.fn;
  const std::vector<Type> state = fn.result_types(), &types = s->types();
  std::vector<Type> both(state);
  both.insert(both.end(), types.begin(), types.end());
  if (state.empty() || !std::ranges::equal(fn.params, both, {}, &Param::type))
    throw TypeError("f is " + signature(fn) + "; expected the columns of its results and those of s, " + list(types) +
                    ", as parameters: from a state and an element to the next state");
  if (initial.size() != state.size())
    throw TypeError("initial has " + count(initial.size(), "value") + "; expected " + std::to_string(state.size()) +
                    ", one per result of f");
}

// The state before element `end`, from that before element `begin` on. s is in slot 0, and the captures of f follow `by` slots.
std::vector<Id> state_at(Builder& b, const Fn& f, const std::vector<Type>& types, uint32_t by, std::span<const Id> state, Id begin,
                         Id end) {
  Builder step;
  const Id i = step.param(Type::I64, "i");
  std::vector<Id> args;
  for (Id x : state) args.push_back(step.param(b.type(x), "a" + std::to_string(args.size())));
  const Id limit = step.param(Type::I64, "end");
  for (Id x : read(step, 0, types, i)) args.push_back(x);
  std::vector<Id> next{step.apply(Op::lt_, {i, limit}), step.apply(Op::add_, {i, step.constant<int64_t>(1)})};
  for (Id x : inline_closure(step, f, args, by)) next.push_back(x);

  std::vector<Id> first{begin};
  first.insert(first.end(), state.begin(), state.end());
  std::vector<Id> last = b.loop(first, {&end, 1}, step.finish(next));
  last.erase(last.begin());
  return last;
}

std::vector<Id> first_state(Builder& b, const Fn& f, const std::vector<Bits64>& initial) {
  const std::vector<Type> types = f.result_types();
  std::vector<Id> state;
  for (size_t c = 0; c < types.size(); c++) state.push_back(b.literal(types[c], initial[c]));
  return state;
}

NodeRef over(Shape shape, FnRef fn, const NodeRef& s, const NodeRef& before, const Closure& f) {
  Few<NodeRef> inputs{s};
  if (before) inputs.push_back(before);
  for (const NodeRef& capture : f.captures) inputs.push_back(capture);
  ColumnTypes types = fn->result_types();
  Definition definition{.kind = NodeKind::Pull,
                        .fn = simplify_with_loops(std::move(fn)),
                        .inputs = std::move(inputs),
                        .identity = {},
                        .viewed = before ? 2u : 1u,
                        .arguments = f.arguments,
                        .routine = {.kind = Routine::Iterate}};
  return delayed(s->context(), {shape, {}}, std::move(types), std::move(definition));
}

// The states before elements 0, 2^bits, 2 * 2^bits, ... of n, from those at multiples of 2^(bits + more), or from the first one.
NodeRef states(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s, const NodeRef& before, int bits, int more) {
  Builder b;
  const Id k = b.param(Type::I64, "k"), end = b.apply(Op::shl_, {k, b.constant<int64_t>(bits)});
  const Id group = b.apply(Op::shr_, {k, b.constant<int64_t>(more)});
  const Id begin = before ? b.apply(Op::shl_, {group, b.constant<int64_t>(bits + more)}) : b.constant<int64_t>(0);
  const std::vector<Id> from = before ? read(b, 1, before->types(), group) : first_state(b, *f.fn, initial);
  const FnRef fn = b.finish(state_at(b, *f.fn, s->types(), before ? 2 : 1, from, begin, end));
  return over(Shape::vector((s->length() >> bits) + 1), fn, s, before, f);
}

// All n + 1 states, by the routine Iterate.
NodeRef by_routine(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  Builder b;
  b.param(Type::I64, "i");
  const NodeRef first = pull(s->context(), {Shape::vector(1), {}}, b.finish(first_state(b, *f.fn, initial)), {}, 0);
  Definition definition{NodeKind::Call, with_values(f.fn, f.arguments), {first, s}, {}};
  definition.routine.kind = Routine::Iterate;
  return delayed(s->context(), {Shape::vector(s->length() + 1), {}}, f.fn->result_types(), std::move(definition));
}

}  // namespace

NodeRef iterate(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_step(f, initial, s);
  Builder b;
  b.param(Type::I64, "i");
  const std::vector<Id> from = first_state(b, *f.fn, initial);
  const FnRef fn = b.finish(state_at(b, *f.fn, s->types(), 1, from, b.constant<int64_t>(0), b.length(0)));
  return over(Shape::scalar(), fn, s, {}, f);
}

NodeRef iterate_prefixes(const Closure& f, const std::vector<Bits64>& initial, const NodeRef& s) {
  require_step(f, initial, s);
  const int64_t n = known_length(*s);
  std::vector<Type> types = f.fn->result_types();
  types.push_back(Type::I64);
  require_length(n, types);
  if (f.captures.empty()) return by_routine(f, initial, s);
  const int all = std::bit_width(uint64_t(n)), levels = std::max(1, (all + most_bits - 1) / most_bits);
  NodeRef result;
  for (int level = 1, bits = all; level <= levels; level++) {
    const int next = all - all * level / levels;
    result = states(f, initial, s, result, next, bits - next);
    bits = next;
  }
  return result;
}

}  // namespace wf
