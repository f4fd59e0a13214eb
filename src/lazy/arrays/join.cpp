// append and join: arrays one after another along an axis. With the axes before it merged into one and those after it, too, an array is o rows
// of n * m elements, and the joined array o rows of (n_0 + n_1 + ...) * m. Along axis 0, and for vectors, there is one row.
//
// Few parts are a Pull that chooses among them, which fuses with its readers. More are the routine Join, whose cost does not depend on the
// number of parts that an element is not in, and for which nothing is compiled.
#include "lazy/arrays/join.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/inline.h"
#include "memory/buffer.h"

namespace wf {

Definition joining(Few<NodeRef> parts, int64_t rows) {
  Definition definition{NodeKind::Call, nullptr, std::move(parts), {to_bits(rows)}};
  definition.routine.kind = Routine::Join;
  return definition;
}

namespace {

struct Part {
  uint32_t slot;
  int64_t begin, width;  // its first element in each row of the result, and the number of its own there
};

struct Place {
  Id row, at;  // the row, 0 if there is only one, and the position in it
};

// The elements at a place of the rows of parts[0] ++ parts[1] ++ ...: a balanced tree of choices. A part that is not chosen is read at an
// invalid index; its value does not matter and its Checks do not apply.
std::vector<Id> choose_part(Builder& builder, std::span<const Part> parts, std::span<const Type> types, Place place) {
  if (parts.size() == 1) {
    const Id first = builder.apply(Op::mul_, {place.row, builder.constant(parts[0].width)});
    const Id at = builder.apply(Op::sub_, {place.at, builder.constant(parts[0].begin)});
    return read(builder, parts[0].slot, types, builder.apply(Op::add_, {at, first}));
  }
  size_t middle = parts.size() / 2;
  Id is_left = builder.apply(Op::lt_, {place.at, builder.constant(parts[middle].begin)});
  std::vector<Id> left = choose_part(builder, parts.first(middle), types, place);
  std::vector<Id> right = choose_part(builder, parts.subspan(middle), types, place);
  for (size_t column = 0; column < types.size(); column++) left[column] = builder.apply(Op::where_, {is_left, left[column], right[column]});
  return left;
}

void require_like_first(std::span<const NodeRef> sequences, size_t k, size_t axis) {
  const Node &s = *sequences[k], &first = *sequences[0];
  if (&s.types() == &first.types() && s.rank() == 1 && first.rank() == 1) return;
  const auto name = [&] { return ordinal(k, sequences.size(), "sequence"); };
  if (s.types() != first.types())
    throw TypeError(name() + " has columns " + list(s.types()) + " but the 1st has " + list(first.types()) + "; expected equal types");
  const Shape shape = s.shape(), others = first.shape();
  bool fits = shape.rank() == others.rank();
  for (size_t j = 0; fits && j < shape.extents().size(); j++) fits = j == axis || shape.extents()[j] == others.extents()[j];
  if (!fits)
    throw SizeError(name() + " has " + describe_length(s) + " but the 1st has " + describe_length(first) + "; expected equal extents" +
                    (others.rank() > 1 ? " along all axes but axis " + std::to_string(axis) : ""));
}

// The function of few arrays that are joined. one_row: there is one row.
FnRef function_choosing(std::span<const Part> parts, const std::vector<Type>& types, bool one_row) {
  static const char here = 0;
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(&here), one_row, types.size()};
  for (Type type : types) key.push_back(uint64_t(type));
  for (const Part& part : parts) key.push_back(uint64_t(part.width));
  return remembered(key, nullptr, [&] {
    Builder b;
    const Id i = b.param(Type::I64, "i"), width = b.constant(parts.back().begin + parts.back().width);
    const Place place = one_row ? Place{b.constant<int64_t>(0), i} : Place{b.apply(Op::div_, {i, width}), b.apply(Op::rem_, {i, width})};
    return b.finish(choose_part(b, parts, types, place));
  });
}

constexpr int most_runs = 16;  // of maps that one append joins; each may have several inputs, which are appends again

Definition choosing(Few<NodeRef> inputs, int64_t rows) {
  std::vector<Part> parts;
  for (int64_t begin = 0; const NodeRef& s : inputs) {
    parts.push_back({uint32_t(parts.size()), begin, s->length() / rows});
    begin += parts.back().width;
  }
  Definition definition{NodeKind::Pull, function_choosing(parts, inputs[0]->types(), rows == 1), std::move(inputs), {}};
  definition.viewed = uint32_t(parts.size());
  if (rows == 1) definition.routine.kind = Routine::Join;
  return definition;
}

// Returns true if the definition applies a function to elements of other sequences at its own index, and to nothing else.
bool is_map(const Definition& d) {
  if (d.kind != NodeKind::Pull || d.view || d.inputs.empty() || d.viewed != d.inputs.size()) return false;
  const Fn& fn = *d.fn;
  if (!fn.loops.empty() || !fn.foreigns.empty()) return false;
  const auto is_param = [&](Id id) { return fn[id].kind == Kind::Param; };
  const auto reads_at_index = [&](const Term& t) {
    return t.kind != Kind::Length && (t.kind == Kind::At ? is_param(fn.args(t)[0]) : std::ranges::none_of(fn.args(t), is_param));
  };
  return std::ranges::all_of(fn.terms, reads_at_index) && std::ranges::none_of(fn.results, is_param);
}

// Returns true if both apply one function, to sequences of the same types.
bool maps_alike(const Definition& a, const Definition& b) {
  if (b.kind != NodeKind::Pull || b.inputs.size() != a.inputs.size() || !(b.arguments == a.arguments)) return false;
  if (b.fn != a.fn && !same_structure(*b.fn, *a.fn, true)) return false;
  for (size_t j = 0; j < a.inputs.size(); j++)
    if (a.inputs[j]->types() != b.inputs[j]->types()) return false;
  return true;
}

Definition appending(Few<NodeRef> parts, const MayOpen& may_open, int& runs);

// f(p_1 ++ p_2 ++ ...) for the longest run f(p_1), f(p_2), ... at the beginning of the parts.
struct MapRun {
  size_t count = 0;
  int64_t length = 0;
  Definition map = {};
};
MapRun run_of_maps(std::span<const NodeRef> parts, const MayOpen& may_open, int& runs) {
  const DefinitionRef first = parts[0]->state().definition;
  if (!first || !is_map(*first)) return {};
  MapRun run;
  std::vector<std::vector<NodeRef>> inputs(first->inputs.size());
  for (const NodeRef& part : parts) {
    const DefinitionRef next = part->state().definition;
    if (!next || !maps_alike(*first, *next) || !may_open(*part)) break;
    const auto is_as_long = [&](const NodeRef& input) { return input->length() == part->length(); };
    if (!std::ranges::all_of(next->inputs, is_as_long)) break;
    for (size_t j = 0; j < inputs.size(); j++) inputs[j].push_back(next->inputs[j]);
    run.count++, run.length += part->length();
  }
  if (run.count < 2) return {};
  runs--;
  run.map = {NodeKind::Pull, first->fn, {}, {}};
  for (const std::vector<NodeRef>& all : inputs)
    run.map.inputs.push_back(
        delayed(all[0]->context(), {Shape::vector(run.length), {}}, all[0]->column_types(), appending(all, may_open, runs)));
  run.map.viewed = uint32_t(inputs.size());
  run.map.arguments = first->arguments;
  return run;
}

Definition appending(Few<NodeRef> parts, const MayOpen& may_open, int& runs) {
  if (parts.size() <= most_chosen) return choosing(std::move(parts), 1);
  size_t left = 0;
  for (size_t k = 0; k < parts.size(); left++) {
    const bool may_run = runs > 0 && !parts[k]->is_manifest();
    MapRun run = may_run ? run_of_maps(std::span(parts.begin() + k, parts.end()), may_open, runs) : MapRun();
    if (run.count == parts.size()) return std::move(run.map);
    if (run.count > 0)
      parts[left] = delayed(parts[k]->context(), {Shape::vector(run.length), {}}, parts[k]->column_types(), std::move(run.map));
    else if (left < k) parts[left] = std::move(parts[k]);
    k += std::max<size_t>(run.count, 1);
  }
  parts.resize(left);
  return joining(std::move(parts), 1);
}

DefinitionRef append_of(const Node& node) {
  DefinitionRef definition = node.is_manifest() ? DefinitionRef() : node.state().definition;
  return definition && is_append(*definition) ? std::move(definition) : DefinitionRef();
}

// A loop that appends to its result makes no function in each step: once there are many parts, the planner finds them.
Definition appending_all(Few<NodeRef> sequences) {
  if (sequences.size() > most_chosen) return appending(std::move(sequences), [](const Node& s) { return !s.is_variable(); });
  Few<NodeRef> parts;
  for (const NodeRef& s : sequences) {
    const DefinitionRef inner = append_of(*s);
    if (!inner) parts.push_back(s);
    else if (parts.size() + inner->inputs.size() > most_chosen || inner->kind == NodeKind::Call) return joining(std::move(sequences), 1);
    else
      for (const NodeRef& part : inner->inputs) parts.push_back(part);
  }
  return parts.size() > most_chosen ? joining(std::move(sequences), 1) : choosing(std::move(parts), 1);
}

// Arrays of known lengths. One loop reads all of them: there may be more than the caches have room for.
NodeRef joined(Few<NodeRef> sequences, size_t axis) {
  const NodeRef like = sequences[0];
  const Shape first = like->shape();
  std::vector<int64_t> extents(first.extents().begin(), first.extents().end());
  int64_t total = 0;
  for (size_t k = 0; k < sequences.size(); k++) {
    const Node& s = *sequences[k];
    require_like_first(sequences, k, axis);
    if (__builtin_add_overflow(total, s.rank() == 1 ? s.length() : s.shape().extents()[axis], &total))
      throw SizeError("the sum of the extents of the sequences overflows 64 bits");
  }
  extents[axis] = total;
  require_extents(extents, like->types());
  const int64_t length = length_of(extents);
  if (length == 0) return view_of(like, {0, row_major(extents)}, extents);
  sequences.erase_if([](const NodeRef& s) { return s->length() == 0; });
  if (sequences.size() == 1) return sequences[0];
  const int64_t rows = length / (total * length_of(std::span(extents).subspan(axis + 1)));
  Definition definition = rows == 1                        ? appending_all(std::move(sequences))
                          : sequences.size() > most_chosen ? joining(std::move(sequences), rows)
                                                           : choosing(std::move(sequences), rows);
  return delayed(like->context(), {Shape::of(extents), {}}, like->column_types(), std::move(definition));
}

}  // namespace

bool is_append(const Definition& d) {
  return d.routine.kind == Routine::Join && (d.kind == NodeKind::Pull || from_bits<int64_t>(d.identity[0]) == 1);
}

std::vector<NodeRef> appended(const DefinitionRef& definition, const MayOpen& may_open) {
  const auto opened = [&](const Node& node) {
    DefinitionRef inner = append_of(node);
    return inner && may_open(node) ? std::move(inner) : DefinitionRef();
  };
  if (std::ranges::none_of(definition->inputs, [&](const NodeRef& input) { return bool(opened(*input)); })) return {};
  struct Open {
    DefinitionRef definition;
    size_t next = 0;  // of its inputs
  };
  std::vector<Open> path{{definition}};
  std::unordered_set<const Node*> known;
  std::vector<NodeRef> parts;
  while (!path.empty()) {
    Open& last = path.back();
    if (last.next == last.definition->inputs.size()) {
      path.pop_back();
      continue;
    }
    const NodeRef& input = last.definition->inputs[last.next++];
    DefinitionRef inner = opened(*input);
    if (inner && (input->references() == 1 || known.insert(input.get()).second)) path.push_back({std::move(inner)});
    else parts.push_back(input);
  }
  return parts;
}

Definition appending(Few<NodeRef> parts, const MayOpen& may_open) {
  int runs = most_runs;
  return appending(std::move(parts), may_open, runs);
}

// The elements [start, start + length) of many parts one after another. Adds to the number of the parts seen.
static NodeRef cut_out(const DefinitionRef& definition, int64_t start, int64_t length, size_t& seen) {
  const std::vector<NodeRef> opened = appended(definition, [](const Node&) { return true; });
  const std::span all = opened.empty() ? std::span(definition->inputs.begin(), definition->inputs.end()) : std::span(opened);
  Few<NodeRef> within;
  int64_t begin = 0;
  for (const NodeRef& part : all) {
    const int64_t from = std::max(start - begin, int64_t(0)), to = std::min(start + length - begin, part->length());
    if (from < to) within.push_back(subseq(part, from, to - from));
    begin += part->length(), seen++;
    if (begin >= start + length) break;
  }
  return append(std::move(within));
}

Within narrowed(const NodeRef& whole, int64_t start, int64_t length) {
  constexpr size_t many = 64;
  Within found{whole, start};
  size_t seen = 0;  // parts
  while (found.s->rank() == 1 && !found.s->was_computed()) {
    const DefinitionRef definition = append_of(*found.s);
    if (!definition) break;
    const Few<NodeRef>& parts = definition->inputs;
    const bool from_end = found.start >= found.s->length() / 2;
    size_t k = from_end ? parts.size() - 1 : 0;
    int64_t begin = from_end ? found.s->length() - parts[k]->length() : 0;
    for (; begin > found.start; seen++) begin -= parts[--k]->length();
    for (; begin + parts[k]->length() <= found.start; seen++) begin += parts[k++]->length();
    if (found.start + length > begin + parts[k]->length()) {
      if (definition->kind == NodeKind::Call) found = {cut_out(definition, found.start, length, seen), 0};
      break;
    }
    found = {parts[k], found.start - begin}, seen++;
  }
  if (seen > many) whole->mark_computed();
  return found;
}

NodeRef append(Few<NodeRef> sequences) {
  common_context(sequences);
  const auto is_vector = [](const NodeRef& s) { return s->rank() == 1 && s->length() >= 0; };
  for (size_t k = 0; k < sequences.size(); k++)
    if (!is_vector(sequences[k])) known_length(*sequences[k], ordinal(k, sequences.size(), "sequence"));
  return joined(std::move(sequences), 0);
}

NodeRef without_last(const NodeRef& s, int64_t last) {
  const DefinitionRef definition = s->state().definition;
  if (!definition || definition->kind != NodeKind::Pull || definition->inputs.size() != 2 || s->types() != std::vector{Type::I64})
    return {};
  const NodeRef &front = definition->inputs[0], &end = definition->inputs[1];
  const int64_t n = front->length();
  if (n < 0 || end->length() != 1) return {};
  const auto known = end->state().manifest;
  if (!known || !known->columns[0].buffer->has_host_copy()) return {};
  int64_t found;
  std::memcpy(&found, known->columns[0].buffer->host() + known->columns[0].offset * int64_t(sizeof found), sizeof found);
  const Part parts[] = {{0, 0, n}, {1, n, 1}};
  return found == last && definition->fn == function_choosing(parts, s->types(), true) ? front : NodeRef();
}

NodeRef join(Few<NodeRef> sequences, int32_t axis) {
  common_context(sequences);
  const size_t along = size_t(axis_of(*sequences[0], axis, "axis"));
  return joined(std::move(sequences), along);
}

}  // namespace wf
