// Runs, unique and split: filters whose condition compares neighbours, so that they fuse with what computes the elements.
#include "lazy/composed/groups.h"

#include <algorithm>
#include <functional>

#include "lazy/compose.h"
#include "lazy/inline.h"

namespace wf {
namespace {

// f(left, right) of the elements at i - 1 and i of slot 0.
using EqualTerms = std::function<Id(Builder&, std::span<const Id> left, std::span<const Id> right)>;

EqualTerms equal_by_keys(const NodeRef& s, int32_t keys) {
  require_vector(*s);
  require_keys(keys, s->column_types());
  return [keys](Builder& b, std::span<const Id> left, std::span<const Id> right) { return same(b, ElementOrder{keys}, left, right); };
}

// equal's captures follow the first `by` inputs.
EqualTerms equal_by_function(const Closure& equal, const NodeRef& s, uint32_t by) {
  require_vector(*s);
  std::vector<Type> both(s->types());
  both.insert(both.end(), s->types().begin(), s->types().end());
  const Fn& fn = *equal.fn;
  if (!std::ranges::equal(fn.params, both, {}, &Param::type) || fn.result_types() != std::vector{Type::Bool})
    throw TypeError("equal is " + signature(fn) + "; expected " + list(both) +
                    " -> (bool): true if the right element belongs to the run of the left one");
  common_context({&s, 1}, &equal);
  return [fn = equal.fn, by](Builder& b, std::span<const Id> left, std::span<const Id> right) {
    std::vector<Id> args(left.begin(), left.end());
    args.insert(args.end(), right.begin(), right.end());
    return inline_closure(b, *fn, args, by)[0];
  };
}

Few<NodeRef> with_captures_of(const NodeRef& s, const Closure& f) {
  Few<NodeRef> inputs{s};
  for (const NodeRef& capture : f.captures) inputs.push_back(capture);
  return inputs;
}

// For each of `length` positions: true if a run of s begins there, or s ends. s has n elements.
NodeRef run_boundaries(const NodeRef& s, int64_t n, int64_t length, const EqualTerms& equal, const Closure& f) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), one = b.constant<int64_t>(1), yes = b.constant(true);
  const Id goes_on = equal(b, read(b, 0, s->types(), b.apply(Op::sub_, {i, one})), read(b, 0, s->types(), i));
  Id begins = b.apply(Op::not_, {goes_on});
  if (length > n) begins = b.apply(Op::where_, {b.apply(Op::lt_, {i, b.constant(n)}), begins, yes});
  const FnRef fn = simplify(b.finish({b.apply(Op::where_, {b.apply(Op::lt_, {i, one}), yes, begins})}));
  return pull(s->context(), {Shape::vector(length), {}}, fn, with_captures_of(s, f), 1, f.arguments);
}

NodeRef runs_of(const NodeRef& s, const EqualTerms& equal, const Closure& f) {
  const int64_t n = known_length(*s);
  require_length(n, std::vector{Type::I64});
  return filtered(positions(s, n + 1), run_boundaries(s, n, n + 1, equal, f));
}

NodeRef firsts_of_runs(const NodeRef& s, const EqualTerms& equal, const Closure& f) {
  const int64_t n = known_length(*s);
  return filtered(s, run_boundaries(s, n, n, equal, f));
}

}  // namespace

NodeRef runs(const NodeRef& s, int32_t keys) { return runs_of(s, equal_by_keys(s, keys), {}); }
NodeRef runs(const Closure& equal, const NodeRef& s) { return runs_of(s, equal_by_function(equal, s, 1), equal); }
NodeRef unique(const NodeRef& s, int32_t keys) { return firsts_of_runs(s, equal_by_keys(s, keys), {}); }
NodeRef unique(const Closure& equal, const NodeRef& s) { return firsts_of_runs(s, equal_by_function(equal, s, 1), equal); }

// Position 0, and each position after a separator or after the last element, begins a piece or ends the last one. Position p has number k
// among them if k separators come before it.
Segmented split(const Closure& f, const NodeRef& s) {
  require_vector(*s);
  const int64_t n = known_length(*s);
  require_length(n, std::vector{Type::I64, Type::I64});
  const NodeRef separates = map(f, {&s, 1});
  if (separates->types() != std::vector{Type::Bool})
    throw TypeError("f is " + signature(*f.fn) + "; expected one result of type bool, true if the element separates");

  Builder b;
  const Id i = b.param(Type::I64, "i"), one = b.constant<int64_t>(1), before = b.apply(Op::sub_, {i, one}), yes = b.constant(true);
  const Id is_inside = b.apply(Op::lt_, {before, b.constant(n)});
  const Id ends = b.apply(Op::where_, {is_inside, b.at(0, 0, Type::Bool, before), yes});
  const FnRef begins = b.finish({b.apply(Op::where_, {b.apply(Op::lt_, {i, one}), yes, ends})});
  const NodeRef all = positions(s, n + 2);
  const NodeRef chosen = filtered(all, pull(s->context(), {Shape::vector(n + 2), {}}, begins, {separates}, 1));
  const NodeRef number =
      scan(closed(op_fn(Op::add_, Type::I64)), {0}, mapped(chosen, [](Builder& b, Id) { return b.constant<int64_t>(1); }), false).prefixes;
  const NodeRef both[] = {chosen, number};
  return {filtered(s, mapped(separates, [](Builder& b, Id x) { return b.apply(Op::not_, {x}); })),
          map(closed(op_fn(Op::sub_, Type::I64)), both)};
}

}  // namespace wf
