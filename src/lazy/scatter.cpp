// scatter and histogram.
//
// The routine replaces elements, and combines integers, in any order, and floats into few elements, in an order that depends on positions alone.
// Engines that scatter in order (engine/engine.h) also combine floats into many. For others, the values are sorted by index, and each element folds its
// own in order.
// Indices in memory are checked by the routine, and others by the map that computes them. Either reports the first one outside.
#include <algorithm>
#include <array>

#include "lazy/compose.h"

namespace wf {
namespace {

constexpr int64_t few_elements = 128;  // into which the routine combines floats: its tables fit into a GPU's shared memory

void require_operations(const Closure& f, const std::vector<Type>& types) {
  std::vector<Type> both(types);
  both.insert(both.end(), types.begin(), types.end());
  const Fn& fn = *f.fn;
  if (!std::ranges::equal(fn.params, both, {}, &Param::type) || fn.result_types() != types)
    throw TypeError("f is " + signature(fn) + "; expected " + list(both) + " -> " + list(types) + ", which combines two elements of base");
  for (size_t c = 0; c < types.size(); c++)
    if (!column_op(fn, c))
      throw ArgumentError("f combines column " + std::to_string(c) +
                          " by a function; expected one of add, mul, min, max, and, or and xor for each column");
}

// The type in which indices below `length` are stored and sorted: the narrowest of theirs, u8 and u32 that has them.
Type stored_type(Type type, int64_t length) {
  if (type == Type::U8 || length <= 256) return Type::U8;
  return size_of(type) > 4 && length <= (int64_t(1) << 32) ? Type::U32 : type;
}

void require_indices(const NodeRef& indices, const std::string& argument) {
  require_vector(*indices, argument);
  const std::vector<Type>& types = indices->types();
  if (types.size() != 1 || !is_in(types[0], Int))
    throw TypeError(argument + " has columns " + list(types) + "; expected one column of integers");
}

bool always_in_range(Type type, int64_t length) { return type == Type::U8 && length >= 256; }

// The indices, each checked, in their stored type.
NodeRef checked(const NodeRef& indices, int64_t length) {
  const Type type = indices->types()[0];
  if (always_in_range(type, length)) return indices;
  return mapped(indices, std::array{uint64_t(length)}, [&](Builder& b, Id index) {
    return b.cast(stored_type(type, length), b.check(b.cast(Type::I64, index), b.constant(length), b.constant(true)));
  });
}

// The routine on base, any indices, and values unless they are counted. Without f, values replace elements.
Definition call(const NodeRef& base, FnRef f, const NodeRef& indices, const NodeRef* values) {
  const int64_t n = base->length();
  const bool in_memory = indices->is_in_memory();
  Few<NodeRef> inputs{base, in_memory ? indices : checked(indices, n)};
  if (values) inputs.push_back(*values);
  Definition definition{NodeKind::Call, std::move(f), std::move(inputs), {}};
  definition.routine.kind = Routine::Scatter;
  definition.routine.replaces = values && !definition.fn;
  definition.routine.checks = in_memory && !always_in_range(indices->types()[0], n);
  return definition;
}

// A node of base's columns and shape.
NodeRef like_base(const NodeRef& base, Definition definition) {
  return delayed(base->context(), domain_of(base), base->column_types(), std::move(definition));
}

// f of base[k] and the fold of sorted[starts[k]], ..., sorted[starts[k] + counts[k] - 1].
Definition folded(const NodeRef& base, const FnRef& f, const NodeRef& counts, const NodeRef& starts, const NodeRef& sorted) {
  const std::vector<Type>& types = base->types();
  Builder value;
  const Id index = value.apply(Op::add_, {value.param(Type::I64, "j"), value.param(Type::I64, "start")});
  std::vector<Id> columns;
  for (uint32_t c = 0; c < types.size(); c++) columns.push_back(value.at(2, c + 1, types[c], index));
  const FnRef body = value.finish(columns);

  Builder b;
  const Id k = b.param(Type::I64, "k"), count = b.at(0, 0, Type::I64, k), start = b.at(1, 0, Type::I64, k);
  std::vector<Id> identity, operands;
  for (uint32_t c = 0; c < types.size(); c++) {
    identity.push_back(b.literal(types[c], *identity_bits(*column_op(*f, c), types[c])));
    operands.push_back(b.at(3, c, types[c], k));
  }
  for (Id x : b.fold(count, identity, {&start, 1}, body, f)) operands.push_back(x);
  std::vector<Id> results = b.inline_call(*f, operands);
  const Id is_written = b.apply(Op::gt_, {count, b.constant<int64_t>(0)});
  for (uint32_t c = 0; c < types.size(); c++) results[c] = b.apply(Op::where_, {is_written, results[c], operands[c]});
  return {NodeKind::Pull, b.finish(results), {counts, starts, sorted, base}, {}};
}

NodeRef sorted_and_folded(const NodeRef& base, const FnRef& f, const NodeRef& indices, const NodeRef& values) {
  const NodeRef both[] = {indices, values}, sorted = sort(zip(both), 1, false);
  const int32_t first = 0;
  const NodeRef counts = histogram(columns(sorted, {&first, 1}), known_length(*base, "base"));  // neighbours count at neighbouring places
  const Closure add{op_fn(Op::add_, Type::I64), {}, {}};
  const NodeRef starts = scan(add, {0}, counts, false).prefixes;
  const NodeRef sums = like_base(base, folded(base, f, counts, starts, sorted));
  if (sums->is_tracked()) sums->set_history(call(base, f, indices, &values));
  return sums;
}

}  // namespace

NodeRef scatter(const Closure* f, const NodeRef& base, const NodeRef& indices, const NodeRef& values) {
  const NodeRef all[] = {base, indices, values};
  common_context(all, f);
  require_vector(*values, "values");
  const int64_t n = known_length(*base, "base");
  if (values->types() != base->types())
    throw TypeError("values has columns " + list(values->types()) + " and base has " + list(base->types()) + "; expected equal types");
  const NodeRef both[] = {indices, values};
  common_domain(both, std::array{"indices", "values"});
  require_indices(indices, "indices");
  if (!f) return like_base(base, call(base, nullptr, indices, &values));
  if (!f->captures.empty())
    throw ArgumentError("f captures " + count(f->captures.size(), "sequence") + "; expected a function of the two elements alone");
  require_operations(*f, base->types());
  const FnRef combine = with_values(f->fn, f->arguments);
  const bool has_floats = std::ranges::any_of(base->types(), [](Type type) { return is_in(type, Float); });
  if (has_floats && n > few_elements && !base->context()->scatters_in_order())
    return sorted_and_folded(base, combine, checked(indices, n), values);
  return like_base(base, call(base, combine, indices, &values));
}

NodeRef histogram(const NodeRef& s, int64_t bins) {
  if (bins < 0) throw SizeError("bins is " + std::to_string(bins) + "; expected 0 or more");
  require_length(bins, std::vector{Type::I64});
  require_indices(s, "s");
  const NodeRef zeros = constants(s, bins, Type::I64, 0);
  return like_base(zeros, call(zeros, nullptr, s, nullptr));
}

}  // namespace wf
