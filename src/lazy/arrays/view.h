// Affine views. A view of a view reads the sequence that the inner one reads, so strides compose when the view is made.
#pragma once

#include <span>

#include "lazy/node.h"

namespace wf {

// An array as a view of `base`, with the array's extents.
struct Viewed {
  NodeRef base;
  View view;
};
// s as a view of the sequence that it reads, if it is a delayed view, or else as a view of itself. A product of matrices recognizes the
// transpose of a stored matrix by its base and strides.
Viewed viewed(const NodeRef& s);

// The strides of an array in memory: 1 along the last axis.
std::vector<int64_t> row_major(std::span<const int64_t> extents);

// The view of base with these extents, lazily; base itself if they are equal. Throws IndexError unless all its elements are within base, whose
// length is known. A view of a manifest sequence that is contiguous shares its buffers.
NodeRef view_of(const NodeRef& base, View view, std::span<const int64_t> extents);

// An axis of the innermost loop that reads a view: its extent and its stride.
struct Axis {
  int64_t extent, stride;
};
// The axes of a view without those of extent 1, with neighbours merged if one stride steps through both. Empty for one element.
std::vector<Axis> merged_axes(std::span<const int64_t> extents, std::span<const int64_t> strides);

inline bool is_contiguous(const std::vector<Axis>& axes) { return axes.empty() || (axes.size() == 1 && axes[0].stride == 1); }

// The term offset + i_0 * strides[0] + ... of the row-major index i over these axes.
Id view_index(Builder& b, Id i, const std::vector<Axis>& axes, int64_t offset);

// The indices from the first element that strides lead to: from `lowest`, which is not positive, `length` of them. Throws SizeError if they
// overflow 64 bits in bytes. No extent is 0.
struct Reach {
  int64_t lowest, length;
};
Reach reach_of(std::span<const int64_t> extents, std::span<const int64_t> strides);

// Throws IndexError unless all elements of the view are within s.
void require_within(const View& view, std::span<const int64_t> extents, const Node& s);
// Throws SizeError if there are more than 8 axes, an extent is negative, or the size in bytes of that many elements overflows.
void require_extents(std::span<const int64_t> extents, std::span<const Type> types);

// Throws ArgumentError unless s belongs to the axis; a negative axis counts from the end. Returns the axis from the start.
int axis_of(const Node& s, int32_t axis, const std::string& argument = "axis");

}  // namespace wf
