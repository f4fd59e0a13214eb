// The function of a view is index arithmetic on the row-major index i. With merged axes of extents e_0, ..., e_m and strides t_0, ..., t_m:
//
//     offset + (i div (e_1 ... e_m)) t_0 + ... + ((i div e_m) rem e_(m-1)) t_(m-1) + (i rem e_m) t_m
//
// so that a contiguous view reads at i + offset, a row that is repeated at i rem e_m, and a column that is repeated at i div e_m. Every index is
// inside, since the view was checked when it was made.
#include "lazy/arrays/view.h"

#include <algorithm>

#include "expr/range.h"

#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {

std::vector<int64_t> row_major(std::span<const int64_t> extents) {
  std::vector<int64_t> strides(extents.size());
  uint64_t stride = 1;  // of an array without elements it may wrap, and no element is read
  for (size_t k = extents.size(); k-- > 0; stride *= uint64_t(extents[k])) strides[k] = int64_t(stride);
  return strides;
}

Viewed viewed(const NodeRef& s) {
  if (const NodeState state = s->state(); state.definition && state.definition->view)
    return {state.definition->inputs[0], *state.definition->view};
  return {s, {0, row_major(s->shape().extents())}};
}

std::vector<Axis> merged_axes(std::span<const int64_t> extents, std::span<const int64_t> strides) {
  std::vector<Axis> axes;
  for (size_t k = 0; k < extents.size(); k++) {
    if (extents[k] == 1) continue;
    int64_t step;
    const bool merges = !axes.empty() && !__builtin_mul_overflow(strides[k], extents[k], &step) && axes.back().stride == step;
    if (merges) axes.back() = {axes.back().extent * extents[k], strides[k]};
    else axes.push_back({extents[k], strides[k]});
  }
  return axes;
}

void require_extents(std::span<const int64_t> extents, std::span<const Type> types) {
  if (extents.size() > Shape::most_axes)
    throw SizeError("the rank is " + std::to_string(extents.size()) + "; expected at most " + std::to_string(Shape::most_axes));
  for (size_t k = 0; k < extents.size(); k++)
    if (extents[k] < 0)
      throw SizeError(ordinal(k, extents.size(), "extent") + " is " + std::to_string(extents[k]) +
                      "; expected a number that is not negative");
  const int64_t length = length_of(extents);
  if (length < 0) throw SizeError("the extents are " + text_of(extents) + ": the product overflows 64 bits");
  require_length(length, types);
}

int axis_of(const Node& s, int32_t axis, const std::string& argument) {
  const int rank = s.rank();
  if (axis < -rank || axis >= rank)
    throw IndexError(argument + " is " + std::to_string(axis) + ", but s has " + describe_length(s) +
                     (rank == 0 ? " and no axes"
                                : "; expected 0 to " + std::to_string(rank - 1) + ", or " + std::to_string(-rank) + " to -1 from the end"));
  return axis < 0 ? axis + rank : axis;
}

namespace {

struct ReachedIndices {
  Wide lowest = 0, highest = 0;
};

ReachedIndices indices_of(std::span<const int64_t> extents, std::span<const int64_t> strides) {
  ReachedIndices all;
  for (size_t k = 0; k < extents.size(); k++) {
    const Wide reach = Wide(strides[k]) * (extents[k] - 1);
    (reach < 0 ? all.lowest : all.highest) += reach;
  }
  return all;
}

}  // namespace

Reach reach_of(std::span<const int64_t> extents, std::span<const int64_t> strides) {
  const auto [lowest, highest] = indices_of(extents, strides);
  constexpr int64_t most = INT64_MAX / 16;
  if (lowest < -most || highest > most)
    throw SizeError("the extents " + text_of(extents) + " with strides " + text_of(strides) + " overflow 64 bits");
  return {int64_t(lowest), int64_t(highest - lowest) + 1};
}

void require_within(const View& view, std::span<const int64_t> extents, const Node& s) {
  if (length_of(extents) == 0) return;
  auto [lowest, highest] = indices_of(extents, view.strides);
  lowest += view.offset, highest += view.offset;
  if (lowest >= 0 && highest < s.length()) return;
  const Wide index = lowest < 0 ? std::max<Wide>(lowest, INT64_MIN) : std::min<Wide>(highest, INT64_MAX);
  throw IndexError("the view with offset " + std::to_string(view.offset) + ", extents " + text_of(extents) + " and strides " +
                   text_of(view.strides) + " reads element " + std::to_string(int64_t(index)) + " of s, which has " + describe_length(s) +
                   "; expected a view within s");
}

Id view_index(Builder& b, Id i, const std::vector<Axis>& axes, int64_t offset) {
  if (axes.size() == 1 && axes[0].stride == -1) return b.apply(Op::sub_, {b.constant(offset), i});
  Id sum = b.constant<int64_t>(0);
  int64_t inner = 1;  // the product of the extents within
  for (size_t k = axes.size(); k-- > 0; inner *= axes[k].extent) {
    const auto [extent, stride] = axes[k];
    if (stride == 0) continue;
    Id coordinate = inner == 1 ? i : b.apply(Op::div_, {i, b.constant(inner)});
    if (k > 0) coordinate = b.apply(Op::rem_, {coordinate, b.constant(extent)});
    sum = b.apply(Op::add_, {b.apply(Op::mul_, {coordinate, b.constant(stride)}), sum});
  }
  return b.apply(Op::add_, {sum, b.constant(offset)});
}

namespace {

FnRef view_fn(const std::vector<Axis>& axes, int64_t offset, std::span<const Type> types) {
  static const char place = 0;
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(&place), uint64_t(offset), axes.size()};
  for (const Axis& axis : axes) key.insert(key.end(), {uint64_t(axis.extent), uint64_t(axis.stride)});
  for (Type type : types) key.push_back(uint64_t(type));
  return remembered(key, nullptr, [&] {
    Builder b;
    const Id i = b.param(Type::I64, "i");
    return b.finish(read(b, 0, types, view_index(b, i, axes, offset)));
  });
}

}  // namespace

NodeRef view_of(const NodeRef& base, View view, std::span<const int64_t> extents) {
  require_extents(extents, base->types());
  const Shape shape = Shape::of(extents);
  require_within(view, extents, *base);
  if (shape.length() == 0) view.offset = 0;
  const std::vector<Axis> axes = shape.length() == 0 ? std::vector<Axis>{} : merged_axes(extents, view.strides);
  if (is_contiguous(axes) && view.offset == 0 && base->shape() == shape) return base;
  if (is_contiguous(axes) && !base->is_tracked())
    if (auto whole = base->state().manifest) {
      Manifest part{whole->columns, shape.length(), whole->record};
      for (Column& column : part.columns) column.offset += view.offset;
      return Node::make(base->context(), Shape(shape), ColumnTypes(base->column_types()), {},
                        std::make_shared<const Manifest>(std::move(part)));
    }
  FnRef fn = view_fn(axes, view.offset, base->types());
  Definition definition{.kind = NodeKind::Pull, .fn = std::move(fn), .inputs = {base}, .identity = {}, .viewed = 1};
  definition.view = std::make_unique<const View>(std::move(view));
  return delayed(base->context(), {shape, {}}, base->column_types(), std::move(definition));
}

}  // namespace wf
