// sort and merge.
//
// Engines sort by keys much faster than by a function, and few columns faster than many. So a comparison f(x) < f(y) of integers becomes the
// key f(x), and a column that occurs twice, such as a key that is also a column of the elements, is sorted once.
#include <algorithm>
#include <numeric>
#include <utility>

#include "lazy/check.h"
#include "lazy/compare.h"
#include "lazy/compose.h"

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
  return moving(std::move(definition), domain_of(s));
}

NodeRef merged(const NodeRef& s, const NodeRef& t, FnRef less, Routine routine) {
  const NodeRef both[] = {s, t};
  common_context(both);
  if (s->types() != t->types())
    throw TypeError("t has columns " + list(t->types()) + " and s has " + list(s->types()) + "; expected equal types");
  int64_t total;
  if (__builtin_add_overflow(known_length(*s, "s"), known_length(*t, "t"), &total))
    throw SizeError("the lengths of the sequences together overflow 64 bits");
  require_length(total, s->types());
  Definition definition{NodeKind::Call, std::move(less), {s, t}, {}};
  definition.routine = routine;
  return moving(std::move(definition), {Shape::vector(total), {}});
}

// A column: that of a delayed node, or memory.
struct Origin {
  NodeRef node;
  uint32_t column = 0;
  std::shared_ptr<Buffer> buffer = nullptr;
  int64_t offset = 0;
  Type type{};
  bool operator==(const Origin&) const = default;
};

// The column from which column `column` of s is taken, element by element, through views. Variables and constants of gradients are others than
// what they are made from.
Origin origin_of(NodeRef s, uint32_t column) {
  for (;;) {
    const NodeRef current = s;
    const NodeState state = current->state();
    if (state.manifest) return {{}, 0, state.manifest->columns[column].buffer, state.manifest->columns[column].offset, s->types()[column]};
    if (state.definition->kind != NodeKind::Pull) return {s, column};
    const Definition& pull = *state.definition;
    const Term& element = (*pull.fn)[pull.fn->results[column]];
    const bool is_view =
        element.kind == Kind::At && element.slot < pull.viewed && (*pull.fn)[pull.fn->args(element)[0]].kind == Kind::Param;
    if (!is_view || s->is_variable() || s->is_tracked() != pull.inputs[element.slot]->is_tracked()) return {s, column};
    s = NodeRef(pull.inputs[element.slot]);
    column = element.column;
  }
}

// Returns true if the term depends on parameters [first, end) alone, and calls no opaque function.
bool depends_only_on(const Fn& f, Id term, uint32_t first, uint32_t end) {
  std::vector<char> seen(f.terms.size());
  std::vector<Id> open{term};
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (std::exchange(seen[id], 1)) continue;
    const Term& t = f[id];
    if (t.kind == Kind::Foreign || (t.kind == Kind::Param && (t.slot < first || t.slot >= end))) return false;
    open.insert(open.end(), f.args(t).begin(), f.args(t).end());
  }
  return true;
}

// The term as a function of the parameters [first, first + count).
FnRef part_of(const Fn& f, Id term, uint32_t first, uint32_t count) {
  Fn part = f;
  part.results = {term};
  Builder b;
  std::vector<Id> args;
  for (uint32_t k = 0; k < count; k++) args.push_back(b.param(f.params[k].type, f.params[k].name));
  std::vector<Id> all;
  for (uint32_t k = 0; k < f.params.size(); k++)
    all.push_back(k >= first && k < first + count ? args[k - first] : b.literal(f.params[k].type, 0));
  return b.finish(b.inline_call(part, all));
}

// A key f(x) and the direction in which less(x, y) orders it, or null.
struct KeyOfLess {
  FnRef fn;
  bool descending;
};
KeyOfLess key_of(const Fn& less) {
  const auto columns = uint32_t(less.params.size() / 2);
  const Term& compares = less[less.results[0]];
  if (compares.kind != Kind::Apply || (compares.op != Op::lt_ && compares.op != Op::gt_)) return {};
  const Id left = less.args(compares)[0], right = less.args(compares)[1];
  // Keys order -0 before 0, and NaN after numbers; comparisons do not.
  if (is_in(less[left].type, Float)) return {};
  if (!depends_only_on(less, left, 0, columns) || !depends_only_on(less, right, columns, 2 * columns)) return {};
  FnRef key = part_of(less, left, 0, columns);
  if (!same_structure(*key, *part_of(less, right, columns, columns), true)) return {};
  return {std::move(key), compares.op == Op::gt_};
}

// A function (left, right) of elements with `more` as their last column, which it does not look at.
FnRef with_last_column(const FnRef& less, Type more) {
  if (!less) return {};
  Builder b;
  std::vector<Id> args;
  for (int side = 0; side < 2; side++) {
    for (size_t k = 0; k < less->params.size() / 2; k++)
      args.push_back(b.param(less->params[size_t(side) * less->params.size() / 2 + k].type));
    b.param(more);
  }
  return b.finish(b.inline_call(*less, args));
}

// The elements of s with their positions, from `begin` on, as their last column.
NodeRef with_positions(const NodeRef& s, int64_t begin) {
  Builder b;
  const Id i = b.param(Type::I64, "i");
  std::vector<Id> results = read(b, 0, s->types(), i);
  results.push_back(b.apply(Op::add_, {i, b.constant(begin)}));
  return pull(s->context(), domain_of(s), b.finish(results), {s}, 1);
}

}  // namespace

NodeRef moving_positions(const Definition& call, Domain domain) {
  Few<NodeRef> inputs;
  for (int64_t begin = 0; const NodeRef& s : call.inputs) {
    inputs.push_back(with_positions(s, begin));
    begin += s->length();
  }
  ColumnTypes types = inputs[0]->column_types();
  return delayed(call.inputs[0]->context(), std::move(domain), std::move(types),
                 call.with(with_last_column(call.fn, Type::I64), std::move(inputs)));
}

NodeRef moving(Definition call, Domain domain) {
  const auto has_gradient = [](const NodeRef& s) {
    return s->is_tracked() && s->length() >= 0 && std::ranges::any_of(s->types(), [](Type type) { return is_in(type, Float); });
  };
  if (std::ranges::none_of(call.inputs, has_gradient) || domain.filter) {
    const NodeRef& s = call.inputs[0];
    ColumnTypes types = s->column_types();
    return delayed(s->context(), std::move(domain), std::move(types), std::move(call));
  }
  std::vector<int32_t> elements(call.inputs[0]->types().size());
  std::iota(elements.begin(), elements.end(), 0);
  return columns(moving_positions(call, std::move(domain)), elements);
}

NodeRef sort(const NodeRef& s, int32_t keys, bool descending) {
  checked_keys(keys, s->column_types());
  std::vector<Origin> origins;
  std::vector<int32_t> kept, places;
  for (uint32_t c = 0; c < s->types().size(); c++) {
    const Origin origin = origin_of(s, c);
    const auto place = std::ranges::find(origins, origin) - origins.begin();
    places.push_back(int32_t(place));
    if (size_t(place) < origins.size()) continue;
    origins.push_back(origin);
    kept.push_back(int32_t(c));
  }
  const Routine routine{Routine::Sort, descending, uint16_t(std::ranges::lower_bound(kept, keys) - kept.begin())};
  if (kept.size() == places.size()) return sorted(s, nullptr, routine);
  return columns(sorted(columns(s, kept), nullptr, routine), places);
}

NodeRef sort(const Closure& less, const NodeRef& s) {
  require_less(less, s->types());
  const FnRef fn = with_values(less.fn, less.arguments);
  const KeyOfLess key = key_of(*fn);
  if (!key.fn) return sorted(s, fn, {Routine::Sort});
  const NodeRef both[] = {map(closed(key.fn), {&s, 1}), s};
  std::vector<int32_t> elements(s->types().size());
  std::iota(elements.begin(), elements.end(), 1);
  return columns(sort(zip(both), 1, key.descending), elements);
}

NodeRef merge(const NodeRef& s, const NodeRef& t, int32_t keys, bool descending) {
  return merged(s, t, nullptr, {Routine::Merge, descending, checked_keys(keys, s->column_types())});
}

NodeRef merge(const Closure& less, const NodeRef& s, const NodeRef& t) {
  require_less(less, s->types());
  return merged(s, t, with_values(less.fn, less.arguments), {Routine::Merge});
}

}  // namespace wf
