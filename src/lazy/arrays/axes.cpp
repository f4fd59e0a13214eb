// Views of an array's axes: reshape, permute, broadcast, slice, and any affine view.
#include <algorithm>

#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"

namespace wf {
namespace {

// The extents with the one that is -1 computed from the number of elements.
std::vector<int64_t> completed(const NodeRef& s, std::span<const int64_t> extents) {
  std::vector<int64_t> all(extents.begin(), extents.end());
  const auto open = std::ranges::find(all, -1);
  const int64_t length = s->length();
  if (open == all.end()) return all;
  *open = 1;
  if (std::ranges::count(all, -1) > 0)
    throw SizeError("the extents are " + text_of(extents) + "; expected at most one -1, the extent that fits");
  require_extents(all, {});
  const int64_t others = length_of(all);
  if (others == 0 || length % others != 0)
    throw SizeError("the extents are " + text_of(extents) + ", but s has " + describe_length(*s) + ", " + count(size_t(length), "element") +
                    (others == 0 ? ": -1 is ambiguous" : "; expected a divisor of that number"));
  *open = length / others;
  return all;
}

// The strides of an array with other extents that reads the same elements in the same order; nothing if no strides do.
bool split_axes(const std::vector<Axis>& axes, std::span<const int64_t> extents, std::vector<int64_t>& strides) {
  strides.assign(extents.size(), 0);
  size_t k = extents.size();
  for (size_t a = axes.size(); a-- > 0;) {
    int64_t rest = axes[a].extent, stride = axes[a].stride;
    while (rest > 1) {
      if (k-- == 0 || rest % extents[k] != 0) return false;
      strides[k] = stride;
      rest /= extents[k], stride *= extents[k];
    }
  }
  return true;
}

void require_count(const Node& s, size_t n, const std::string& argument) {
  if (n != size_t(s.rank()))
    throw SizeError(argument + " has " + count(n, "element") + ", but s has " + describe_length(s) + "; expected " +
                    std::to_string(s.rank()) + ", one per axis");
}

}  // namespace

NodeRef reshape(const NodeRef& s, std::span<const int64_t> given) {
  if (given.size() > Shape::most_axes) require_extents(given, {});
  const std::vector<int64_t> extents = completed(s, given);
  require_extents(extents, s->types());
  const int64_t length = length_of(extents);
  if (length != s->length())
    throw SizeError("the extents " + text_of(extents) + " have " + count(size_t(length), "element") + ", but s has " + describe_length(*s) +
                    (s->rank() > 1 ? ", " + count(size_t(s->length()), "element") : "") + "; expected equal numbers of elements");
  Viewed inner = viewed(s);
  std::vector<int64_t> strides;
  if (length > 0 && split_axes(merged_axes(s->shape().extents(), inner.view.strides), extents, strides))
    return view_of(inner.base, {inner.view.offset, std::move(strides)}, extents);
  return view_of(s, {0, row_major(extents)}, extents);
}

NodeRef permute(const NodeRef& s, std::span<const int32_t> axes) {
  require_count(*s, axes.size(), "axes");
  const Viewed inner = viewed(s);
  const Shape shape = s->shape();
  std::vector<int64_t> extents, strides;
  std::vector<bool> is_used(axes.size());
  for (size_t k = 0; k < axes.size(); k++) {
    const std::string argument = ordinal(k, axes.size(), "axis");
    const size_t axis = size_t(axis_of(*s, axes[k], argument));
    if (is_used[axis]) throw ArgumentError(argument + " is axis " + std::to_string(axis) + " again; expected each axis once");
    is_used[axis] = true;
    extents.push_back(shape.extents()[axis]);
    strides.push_back(inner.view.strides[axis]);
  }
  return view_of(inner.base, {inner.view.offset, std::move(strides)}, extents);
}

NodeRef broadcast(const NodeRef& s, std::span<const int64_t> extents) {
  require_extents(extents, s->types());
  const size_t rank = size_t(s->rank());
  auto fail = [&](const std::string& reason) {
    throw SizeError("s has " + describe_length(*s) + ", which cannot be broadcast to " + text_of(extents) + ": " + reason);
  };
  if (rank > extents.size()) fail("expected at least as many extents as s has axes");
  const Viewed inner = viewed(s);
  const Shape shape = s->shape();
  std::vector<int64_t> strides(extents.size() - rank, 0);
  for (size_t k = 0; k < rank; k++) {
    const size_t axis = extents.size() - rank + k;
    const bool is_repeated = shape.extents()[k] == 1;
    if (!is_repeated && shape.extents()[k] != extents[axis])
      fail("axis " + std::to_string(k) + " of s has extent " + std::to_string(shape.extents()[k]) + "; expected 1 or " +
           std::to_string(extents[axis]));
    strides.push_back(is_repeated ? 0 : inner.view.strides[k]);
  }
  return view_of(inner.base, {inner.view.offset, std::move(strides)}, extents);
}

NodeRef slice(const NodeRef& s, std::span<const int64_t> starts, std::span<const int64_t> counts, const int64_t* steps) {
  require_count(*s, starts.size(), "starts");
  Viewed inner = viewed(s);
  const Shape shape = s->shape();
  for (size_t k = 0; k < starts.size(); k++) {
    const int64_t extent = shape.extents()[k], step = steps ? steps[k] : 1;
    if (counts[k] < 0)
      throw SizeError(ordinal(k, counts.size(), "count") + " is " + std::to_string(counts[k]) + "; expected a number that is not negative");
    if (step == 0) throw ArgumentError(ordinal(k, counts.size(), "step") + " is 0; expected another number");
    int64_t last = starts[k], reach;
    const bool overflows =
        counts[k] > 0 && (__builtin_mul_overflow(counts[k] - 1, step, &reach) || __builtin_add_overflow(last, reach, &last));
    const bool is_empty = counts[k] == 0 && starts[k] >= 0 && starts[k] <= extent;
    if (!is_empty && (overflows || std::min(starts[k], last) < 0 || std::max(starts[k], last) >= extent))
      throw IndexError("axis " + std::to_string(k) + ": " + count(size_t(counts[k]), "element") + " from " + std::to_string(starts[k]) +
                       " in steps of " + std::to_string(step) + " are not within the extent " + std::to_string(extent) + " of s");
    int64_t& stride = inner.view.strides[k];
    if (counts[k] > 0) inner.view.offset += starts[k] * stride;
    // The stride of at most one element does not matter, and the product could overflow.
    stride = counts[k] > 1 ? stride * step : 0;
  }
  return view_of(inner.base, std::move(inner.view), counts);
}

NodeRef view(const NodeRef& s, int64_t offset, std::span<const int64_t> extents, std::span<const int64_t> strides) {
  require_extents(extents, s->types());
  View outer{offset, {strides.begin(), strides.end()}};
  require_within(outer, extents, *s);
  const Viewed inner = viewed(s);
  if (!is_contiguous(merged_axes(s->shape().extents(), inner.view.strides))) return view_of(s, std::move(outer), extents);
  outer.offset += inner.view.offset;
  return view_of(inner.base, std::move(outer), extents);
}

}  // namespace wf
