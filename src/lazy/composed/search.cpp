// Binary searches inside maps, and the sets that follow from them.
#include "lazy/compose.h"
#include "lazy/composed/groups.h"
#include "lazy/inline.h"

namespace wf {
namespace {

// The number of elements of slot `slot` in [0, n) that come before `needle`, or with `after`, that do not come after it. Halves the range in
// which the answer is: log n steps.
Id count_before(Builder& b, const ElementOrder& order, uint32_t slot, std::span<const Type> types, Id n, std::span<const Id> needle,
                bool after) {
  Builder step;
  const Id low = step.param(Type::I64, "low"), length = step.param(Type::I64, "length"), one = step.constant<int64_t>(1);
  std::vector<Id> sought;
  for (Id x : needle) sought.push_back(step.param(b.type(x), "x" + std::to_string(sought.size())));
  const Id half = step.apply(Op::shr_, {length, one}), middle = step.apply(Op::add_, {low, half});
  const std::vector<Id> element = read(step, slot, types, middle);
  const Id is_left = after ? step.apply(Op::not_, {before(step, order, sought, element)}) : before(step, order, element, sought);
  const Id rest = step.apply(Op::sub_, {length, step.apply(Op::add_, {half, one})});
  const FnRef body = step.finish({step.apply(Op::gt_, {length, step.constant<int64_t>(0)}),
                                  step.apply(Op::where_, {is_left, step.apply(Op::add_, {middle, one}), low}),
                                  step.apply(Op::where_, {is_left, rest, half})});
  const Id from[] = {b.constant<int64_t>(0), n};
  return b.loop(from, needle, body)[0];
}

// True for each element of s (slot 0) that t (slot 1) has: the element of t at the first equal one's position plus the number of equal
// elements of s to the left is equal, too.
FnRef membership_fn(const ElementOrder& order, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), zero = b.constant<int64_t>(0);
  const std::vector<Id> x = read(b, 0, types, i);
  const Id previous = b.apply(Op::max_, {b.apply(Op::sub_, {i, b.constant<int64_t>(1)}), zero});
  const Id is_repeated = b.apply(Op::and_, {b.apply(Op::gt_, {i, zero}), same(b, order, read(b, 0, types, previous), x)});
  const Id searched = b.apply(Op::where_, {is_repeated, i, zero});  // no step unless the element to the left is equal
  const Id first = count_before(b, order, 2, types, searched, x, false);
  const Id rank = b.apply(Op::where_, {is_repeated, b.apply(Op::sub_, {i, first}), zero});
  const Id at = b.apply(Op::add_, {count_before(b, order, 1, types, b.length(1), x, false), rank});
  const Id is_inside = b.apply(Op::lt_, {at, b.length(1)});
  return b.finish({b.apply(Op::and_, {is_inside, b.apply(Op::not_, {before(b, order, x, read(b, 1, types, at))})})});
}

NodeRef membership(const ElementOrder& order, const NodeRef& s, const NodeRef& t) {
  const NodeRef both[] = {s, t};
  const auto& context = common_context(both);
  require_vector(*t, "t");
  if (s->types() != t->types())
    throw TypeError("t has columns " + list(t->types()) + " and s has " + list(s->types()) + "; expected equal types");
  if (!order.less) require_keys(order.keys, s->column_types());
  const int64_t n = known_length(*s);
  return pull(context, {Shape::vector(n), {}}, membership_fn(order, s->types()), {s, t, s}, 1);
}

}  // namespace

NodeRef search(const ElementOrder& order, const NodeRef& sorted, const NodeRef& needles, bool after) {
  const NodeRef both[] = {sorted, needles};
  const auto& context = common_context(both);
  require_vector(*sorted, "sorted");
  if (!order.less) require_keys(order.keys, sorted->column_types(), "sorted");
  const size_t n = compared(order, sorted->types());
  const std::vector<Type> keys(sorted->types().begin(), sorted->types().begin() + int64_t(n));
  const std::vector<Type>& given = needles->types();
  if (given.size() < n || !std::equal(keys.begin(), keys.end(), given.begin()) || (order.less && given.size() != n))
    throw TypeError("needles has columns " + list(given) + "; expected " + list(keys) + ", the columns of sorted that are compared");
  Builder b;
  const std::vector<Id> needle = read(b, 0, keys, b.param(Type::I64, "i"));
  const FnRef fn = b.finish({count_before(b, order, 1, keys, b.length(1), needle, after)});
  return pull(context, domain_of(needles), fn, {needles, sorted}, 1);
}

NodeRef intersection(const ElementOrder& order, const NodeRef& s, const NodeRef& t) { return filtered(s, membership(order, s, t)); }

NodeRef difference(const ElementOrder& order, const NodeRef& s, const NodeRef& t) {
  const NodeRef common = membership(order, s, t);
  return filtered(s, mapped(common, [](Builder& b, Id x) { return b.apply(Op::not_, {x}); }));
}

}  // namespace wf
