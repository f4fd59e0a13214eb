// sort and merge.
#include "lazy/check.h"

namespace wf {
namespace {

uint16_t require_keys(int32_t keys, const ColumnTypes& types) {
  if (keys < 1 || size_t(keys) > types.size())
    throw ArgumentError("keys is " + std::to_string(keys) + "; expected 1 to " + std::to_string(types.size()) +
                        ", the number of columns of s");
  return uint16_t(keys);
}

// less: left columns and right columns to one bool.
void require_less(const Closure& less, const std::vector<Type>& types) {
  std::vector<Type> both(types);
  both.insert(both.end(), types.begin(), types.end());
  const Fn& fn = *less.fn;
  const bool fits = std::ranges::equal(fn.params, both, {}, &Param::type) && fn.result_types() == std::vector{Type::Bool};
  if (!fits) throw TypeError("less is " + signature(fn) + "; expected " + list(both) + " -> (bool): true if the left element comes first");
  if (!less.captures.empty())
    throw ArgumentError("less captures " + count(less.captures.size(), "sequence") + "; expected a function of the two elements alone");
}

NodeRef sorted(const NodeRef& s, FnRef less, Routine routine) {
  require_vector(*s);
  Definition definition{NodeKind::Call, std::move(less), {s}, {}};
  definition.routine = routine;
  return delayed(s->context(), domain_of(s), s->column_types(), std::move(definition));
}

NodeRef merged(const NodeRef& s, const NodeRef& t, FnRef less, Routine routine) {
  const NodeRef both[] = {s, t};
  const auto& context = common_context(both);
  if (s->types() != t->types())
    throw TypeError("t has columns " + list(t->types()) + " and s has " + list(s->types()) + "; expected equal types");
  int64_t total;
  if (__builtin_add_overflow(known_length(*s, "s"), known_length(*t, "t"), &total))
    throw SizeError("the lengths of the sequences together overflow 64 bits");
  require_length(total, s->types());
  Definition definition{NodeKind::Call, std::move(less), {s, t}, {}};
  definition.routine = routine;
  return delayed(context, {Shape::vector(total), {}}, s->column_types(), std::move(definition));
}

}  // namespace

NodeRef sort(const NodeRef& s, int32_t keys, bool descending) {
  return sorted(s, nullptr, {Routine::Sort, descending, require_keys(keys, s->column_types())});
}

NodeRef sort(const Closure& less, const NodeRef& s) {
  require_less(less, s->types());
  return sorted(s, with_values(less.fn, less.arguments), {Routine::Sort});
}

NodeRef merge(const NodeRef& s, const NodeRef& t, int32_t keys, bool descending) {
  return merged(s, t, nullptr, {Routine::Merge, descending, require_keys(keys, s->column_types())});
}

NodeRef merge(const Closure& less, const NodeRef& s, const NodeRef& t) {
  require_less(less, s->types());
  return merged(s, t, with_values(less.fn, less.arguments), {Routine::Merge});
}

}  // namespace wf
