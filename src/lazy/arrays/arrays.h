// Arrays: sequences of any rank. Each function checks its arguments, and runs nothing. Sequences have known lengths: the caller forces a
// filter first. Views are lazy, read only, and may overlap.
#pragma once

#include <span>

#include "lazy/node.h"

namespace wf {

// The same elements in row-major order. One extent may be -1: the number that fits.
NodeRef reshape(const NodeRef& s, std::span<const int64_t> extents);
// Axis k of the result is axis axes[k] of s.
NodeRef permute(const NodeRef& s, std::span<const int32_t> axes);
// Axes of extent 1, and axes that s lacks at the front, are repeated.
NodeRef broadcast(const NodeRef& s, std::span<const int64_t> extents);
// Along axis k, counts[k] elements from starts[k] on, steps[k] apart. Without steps: neighbours.
NodeRef slice(const NodeRef& s, std::span<const int64_t> starts, std::span<const int64_t> counts, const int64_t* steps);
// r[i_0, ...] = s[offset + i_0 * strides[0] + ...], where s is read at its row-major index.
NodeRef view(const NodeRef& s, int64_t offset, std::span<const int64_t> extents, std::span<const int64_t> strides);
// r[i_0, ...] = s[i_0 - distances[0], ...], or `outside`, one value per column, where that is not within s. Distances may have any size.
NodeRef translate(const NodeRef& s, std::span<const int64_t> distances, std::span<const Bits64> outside);
// The arrays one after another along the axis; their other extents are equal.
NodeRef join(Few<NodeRef> sequences, int32_t axis);
// s without its last element, if s is delayed and appends an element that the host knows to be `last`; else null. s: i64. Runs nothing.
NodeRef without_last(const NodeRef& s, int64_t last);

}  // namespace wf
