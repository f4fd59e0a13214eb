#include "lazy/compare.h"

#include <algorithm>

#include "lazy/check.h"

namespace wf {
namespace {

Id both_hold(Builder& b, Id x, Id y) { return b.apply(Op::and_, {x, y}); }
Id either_holds(Builder& b, Id x, Id y) { return b.apply(Op::or_, {x, y}); }

// 1 or -1 with the sign of a float.
Id sign_of(Builder& b, Id x) { return b.apply(Op::copysign_, {b.cast(b.type(x), b.constant(1.0f)), x}); }

// Of two keys of one type.
Id key_before(Builder& b, Id x, Id y) {
  const Id less = b.apply(Op::lt_, {x, y});
  if (!is_in(b.type(x), Float)) return less;
  const Id zeros = both_hold(b, b.apply(Op::eq_, {x, y}), b.apply(Op::lt_, {sign_of(b, x), sign_of(b, y)}));
  const Id number_first = both_hold(b, b.apply(Op::isnan_, {y}), b.apply(Op::not_, {b.apply(Op::isnan_, {x})}));
  return either_holds(b, less, either_holds(b, zeros, number_first));
}

Id key_same(Builder& b, Id x, Id y) {
  const Id equal = b.apply(Op::eq_, {x, y});
  if (!is_in(b.type(x), Float)) return equal;
  return either_holds(b, both_hold(b, equal, b.apply(Op::eq_, {sign_of(b, x), sign_of(b, y)})),
                      both_hold(b, b.apply(Op::isnan_, {x}), b.apply(Op::isnan_, {y})));
}

Id less_terms(Builder& b, const Fn& less, std::span<const Id> left, std::span<const Id> right) {
  std::vector<Id> args(left.begin(), left.end());
  args.insert(args.end(), right.begin(), right.end());
  return b.inline_call(less, args)[0];
}

}  // namespace

void require_keys(int32_t keys, const ColumnTypes& types, const char* argument) {
  if (keys < 1 || size_t(keys) > types.size())
    throw ArgumentError("keys is " + std::to_string(keys) + "; expected 1 to " + std::to_string(types.size()) +
                        ", the number of columns of " + argument);
}

void require_less(const Closure& less, const std::vector<Type>& types) {
  std::vector<Type> both(types);
  both.insert(both.end(), types.begin(), types.end());
  const Fn& fn = *less.fn;
  const bool fits = std::ranges::equal(fn.params, both, {}, &Param::type) && fn.result_types() == std::vector{Type::Bool};
  if (!fits) throw TypeError("less is " + signature(fn) + "; expected " + list(both) + " -> (bool): true if the left element comes first");
  if (!less.captures.empty())
    throw ArgumentError("less captures " + count(less.captures.size(), "sequence") + "; expected a function of the two elements alone");
}

ElementOrder order_of(const Closure& less, const std::vector<Type>& types) {
  require_less(less, types);
  return {.less = with_values(less.fn, less.arguments)};
}

size_t compared(const ElementOrder& order, const std::vector<Type>& types) { return order.less ? types.size() : size_t(order.keys); }

Id before(Builder& b, const ElementOrder& order, std::span<const Id> left, std::span<const Id> right) {
  if (order.less) return less_terms(b, *order.less, left, right);
  if (order.descending) std::swap(left, right);
  const size_t last = size_t(order.keys) - 1;
  Id result = key_before(b, left[last], right[last]);
  for (size_t k = last; k-- > 0;)
    result = either_holds(b, key_before(b, left[k], right[k]), both_hold(b, key_same(b, left[k], right[k]), result));
  return result;
}

Id same(Builder& b, const ElementOrder& order, std::span<const Id> left, std::span<const Id> right) {
  if (order.less) {
    const Id first = less_terms(b, *order.less, left, right), second = less_terms(b, *order.less, right, left);
    return b.apply(Op::not_, {either_holds(b, first, second)});
  }
  Id result = key_same(b, left[0], right[0]);
  for (size_t k = 1; k < size_t(order.keys); k++) result = both_hold(b, result, key_same(b, left[k], right[k]));
  return result;
}

}  // namespace wf
