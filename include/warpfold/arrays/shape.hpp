// Shapes: the extents of an array along its axes, axis 0 first, and their arithmetic. Elements are in row-major order.
#pragma once

#include <array>
#include <span>
#include <string>

#include "warpfold/error.hpp"
#include "warpfold/types.hpp"

namespace warpfold {

template <int R> using Shape = std::array<int64_t, static_cast<size_t>(R)>;

namespace arrays {

template <class I>
concept Extent = std::is_integral_v<I> && !std::is_same_v<I, bool>;

template <Extent... I> Shape<sizeof...(I)> shape_of(I... extents) { return {static_cast<int64_t>(extents)...}; }

// "3 x 4"
inline std::string text_of(std::span<const int64_t> extents) {
  std::string text;
  for (int64_t extent : extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "()" : text;
}

// The distance of neighbours along each axis, in elements of the row-major order.
template <int R> Shape<R> strides_of(const Shape<R>& shape) {
  Shape<R> strides;
  uint64_t stride = 1;  // of an array without elements it may wrap, and no element is read
  for (size_t k = R; k-- > 0; stride *= static_cast<uint64_t>(shape[k])) strides[k] = static_cast<int64_t>(stride);
  return strides;
}

// The product of the extents. Throws SizeError if it overflows.
inline int64_t length_of(std::span<const int64_t> extents) {
  if (std::ranges::count(extents, 0) > 0) return 0;
  int64_t n = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(n, extent, &n))
      throw SizeError("the shape is " + text_of(extents) + ": the product of the extents overflows 64 bits");
  return n;
}

// The axis from 0 on; negative numbers count from the last axis.
inline size_t axis_of(int64_t axis, int rank, const char* function) {
  if (axis < -rank || axis >= rank)
    throw RangeError(std::string(function) + ": the axis is " + std::to_string(axis) + "; expected " + std::to_string(-rank) + " to " +
                     std::to_string(rank - 1) + " for an array of rank " + std::to_string(rank));
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

// The position from 0 on; negative numbers count from the end.
inline int64_t position_of(int64_t i, size_t axis, std::span<const int64_t> shape) {
  const int64_t n = shape[axis];
  if (i < -n || i >= n)
    throw RangeError("the index along axis " + std::to_string(axis) + " is " + std::to_string(i) + ", but the array has shape " +
                     text_of(shape));
  return i < 0 ? i + n : i;
}

// The shape without an axis, or with extent 1 along it.
template <int R> Shape<R - 1> without_axis(const Shape<R>& shape, size_t axis) {
  Shape<R - 1> rest;
  for (size_t k = 0, to = 0; k < R; k++)
    if (k != axis) rest[to++] = shape[k];
  return rest;
}
template <int R> Shape<R> with_extent(Shape<R> shape, size_t axis, int64_t extent) {
  shape[axis] = extent;
  return shape;
}

// Merges another operand's shape into the common one by NumPy's rules: the last axes correspond, and an extent 1 fits any other.
inline void broaden(std::span<int64_t> common, std::span<const int64_t> other, const std::string& function,
                    std::span<const int64_t> first) {
  const size_t ahead = common.size() - other.size();
  for (size_t k = 0; k < other.size(); k++) {
    int64_t& extent = common[ahead + k];
    if (extent == 1) extent = other[k];
    if (other[k] == 1 || other[k] == extent) continue;
    throw SizeError(function + ": the shapes " + text_of(first) + " and " + text_of(other) + " differ along axis " +
                    std::to_string(ahead + k) + "; expected equal extents, or an extent of 1");
  }
}

}  // namespace arrays
}  // namespace warpfold
