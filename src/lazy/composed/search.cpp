// Binary searches inside maps, and the sets that follow from them.
//
// In sets the needles are in order, too. So every 64th one is searched first, and the positions found bound the searches of those between:
// few steps, over elements that are near each other.
#include "lazy/compose.h"
#include "lazy/composed/groups.h"
#include "lazy/inline.h"

namespace wf {
namespace {

constexpr int64_t bits_of_stretch = 6;

// The number of elements of slot 1 that come before `needle`, or with `after`, that do not come after it. It is known to be in [first, last].
// Halves this range in each step.
Id count_before(Builder& b, const ElementOrder& order, std::span<const Type> types, Id first, Id last, std::span<const Id> needle,
                bool after) {
  Builder step;
  const Id low = step.param(Type::I64, "low"), length = step.param(Type::I64, "length"), one = step.constant<int64_t>(1);
  std::vector<Id> sought;
  for (Id x : needle) sought.push_back(step.param(b.type(x), "x" + std::to_string(sought.size())));
  const Id half = step.apply(Op::shr_, {length, one}), middle = step.apply(Op::add_, {low, half});
  const std::vector<Id> element = read(step, 1, types, middle);
  const Id is_left = after ? step.apply(Op::not_, {before(step, order, sought, element)}) : before(step, order, element, sought);
  const Id rest = step.apply(Op::sub_, {length, step.apply(Op::add_, {half, one})});
  const FnRef body = step.finish({step.apply(Op::gt_, {length, step.constant<int64_t>(0)}),
                                  step.apply(Op::where_, {is_left, step.apply(Op::add_, {middle, one}), low}),
                                  step.apply(Op::where_, {is_left, rest, half})});
  const Id from[] = {first, b.apply(Op::sub_, {last, first})};
  return b.loop(from, needle, body)[0];
}

// The position in t (slot 1) of element 64 k of s (slot 0); the length of t for a k after the last one.
FnRef stretch_fn(const ElementOrder& order, const std::vector<Type>& types) {
  Builder b;
  const Id at = b.apply(Op::shl_, {b.param(Type::I64, "k"), b.constant(bits_of_stretch)}), n = b.length(1);
  const Id first = b.apply(Op::where_, {b.apply(Op::lt_, {at, b.length(0)}), b.constant<int64_t>(0), n});
  return b.finish({count_before(b, order, types, first, n, read(b, 0, types, at), false)});
}

// i if s[i] differs from s[i - 1], else 0: the largest so far is the first position of the elements that are equal to s[i].
FnRef first_position_fn(const ElementOrder& order, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), zero = b.constant<int64_t>(0), one = b.constant<int64_t>(1);
  const Id is_repeated = same(b, order, read(b, 0, types, b.apply(Op::sub_, {i, one})), read(b, 0, types, i));
  return b.finish({b.apply(Op::where_, {b.apply(Op::lt_, {i, one}), zero, b.apply(Op::where_, {is_repeated, zero, i})})});
}

// True for each element of s (slot 0) that t (slot 1) has: the element of t at the position of the first equal one (between those of slot 2)
// plus the number of equal elements of s to the left (after the one at slot 3) is equal, too.
FnRef membership_fn(const ElementOrder& order, const std::vector<Type>& types) {
  Builder b;
  const Id i = b.param(Type::I64, "i"), stretch = b.apply(Op::shr_, {i, b.constant(bits_of_stretch)});
  const Id first = b.at(2, 0, Type::I64, stretch), last = b.at(2, 0, Type::I64, b.apply(Op::add_, {stretch, b.constant<int64_t>(1)}));
  const std::vector<Id> x = read(b, 0, types, i);
  const Id rank = b.apply(Op::sub_, {i, b.at(3, 0, Type::I64, i)});
  const Id at = b.apply(Op::add_, {count_before(b, order, types, first, last, x, false), rank});
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
  require_length(n, std::vector{Type::I64});
  const std::vector<Type>& types = s->types();
  const int64_t stretches = (n >> bits_of_stretch) + 2;
  const NodeRef found = pull(context, {Shape::vector(stretches), {}}, stretch_fn(order, types), {s, t}, 0);
  const NodeRef firsts = pull(context, {Shape::vector(n), {}}, first_position_fn(order, types), {s}, 1);
  const NodeRef first = scan(closed(op_fn(Op::max_, Type::I64)), {*identity_bits(Op::max_, Type::I64)}, firsts, true).prefixes;
  return pull(context, {Shape::vector(n), {}}, membership_fn(order, types), {s, t, found, first}, 1);
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
  const FnRef fn = b.finish({count_before(b, order, keys, b.constant<int64_t>(0), b.length(1), needle, after)});
  return pull(context, domain_of(needles), fn, {needles, sorted}, 1);
}

NodeRef intersection(const ElementOrder& order, const NodeRef& s, const NodeRef& t) { return filtered(s, membership(order, s, t)); }

NodeRef difference(const ElementOrder& order, const NodeRef& s, const NodeRef& t) {
  const NodeRef common = membership(order, s, t);
  return filtered(s, mapped(common, [](Builder& b, Id x) { return b.apply(Op::not_, {x}); }));
}

}  // namespace wf
