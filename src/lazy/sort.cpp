// sort and merge.
#include "lazy/check.h"
#include "lazy/compare.h"

namespace wf {
namespace {

uint16_t checked_keys(int32_t keys, const ColumnTypes& types) {
  require_keys(keys, types);
  return uint16_t(keys);
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
  return sorted(s, nullptr, {Routine::Sort, descending, checked_keys(keys, s->column_types())});
}

NodeRef sort(const Closure& less, const NodeRef& s) {
  require_less(less, s->types());
  return sorted(s, with_values(less.fn, less.arguments), {Routine::Sort});
}

NodeRef merge(const NodeRef& s, const NodeRef& t, int32_t keys, bool descending) {
  return merged(s, t, nullptr, {Routine::Merge, descending, checked_keys(keys, s->column_types())});
}

NodeRef merge(const Closure& less, const NodeRef& s, const NodeRef& t) {
  require_less(less, s->types());
  return merged(s, t, with_values(less.fn, less.arguments), {Routine::Merge});
}

}  // namespace wf
