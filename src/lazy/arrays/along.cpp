// Functions along axes, composed of primitives:
//   reduce   a tabulate of folds. Element i of the result folds the elements of s at from(i) + step(j), where from is the view of s along the
//            axes that stay, and step the view along those that are reduced
//   scan     a scan along the axis if the engine scans each vector on its own; otherwise one scan of all vectors, one after another, that starts
//            again at each, where the axis becomes the last one first
//   sort     a routine that sorts rows each on its own, if the engine has it; otherwise one sort of the pairs (number of the vector, element)
#include "lazy/arrays/along.h"

#include <algorithm>
#include <array>

#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/composed/restart.h"
#include "lazy/fold.h"
#include "lazy/inline.h"

namespace wf {
namespace {

struct AxisGroup {
  std::vector<int64_t> extents, strides;
  void add(int64_t extent, int64_t stride) { extents.push_back(extent), strides.push_back(stride); }
  std::vector<Axis> merged() const { return merged_axes(extents, strides); }
};

std::vector<uint64_t> axes_key(const char* place, std::initializer_list<std::vector<Axis>> lists, std::span<const Type> types) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(place)};
  for (const std::vector<Axis>& axes : lists) {
    key.push_back(axes.size());
    for (const Axis& axis : axes) key.insert(key.end(), {uint64_t(axis.extent), uint64_t(axis.stride)});
  }
  for (Type type : types) key.push_back(uint64_t(type));
  return key;
}

FnRef axis_folds(const FnRef& combine, const std::vector<Bits64>& identity, std::span<const Type> types, const std::vector<Axis>& stay,
                 int64_t offset, const std::vector<Axis>& reduced, int64_t count) {
  Builder value;
  const Id j = value.param(Type::I64, "j"), from = value.param(Type::I64, "from");
  const Id at = value.apply(Op::add_, {from, view_index(value, j, reduced, 0)});
  const FnRef body = value.finish(read(value, 0, types, at));
  Builder b;
  const Id first = view_index(b, b.param(Type::I64, "i"), stay, offset);
  std::vector<Id> identities;
  for (size_t c = 0; c < types.size(); c++) identities.push_back(b.literal(types[c], identity[c]));
  return b.finish(b.fold(b.constant(count), identities, {&first, 1}, body, combine));
}

// The array with this axis as the last one, and back.
NodeRef with_last(const NodeRef& s, int axis) {
  std::vector<int32_t> axes;
  for (int k = 0; k < s->rank(); k++)
    if (k != axis) axes.push_back(k);
  axes.push_back(axis);
  return permute(s, axes);
}
NodeRef with_last_at(const NodeRef& s, int axis) {
  std::vector<int32_t> axes;
  for (int k = 0; k + 1 < s->rank(); k++) axes.push_back(k);
  axes.insert(axes.begin() + axis, s->rank() - 1);
  return permute(s, axes);
}

NodeRef flattened(const NodeRef& s) {
  const int64_t n = s->length();
  return reshape(s, {&n, 1});
}

// The columns of the vectors of n elements that s consists of, after a first column that tells about each element's vector.
template <class First> NodeRef with_first(const char* place, const NodeRef& s, int64_t n, int64_t extra, const First& first) {
  const std::vector<Type>& types = s->types();
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(place), uint64_t(n), uint64_t(extra)};
  for (Type type : types) key.push_back(uint64_t(type));
  const FnRef fn = remembered(key, nullptr, [&] {
    Builder b;
    const Id i = b.param(Type::I64, "i");
    std::vector<Id> results{first(b, i)};
    for (Id x : read(b, 0, types, i)) results.push_back(x);
    return b.finish(results);
  });
  return pull(s->context(), domain_of(s), fn, {s}, 1);
}

NodeRef without_first(const NodeRef& s) {
  std::vector<int32_t> which;
  for (size_t c = 1; c < s->types().size(); c++) which.push_back(int32_t(c));
  return columns(s, which);
}

NodeRef scan_along(const FnRef& combine, const std::vector<Bits64>& identity, const NodeRef& s, bool inclusive, const ScanAxis& axis) {
  Definition scan{NodeKind::Scan, combine, {s}, identity, inclusive};
  scan.axis = axis;
  return delayed(s->context(), domain_of(s), s->column_types(), std::move(scan));
}

// The vectors of n elements along an axis, `inner` elements apart, in blocks of so many elements; the last element of a vector fills its last block.
struct Blocks {
  int64_t outer, n, inner;
  static constexpr int64_t length = 1024;
  int64_t count() const { return (n + length - 1) / length; }
  Shape shape() const { return Shape::of(std::array{outer, count(), length, inner}); }
  std::vector<uint64_t> key(const char* place, std::span<const Type> types) const {
    std::vector<uint64_t> words{reinterpret_cast<uintptr_t>(place), uint64_t(outer), uint64_t(n), uint64_t(inner)};
    for (Type type : types) words.push_back(uint64_t(type));
    return words;
  }
};

NodeRef in_blocks(const NodeRef& s, const Blocks& blocks) {
  if (blocks.n % Blocks::length == 0) return reshape(s, blocks.shape().extents());
  static const char place = 0;
  const FnRef fn = remembered(blocks.key(&place, s->types()), nullptr, [&] {
    Builder b;
    const auto with = [&](Op op, Id x, int64_t y) { return b.apply(op, {x, b.constant(y)}); };
    const Id i = b.param(Type::I64, "i"), row = with(Op::div_, i, blocks.inner), padded = b.constant(blocks.count() * Blocks::length);
    const Id kept = with(Op::min_, b.apply(Op::rem_, {row, padded}), blocks.n - 1);
    const Id from = b.apply(Op::add_, {with(Op::mul_, b.apply(Op::div_, {row, padded}), blocks.n), kept});
    return b.finish(read(b, 0, s->types(), b.apply(Op::add_, {with(Op::mul_, from, blocks.inner), with(Op::rem_, i, blocks.inner)})));
  });
  return pull(s->context(), {blocks.shape(), {}}, fn, {s}, 1);
}

// The prefixes of vectors from those of their blocks: after `before`, the prefixes of the blocks' totals.
NodeRef after_blocks(const FnRef& combine, const NodeRef& before, const NodeRef& prefixes, const Blocks& blocks, const Shape& shape) {
  static const char place = 0;
  const std::vector<Type>& types = prefixes->types();
  const FnRef fn = remembered(blocks.key(&place, types), combine, [&] {
    Builder b;
    const auto with = [&](Op op, Id x, int64_t y) { return b.apply(op, {x, b.constant(y)}); };
    const Id i = b.param(Type::I64, "i"), row = with(Op::div_, i, blocks.inner), column = with(Op::rem_, i, blocks.inner);
    const Id vector = with(Op::mul_, with(Op::div_, row, blocks.n), blocks.count()), own = with(Op::rem_, row, blocks.n);
    const Id block = b.apply(Op::add_, {vector, with(Op::div_, own, Blocks::length)});
    const auto place_in = [&](Id at) { return b.apply(Op::add_, {with(Op::mul_, at, blocks.inner), column}); };
    std::vector<Id> operands = read(b, 0, types, place_in(block));
    const Id inside = b.apply(Op::add_, {with(Op::mul_, vector, Blocks::length), own});
    for (Id x : read(b, 1, types, place_in(inside))) operands.push_back(x);
    return b.finish(b.inline_call(*combine, operands));
  });
  return pull(prefixes->context(), {shape, {}}, fn, {before, prefixes}, 2);
}

// Neighbouring vectors that are too few to be scanned each on its own, but long.
bool scans_by_blocks(const NodeContext& context, const Blocks& blocks, const Fn& combine) {
  return blocks.inner > 1 && blocks.n >= 4 * Blocks::length &&
         context.scans_along({Blocks::length, blocks.inner}, blocks.shape().length(), combine);
}

// Rows of n elements, each in the order of its first column.
NodeRef sorted_rows(const NodeRef& s, int64_t n, bool descending) {
  Definition rows{NodeKind::Call, nullptr, {s}, {to_bits(n)}};
  rows.routine = {Routine::Sort, descending, 1};
  return moving(std::move(rows), domain_of(s));
}

// The elements of s at the last position along the axis, without the axis.
NodeRef last_along(const NodeRef& s, size_t axis) {
  const Shape shape = s->shape();
  std::vector<int64_t> starts(shape.extents().size(), 0), counts(shape.extents().begin(), shape.extents().end());
  starts[axis] = std::exchange(counts[axis], 1) - 1;
  const NodeRef last = slice(s, starts, counts, nullptr);
  counts.erase(counts.begin() + ptrdiff_t(axis));
  return reshape(last, counts);
}

}  // namespace

NodeRef reduce_axes(const Closure& f, std::vector<Bits64> identity, const NodeRef& s, std::span<const int32_t> axes, bool keep) {
  require_combine(f, s->types(), identity.size());
  const Shape shape = s->shape();
  std::vector<bool> is_reduced(size_t(shape.rank()));
  for (size_t k = 0; k < axes.size(); k++) {
    const std::string argument = ordinal(k, axes.size(), "axis");
    const size_t axis = size_t(axis_of(*s, axes[k], argument));
    if (is_reduced[axis]) throw ArgumentError(argument + " is axis " + std::to_string(axis) + " again; expected each axis at most once");
    is_reduced[axis] = true;
  }
  if (axes.empty()) return s;

  const Viewed inner = viewed(s);
  AxisGroup stay, reduced;
  std::vector<int64_t> extents;
  for (size_t k = 0; k < is_reduced.size(); k++) {
    (is_reduced[k] ? reduced : stay).add(shape.extents()[k], inner.view.strides[k]);
    if (!is_reduced[k]) extents.push_back(shape.extents()[k]);
    else if (keep) extents.push_back(1);
  }
  if (length_of(stay.extents) == 1) return reshape(reduce(f, std::move(identity), flattened(s)), extents);
  require_extents(extents, s->types());
  const int64_t count = length_of(reduced.extents);
  const FnRef combine = with_values(f.fn, f.arguments);
  const bool is_empty = shape.length() == 0;  // then no element is read
  const std::vector<Axis> rows = is_empty ? std::vector<Axis>{} : stay.merged(), steps = is_empty ? std::vector<Axis>{} : reduced.merged();
  static const char place = 0;
  std::vector<uint64_t> key = axes_key(&place, {rows, steps}, s->types());
  key.insert(key.end(), {uint64_t(inner.view.offset), uint64_t(count)});
  key.insert(key.end(), identity.begin(), identity.end());
  const FnRef fn =
      remembered(key, combine, [&] { return axis_folds(combine, identity, s->types(), rows, inner.view.offset, steps, count); });
  return pull(s->context(), {Shape::of(extents), {}}, fn, {inner.base}, 1);
}

ScanResult scan_axis(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& s, int32_t given, bool inclusive) {
  require_combine(f, s->types(), identity.size());
  const int axis = axis_of(*s, given);
  const Shape shape = s->shape();
  const int64_t n = shape.extents()[size_t(axis)];
  const int32_t axes[] = {axis};
  if (shape.length() == 0) return {s, reduce_axes(f, identity, s, axes, false)};
  if (const auto start = fold_start(with_values(f.fn, f.arguments), identity))
    return start->of(scan_axis(f, start->identity, s, given, inclusive));
  NodeRef prefixes;
  const ScanAxis along{n, length_of(shape.extents().subspan(size_t(axis) + 1))};
  if (shape.rank() == 1 || n == shape.length()) {
    prefixes = reshape(scan(f, identity, flattened(s), inclusive).prefixes, shape.extents());
  } else if (s->context()->scans_along(along, shape.length(), *f.fn)) {
    prefixes = scan_along(with_values(f.fn, f.arguments), identity, s, inclusive, along);
  } else if (const Blocks blocks{shape.length() / n / along.inner, n, along.inner}; scans_by_blocks(*s->context(), blocks, *f.fn)) {
    const NodeRef whole = in_blocks(s, blocks);
    const ScanResult inside = scan_axis(f, identity, whole, 2, inclusive);
    const NodeRef before = scan_axis(f, identity, inside.total, 1, false).prefixes;
    prefixes = after_blocks(with_values(f.fn, f.arguments), before, inside.prefixes, blocks, shape);
  } else {
    static const char place = 0;
    const NodeRef vectors = with_last(s, axis);
    const NodeRef pairs = with_first(&place, flattened(vectors), n, 0, [n](Builder& b, Id i) {
      return b.apply(Op::eq_, {b.apply(Op::rem_, {i, b.constant(n)}), b.constant<int64_t>(0)});
    });
    const NodeRef scanned = restarting_scan(with_values(f.fn, f.arguments), identity, pairs, inclusive);
    prefixes = with_last_at(reshape(scanned, vectors->shape().extents()), axis);
  }
  const NodeRef last = last_along(prefixes, size_t(axis));
  if (inclusive) return {prefixes, last};
  if (n == 1) return {prefixes, reduce_axes(f, identity, s, axes, false)};  // the last prefix is the identity
  const NodeRef both[] = {last, last_along(s, size_t(axis))};
  return {prefixes, map(f, both)};
}

NodeRef sort_axis(const NodeRef& s, int32_t given, bool descending) {
  const int axis = axis_of(*s, given);
  const Shape shape = s->shape();
  const int64_t n = shape.extents()[size_t(axis)];
  if (shape.length() == 0 || n == 1) return s;
  if (n == shape.length()) return reshape(sort(flattened(s), 1, descending), shape.extents());
  static const char place = 0;
  const NodeRef vectors = with_last(s, axis);
  if (s->context()->sorts_rows(s->types(), n))
    return with_last_at(reshape(sorted_rows(flattened(vectors), n, descending), vectors->shape().extents()), axis);
  const int64_t rows = shape.length() / n;
  const Type type = rows <= INT32_MAX ? Type::I32 : Type::I64;
  // In descending order the last vector comes first, so vectors are numbered from the end.
  const NodeRef pairs = with_first(&place, flattened(vectors), n, descending ? rows : 0, [=](Builder& b, Id i) {
    const Id row = b.apply(Op::div_, {i, b.constant(n)});
    return b.cast(type, descending ? b.apply(Op::sub_, {b.constant(rows - 1), row}) : row);
  });
  return with_last_at(reshape(without_first(sort(pairs, 2, descending)), vectors->shape().extents()), axis);
}

}  // namespace wf
