// append and join: arrays one after another along an axis. With the axes before it merged into one and those after it, too, an array is o rows
// of n * m elements, and the joined array o rows of (n_0 + n_1 + ...) * m. Along axis 0, and for vectors, there is one row.
#include <cstring>

#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/inline.h"
#include "memory/buffer.h"

namespace wf {

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

std::string name_of(size_t k) { return "sequences[" + std::to_string(k) + "]"; }

void require_like_first(std::span<const NodeRef> sequences, size_t k, size_t axis) {
  const Node &s = *sequences[k], &first = *sequences[0];
  if (s.types() != first.types())
    throw TypeError(name_of(k) + " has columns " + list(s.types()) + " but sequences[0] has " + list(first.types()) +
                    "; expected equal types");
  const Shape shape = s.shape(), others = first.shape();
  bool fits = shape.rank() == others.rank();
  for (size_t j = 0; fits && j < shape.extents().size(); j++) fits = j == axis || shape.extents()[j] == others.extents()[j];
  if (!fits)
    throw SizeError(name_of(k) + " has " + describe_length(s) + " but sequences[0] has " + describe_length(first) +
                    "; expected equal extents" + (others.rank() > 1 ? " along all axes but axis " + std::to_string(axis) : ""));
}

// The function of arrays that are joined. one_row: there is one row.
FnRef joining(std::span<const Part> parts, const std::vector<Type>& types, bool one_row) {
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

// Arrays of equal types and known lengths, with equal extents but for this axis.
NodeRef joined(std::span<const NodeRef> sequences, size_t axis) {
  const std::vector<Type>& types = sequences[0]->types();
  const Shape first = sequences[0]->shape();
  std::vector<int64_t> extents(first.extents().begin(), first.extents().end()), along;
  int64_t total = 0;
  for (const NodeRef& s : sequences) {
    along.push_back(s->shape().extents()[axis]);
    if (__builtin_add_overflow(total, along.back(), &total)) throw SizeError("the sum of the extents of the sequences overflows 64 bits");
  }
  extents[axis] = total;
  require_extents(extents, types);
  const int64_t inner = length_of(std::span(extents).subspan(axis + 1)), length = length_of(extents);
  if (length == 0) return view_of(sequences[0], {0, row_major(extents)}, extents);
  std::vector<NodeRef> inputs;  // the sequences that are not empty
  std::vector<Part> parts;
  for (size_t k = 0, begin = 0; k < sequences.size(); begin += size_t(along[k++] * inner)) {
    if (along[k] == 0) continue;
    parts.push_back({uint32_t(inputs.size()), int64_t(begin), along[k] * inner});
    inputs.push_back(sequences[k]);
  }
  if (inputs.size() == 1) return inputs[0];
  const bool is_one_row = length == total * inner;
  FnRef fn = joining(parts, types, is_one_row);
  const uint32_t viewed = uint32_t(inputs.size());
  return pull(sequences[0]->context(), {Shape::of(extents), {}}, std::move(fn), std::move(inputs), viewed);
}

}  // namespace

NodeRef append(std::span<const NodeRef> sequences) {
  common_context(sequences);
  for (size_t k = 0; k < sequences.size(); k++) {
    require_like_first(sequences, k, 0);
    known_length(*sequences[k], name_of(k));
  }
  return joined(sequences, 0);
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
  return found == last && definition->fn == joining(parts, s->types(), true) ? front : NodeRef();
}

NodeRef join(std::span<const NodeRef> sequences, int32_t axis) {
  common_context(sequences);
  const size_t along = size_t(axis_of(*sequences[0], axis, "axis"));
  for (size_t k = 0; k < sequences.size(); k++) require_like_first(sequences, k, along);
  return joined(sequences, along);
}

}  // namespace wf
