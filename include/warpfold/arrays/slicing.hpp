// Views: arrays that have the elements of others and no memory of their own. They compose, and fuse with what reads them.
#pragma once

#include "warpfold/arrays/making.hpp"

namespace warpfold {
namespace arrays {

// ---- another shape, the same elements ---------------------------------------------------------------------------------

// The same elements in the same row-major order. One extent may be -1: it is computed. Throws SizeError.
template <class T, int R, Extent... I>
requires(sizeof...(I) > 0) Array<T, sizeof...(I)> reshape(const Array<T, R>& a, I... extents) {
  return Array<T, sizeof...(I)>::own(reshaped(a.raw(), shape_of(extents...)));
}
template <class T, Extent... I>
requires(sizeof...(I) > 0) Array<T, sizeof...(I)> reshape(const Seq<T>& s, I... extents) {
  return Array<T, sizeof...(I)>(s, shape_of(extents...));
}
template <class T, int R> Array<T, 1> flatten(const Array<T, R>& a) { return a.flat(); }

// Axis k of the result is axis axes[k] of a.
template <class T, int R> Array<T, R> permute(const Array<T, R>& a, const std::type_identity_t<std::array<int32_t, R>>& axes) {
  return Array<T, R>::own(detail::sequence(wf_permute, a.raw(), axes.data(), R));
}
template <class T, int R, Extent... I>
requires(sizeof...(I) > 0) Array<T, R> permute(const Array<T, R>& a, I... axes) {
  static_assert(sizeof...(I) == R, "expected one axis of the array for each axis of the result");
  return permute(a, std::array<int32_t, R>{static_cast<int32_t>(axes)...});
}
// The transpose: the last two axes exchanged.
template <class T, int R> Array<T, R> t(const Array<T, R>& a) {
  static_assert(R >= 2, "expected at least two axes: reshape(a, -1, 1) is a vector as a column");
  std::array<int32_t, R> axes;
  for (int32_t k = 0; k < R; k++) axes[k] = k;
  std::swap(axes[R - 2], axes[R - 1]);
  return permute(a, axes);
}
// a repeated to this shape by NumPy's rules.
template <class T, int R, Extent... I> Array<T, sizeof...(I)> broadcast(const Array<T, R>& a, I... extents) {
  static_assert(sizeof...(I) >= R, "expected at least as many extents as the array has axes");
  return Array<T, sizeof...(I)>::own(detail::sequence(wf_broadcast, a.raw(), shape_of(extents...).data(), int32_t{sizeof...(I)}));
}
// A new axis of extent 1 before `axis`; negative axes count from the end of the result.
template <class T, int R> Array<T, R + 1> insert_axis(const Array<T, R>& a, int64_t axis) {
  const Shape<R> old = a.shape();
  const size_t at = axis_of(axis, R + 1, "insert_axis");
  Shape<R + 1> shape;
  for (size_t k = 0; k <= R; k++) shape[k] = k == at ? 1 : old[k < at ? k : k - 1];
  return Array<T, R + 1>::own(reshaped(a.raw(), shape));
}

// ---- parts ------------------------------------------------------------------------------------------------------------

// The first position and the number of positions of a slice of an axis.
struct Bounds {
  int64_t start, count, step;
};
inline Bounds bounds_of(const Slice& slice, int64_t n, size_t axis) {
  const int64_t step = slice.step, low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
  if (step == 0) throw ArgumentError("slice: the step along axis " + std::to_string(axis) + " is 0; expected another number");
  auto cut = [&](int64_t i) { return std::clamp(i < 0 ? i + n : i, low, high); };
  const int64_t start = slice.start ? cut(*slice.start)
                        : step > 0  ? low
                                    : high,
                stop = slice.stop ? cut(*slice.stop)
                       : step > 0 ? high
                                  : low;
  const int64_t distance = step > 0 ? stop - start : start - stop;
  const uint64_t size = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  const int64_t count = distance <= 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(distance - 1) / size) + 1;
  return {count == 0 ? 0 : start, count, step};
}

template <class T, int R> Array<T, R> part(const Array<T, R>& a, const std::type_identity_t<std::array<Bounds, R>>& bounds) {
  Shape<R> starts, counts, steps;
  for (size_t k = 0; k < R; k++) starts[k] = bounds[k].start, counts[k] = bounds[k].count, steps[k] = bounds[k].step;
  return Array<T, R>::own(detail::sequence(wf_slice, a.raw(), starts.data(), counts.data(), steps.data(), R));
}
template <class T, int R> std::array<Bounds, R> whole(const Shape<R>& shape) {
  std::array<Bounds, R> bounds;
  for (size_t k = 0; k < R; k++) bounds[k] = {0, shape[k], 1};
  return bounds;
}

template <class T, int R, class... S> auto at_lazy_positions(const Array<T, R>& a, const S&... slices);

// a(every, 2), a(slice(1, -1), slice({}, {}, 2)): integers select one position and remove the axis; axes without an argument are whole.
template <class T, int R, class... S> auto sliced(const Array<T, R>& a, const S&... slices) {
  static_assert(sizeof...(S) <= R, "there are more slices than axes");
  static_assert(((is_slice<S> || Extent<S> || tracing::is_traced_integer<S>)&&...),
                "expected integers, slice(start, stop, step) and every");
  if constexpr ((tracing::is_traced_integer<S> || ...)) return at_lazy_positions(a, slices...);
  else return at_positions(a, slices...);
}
template <class T, class S> auto sliced(const Seq<T>& s, const S& slice) { return sliced(Array<T, 1>(s), slice); }

template <class T, int R, class... S> auto at_positions(const Array<T, R>& a, const S&... slices) {
  constexpr int rest = R - (int{!is_slice<S>} + ... + 0);
  const Shape<R> extents = a.shape();
  auto bounds = whole<T, R>(extents);
  Shape<rest> left;
  size_t axis = 0, kept = 0;
  auto add = [&](const auto& s) {
    if constexpr (is_slice<std::remove_cvref_t<decltype(s)>>)
      bounds[axis] = bounds_of(s, extents[axis], axis), left[kept++] = bounds[axis].count;
    else bounds[axis] = {position_of(s, axis, extents), 1, 1};
    axis++;
  };
  (add(slices), ...);
  for (; axis < R; axis++) left[kept++] = extents[axis];
  const Array<T, R> chosen = part(a, bounds);
  if constexpr (rest == R) return chosen;
  else return Array<T, rest>::own(reshaped(chosen.raw(), left));
}

// Some of the integers are lazy or depend on the arguments of a traced function: each element is read at them. Rank 1 is a Seq. If an integer is
// outside, the force throws RangeError.
template <class T, int R, class... S> auto at_lazy_positions(const Array<T, R>& a, const S&... slices) {
  auto whole_if_lazy = [](const auto& s) {
    if constexpr (tracing::is_traced_integer<std::remove_cvref_t<decltype(s)>>) return every;
    else return s;
  };
  auto only_lazy = [](const auto& s) {
    if constexpr (tracing::is_traced_integer<std::remove_cvref_t<decltype(s)>>) return std::tuple(s);
    else return std::tuple();
  };
  const auto part = at_positions(a, whole_if_lazy(slices)...);
  constexpr size_t rank = std::remove_cvref_t<decltype(part)>::rank, n_lazy = (size_t{tracing::is_traced_integer<S>} + ...);
  static constexpr std::array<bool, rank> is_lazy = [] {
    std::array<bool, rank> axes{};
    size_t axis = 0;
    ((Extent<S> ? void() : void(axes[axis++] = tracing::is_traced_integer<S>)), ...);
    return axes;
  }();
  const auto extents = part.shape();
  std::array<int64_t, rank - n_lazy> left;
  for (size_t axis = 0, k = 0; axis < rank; axis++)
    if (!is_lazy[axis]) left[k++] = extents[axis];
  auto element = [part, lazy = std::tuple_cat(only_lazy(slices)...)](const auto&... position) {
    const std::array<tracing::Index, rank - n_lazy> positions{position...};
    const auto chosen = std::apply([](const auto&... k) { return std::array{tracing::index_of(k)...}; }, lazy);
    std::array<tracing::Index, rank> at;
    for (size_t axis = 0, k = 0; axis < rank; axis++) at[axis] = is_lazy[axis] ? chosen[axis - k] : positions[k++];
    return std::apply(part, at);
  };
  if constexpr (rank - n_lazy == 1) return Seq<T>::like(tabulate(element, left[0], a.context()));
  else return array_of(element, left, a.context());
}

// Position i of axis 0: row i of a matrix, an element of a vector. Negative positions count from the end.
template <class T, int R> Ranked<T, R - 1> Array<T, R>::operator[](int64_t i) const {
  if constexpr (R == 1) return (*this)(i);
  else {
    const Shape<R> extents = shape();
    auto bounds = whole<T, R>(extents);
    bounds[0] = {position_of(i, 0, extents), 1, 1};
    return Array<T, R - 1>::own(reshaped(part(*this, bounds).raw(), without_axis<R>(extents, 0)));
  }
}
template <class T, int R> Array<T, 1> Array<T, R>::row(int64_t i) const requires(R == 2) { return (*this)(i, every); }
template <class T, int R> Array<T, 1> Array<T, R>::column(int64_t j) const requires(R == 2) { return (*this)(every, j); }

// The elements at row-major indices offset + i0 * strides[0] + i1 * strides[1] + ... of a. Throws RangeError if one is outside.
template <class T, int R, size_t r>
Array<T, static_cast<int>(r)> view(const Array<T, R>& a, int64_t offset, const std::array<int64_t, r>& shape,
                                   const std::array<int64_t, r>& strides) {
  return Array<T, static_cast<int>(r)>::own(
      detail::sequence(wf_view, a.raw(), offset, shape.data(), strides.data(), static_cast<int32_t>(r)));
}
// a(i, i + k) for all i: the diagonal, or another one for k != 0.
template <class T> Array<T, 1> diagonal(const Array<T, 2>& a, int64_t k = 0) {
  const auto [m, n] = a.shape();
  const int64_t i = k < 0 ? -std::max(k, -m) : 0, j = std::clamp<int64_t>(k, 0, n), length = std::max<int64_t>(std::min(m - i, n - j), 0);
  return view(a, length == 0 ? 0 : i * n + j, std::array{length}, std::array{n + 1});
}
// All windows of these extents: w(i, j, di, dj) = a(i + di, j + dj). Throws SizeError if a window is larger than a.
template <class T, int R, Extent... I> Array<T, 2 * R> windows(const Array<T, R>& a, I... extents) {
  static_assert(sizeof...(I) == R, "expected one extent of the window for each axis");
  const Shape<R> shape = a.shape(), steps = strides_of<R>(shape), window = shape_of(extents...);
  Shape<2 * R> counts, strides;
  for (size_t k = 0; k < R; k++) {
    if (window[k] < 1 || window[k] > shape[k])
      throw SizeError("windows: the window " + text_of(window) + " does not fit into the shape " + text_of(shape) + " along axis " +
                      std::to_string(k));
    counts[k] = shape[k] - window[k] + 1, counts[R + k] = window[k];
    strides[k] = strides[R + k] = steps[k];
  }
  return view(a, 0, counts, strides);
}
// The positions of an axis in reverse order.
template <class T, int R> Array<T, R> flip(const Array<T, R>& a, int64_t axis) {
  const Shape<R> shape = a.shape();
  const size_t k = axis_of(axis, R, "flip");
  auto bounds = whole<T, R>(shape);
  bounds[k] = {shape[k] > 0 ? shape[k] - 1 : 0, shape[k], -1};
  return part(a, bounds);
}
// a moved by these distances: r(i, j) = a(i - di, j - dj), or `outside` where that is outside of a. A distance may be any number.
template <class T, int R>
Array<T, R> translate(const Array<T, R>& a, const std::type_identity_t<Shape<R>>& distances, const std::type_identity_t<T>& outside = T{}) {
  bool is_zero = true;
  detail::each_leaf(outside, [&](const auto& leaf, auto) {
    is_zero = is_zero && tracing::to_bits(static_cast<Stored<std::remove_cvref_t<decltype(leaf)>>>(leaf)) == 0;
  });
  const std::string text = is_zero ? "" : detail::identity_text<T>(outside);
  return Array<T, R>::own(detail::sequence(wf_translate, a.raw(), distances.data(), R, is_zero ? nullptr : text.c_str()));
}
// The parts of an axis: counts[0] positions, then counts[1], ...
template <class T, int R> std::vector<Array<T, R>> split(const Array<T, R>& a, const std::vector<int64_t>& counts, int64_t axis = 0) {
  const Shape<R> shape = a.shape();
  const size_t k = axis_of(axis, R, "split");
  int64_t rest = shape[k];
  for (int64_t count : counts) {
    if (count < 0 || count > rest)
      throw SizeError("split: a part has " + std::to_string(count) + " positions, of " + std::to_string(rest) +
                      " that the parts before it leave; expected parts of the extent of axis " + std::to_string(k) + " of the shape " +
                      text_of(shape));
    rest -= count;
  }
  if (rest > 0)
    throw SizeError("split: the parts leave " + std::to_string(rest) + " positions; expected the sum " + std::to_string(shape[k]) +
                    ", the extent of axis " + std::to_string(k) + " of the shape " + text_of(shape));
  std::vector<Array<T, R>> parts;
  int64_t start = 0;
  for (int64_t count : counts) {
    auto bounds = whole<T, R>(shape);
    bounds[k] = {count == 0 ? 0 : start, count, 1};
    parts.push_back(part(a, bounds));
    start += count;
  }
  return parts;
}
// n parts of equal extents. Throws SizeError unless n divides the extent.
template <class T, int R> std::vector<Array<T, R>> split(const Array<T, R>& a, int64_t n, int64_t axis = 0) {
  const int64_t extent = a.extent(axis);
  if (n < 1 || extent % n != 0)
    throw SizeError("split: " + std::to_string(n) + " equal parts of an axis of extent " + std::to_string(extent) + "; expected a divisor");
  return split(a, std::vector<int64_t>(static_cast<size_t>(n), extent / n), axis);
}

// ---- joins ------------------------------------------------------------------------------------------------------------

// The arrays one after another along an axis. All other extents are equal, else SizeError.
template <class T, int R> Array<T, R> join(const std::vector<Array<T, R>>& arrays, int64_t axis = 0) {
  const auto k = static_cast<int32_t>(axis_of(axis, R, "join"));
  return detail::with_handles([&](wf_seq* const* raw, int32_t n) { return Array<T, R>::own(detail::sequence(wf_join, raw, n, k)); },
                              arrays);
}
template <class T, int R> Array<T, R> join(std::initializer_list<Array<T, R>> arrays, int64_t axis = 0) {
  return join(std::vector<Array<T, R>>(arrays), axis);
}
// The arrays along a new axis: stack({a, b})(0, i, j) is a(i, j). Equal shapes, else SizeError.
template <class T, int R> Array<T, R + 1> stack(const std::vector<Array<T, R>>& arrays, int64_t axis = 0) {
  std::vector<Array<T, R + 1>> layers;
  for (const auto& a : arrays)
    if (a.shape() != arrays[0].shape())
      throw SizeError("stack: the shapes are " + text_of(arrays[0].shape()) + " and " + text_of(a.shape()) + "; expected equal shapes");
  for (const auto& a : arrays) layers.push_back(insert_axis(a, axis));
  return join(layers, axis);
}
template <class T, int R> Array<T, R + 1> stack(std::initializer_list<Array<T, R>> arrays, int64_t axis = 0) {
  return stack(std::vector<Array<T, R>>(arrays), axis);
}
// The values as a vector.
template <class T> Array<T, 1> stack(const std::vector<Scalar<T>>& scalars) {
  std::vector<Array<T, 1>> all;
  for (const auto& x : scalars) all.push_back(Array<T, 1>::own(reshaped(x.raw(), std::array<int64_t, 1>{1})));
  return join(all);
}
template <class T> Array<T, 1> stack(std::initializer_list<Scalar<T>> scalars) { return stack(std::vector<Scalar<T>>(scalars)); }
// The arrays next to each other: joined along the last axis.
template <class T, int R, class... More>
requires(std::is_same_v<Array<T, R>, More>&&...) Array<T, R> pack(const Array<T, R>& a, const More&... more) {
  return join(std::vector<Array<T, R>>{a, more...}, -1);
}

}  // namespace arrays
}  // namespace warpfold
