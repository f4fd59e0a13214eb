// Reductions, scans and sorts along axes. An axis is a number from 0, or from -R to count from the last one. With `keep`, a reduced axis stays
// with extent 1, so that the result broadcasts against the array: a - mean(a, 1, keep). Lazy; fused with what computes the array.
#pragma once

#include <concepts>

#include "warpfold/arrays/slicing.hpp"
#include "warpfold/sequences/statistics.hpp"

namespace warpfold {

struct Keep {};
// sum(a, 0, keep): axis 0 stays with extent 1.
inline constexpr Keep keep{};

namespace arrays {

// ---- one function -----------------------------------------------------------------------------------------------------

// For the C API, whose message states the axis and the shape if the axis does not exist.
inline int32_t narrowed(int64_t axis) { return static_cast<int32_t>(std::clamp<int64_t>(axis, INT32_MIN, INT32_MAX)); }

// `called` is the function that messages name.
template <class F, class T, int R, size_t n>
wf_seq* reduced(const char* called, F& f, const T& identity, const Array<T, R>& a, const std::array<int64_t, n>& axes, int32_t keeps) {
  auto function = detail::combiner_of<T>(f);
  std::array<int32_t, n> which;
  for (size_t k = 0; k < n; k++) which[k] = narrowed(axes[k]);
  wf_seq* out = nullptr;
  detail::check(wf_reduce_axis(function.handle.raw(), detail::identity_text<T>(identity).c_str(), a.raw(), which.data(),
                               static_cast<int32_t>(n), keeps, &out),
                called);
  return out;
}
template <int R, size_t n> consteval int rank_without() {
  static_assert(n <= R, "there are more axes than the array has");
  return R - static_cast<int>(n);
}
template <class F, class T, int R>
Ranked<T, R - 1> reduce_as(const char* called, F f, const std::type_identity_t<T>& b, const Array<T, R>& a, int64_t axis) {
  return Ranked<T, R - 1>::own(reduced(called, f, b, a, std::array{axis}, 0));
}
template <class F, class T, int R>
Array<T, R> reduce_as(const char* called, F f, const std::type_identity_t<T>& b, const Array<T, R>& a, int64_t axis, Keep) {
  return Array<T, R>::own(reduced(called, f, b, a, std::array{axis}, 1));
}
template <class F, class T, int R, size_t n>
Ranked<T, rank_without<R, n>()> reduce_as(const char* called, F f, const std::type_identity_t<T>& b, const Array<T, R>& a,
                                          const int64_t (&axes)[n]) {
  return Ranked<T, rank_without<R, n>()>::own(reduced(called, f, b, a, std::to_array(axes), 0));
}
template <class F, class T, int R, size_t n>
Array<T, R> reduce_as(const char* called, F f, const std::type_identity_t<T>& b, const Array<T, R>& a, const int64_t (&axes)[n], Keep) {
  return Array<T, R>::own(reduced(called, f, b, a, std::to_array(axes), 1));
}

// The elements along the axes combined by f, which is associative; b is its identity, and the value for an axis of extent 0.
//     reduce(plus, 0, a, 1)             the sums of rows
//     reduce(max, lowest, a, {0, 2})    of several axes
template <class F, class T, int R, std::integral Axis, class... K>
auto reduce(F f, const std::type_identity_t<T>& b, const Array<T, R>& a, Axis axis, K... keeps) {
  return reduce_as("reduce", f, b, a, static_cast<int64_t>(axis), keeps...);
}
template <class F, class T, int R, size_t n, class... K>
auto reduce(F f, const std::type_identity_t<T>& b, const Array<T, R>& a, const int64_t (&axes)[n], K... keeps) {
  return reduce_as("reduce", f, b, a, axes, keeps...);
}
// All elements. Without an identity: that of f in the table of operations.
template <class F, class T, int R> Scalar<T> reduce(F f, const std::type_identity_t<T>& b, const Array<T, R>& a) {
  return warpfold::reduce(f, b, a.flat());
}
template <class F, class T, int R> Scalar<T> reduce(F f, const Array<T, R>& a) { return warpfold::reduce(f, a.flat()); }

// r(..., i, ...) = a(..., 0, ...) f ... f a(..., i, ...) along the axis; exclusive: without element i itself.
template <class F, class T, int R> Array<T, R> scanned(F& f, const T& b, const Array<T, R>& a, int64_t axis, int32_t inclusive) {
  auto function = detail::combiner_of<T>(f);
  const std::string text = detail::identity_text<T>(b);
  wf_seq* prefixes = nullptr;
  detail::check(wf_scan_axis(function.handle.raw(), text.c_str(), a.raw(), narrowed(axis), inclusive, &prefixes, nullptr),
                inclusive ? "scan_incl" : "scan");
  return Array<T, R>::own(prefixes);
}
template <class F, class T, int R> Array<T, R> scan(F f, const std::type_identity_t<T>& b, const Array<T, R>& a, int64_t axis) {
  return scanned(f, b, a, axis, 0);
}
template <class F, class T, int R> Array<T, R> scan_incl(F f, const std::type_identity_t<T>& b, const Array<T, R>& a, int64_t axis) {
  return scanned(f, b, a, axis, 1);
}

// The elements along the axis in order.
template <class T, int R> Array<T, R> sort(const Array<T, R>& a, int64_t axis = -1, Order order = Order::ascending) {
  wf_seq* out = nullptr;
  detail::check(wf_sort_axis(a.raw(), narrowed(axis), static_cast<int32_t>(order), &out), "sort");
  return Array<T, R>::own(out);
}

// ---- reductions by name -----------------------------------------------------------------------------------------------

// WARPFOLD_REDUCTION(name, b, f, before): name(a), name(a, axis), name(a, {axis, axis}), each of these with keep: a reduction by f, whose
// identity is b, of before(x) for the elements x.
#define WARPFOLD_REDUCTION(name, b, f, before)                                                                           \
  template <class T, int R> auto name(const Array<T, R>& a) { return reduce(f, b, before); }                             \
  template <class T, int R, std::integral Axis, class... K> auto name(const Array<T, R>& a, Axis axis, K... keeps) {     \
    return reduce_as(#name, f, b, before, static_cast<int64_t>(axis), keeps...);                                         \
  }                                                                                                                      \
  template <class T, int R, size_t n, class... K> auto name(const Array<T, R>& a, const int64_t(&axes)[n], K... keeps) { \
    return reduce_as(#name, f, b, before, axes, keeps...);                                                               \
  }
// Sums and products of the elements; 0 and 1 for an axis of extent 0. Bools are summed as int64.
WARPFOLD_REDUCTION(sum, tracing::SumOf<T>(0), plus, tracing::summands(a))
WARPFOLD_REDUCTION(product, tracing::SumOf<T>(1), times, tracing::summands(a))
// The least and the largest element; for an axis of extent 0, the largest and the least of the type. The same as min(a) and min(a, {axis});
// min(a, 1) is element by element, as for expressions.
WARPFOLD_REDUCTION(least, (tracing::identity_of<T, detail::Min>()), warpfold::min, a)
WARPFOLD_REDUCTION(largest, (tracing::identity_of<T, detail::Max>()), warpfold::max, a)
// Are any, or all, of the elements true; the number of those that are true.
WARPFOLD_REDUCTION(any, false, logical_or, cast<bool>(a))
WARPFOLD_REDUCTION(all, true, logical_and, cast<bool>(a))
WARPFOLD_REDUCTION(count, int64_t{0}, plus, cast<int64_t>(cast<bool>(a)))
#undef WARPFOLD_REDUCTION

// The elements as floats: f32 stays, all other types become f64.
using tracing::FloatOf;
template <class T, int R> Array<FloatOf<T>, R> floats(const Array<T, R>& a) { return cast<FloatOf<T>>(a); }

// The number of elements that a reduction combines.
template <int R> double combined(const Shape<R>& shape) { return static_cast<double>(length_of(shape)); }
template <int R, class... K> double combined(const Shape<R>& shape, int64_t axis, K...) {
  return static_cast<double>(shape[axis_of(axis, R, "mean")]);
}
template <int R, size_t n, class... K> double combined(const Shape<R>& shape, const int64_t (&axes)[n], K...) {
  double product = 1;
  for (int64_t axis : axes) product *= static_cast<double>(shape[axis_of(axis, R, "mean")]);
  return product;
}

// WARPFOLD_STATISTIC(name): name(a), name(a, axis), name(a, {axis, axis}), and the last two with keep.
#define WARPFOLD_STATISTIC(name)                                                                                         \
  template <class T, int R> auto name(const Array<T, R>& a) { return name##_of(a); }                                     \
  template <class T, int R, std::integral Axis, class... K> auto name(const Array<T, R>& a, Axis axis, K... keeps) {     \
    return name##_of(a, static_cast<int64_t>(axis), keeps...);                                                           \
  }                                                                                                                      \
  template <class T, int R, size_t n, class... K> auto name(const Array<T, R>& a, const int64_t(&axes)[n], K... keeps) { \
    return name##_of(a, axes, keeps...);                                                                                 \
  }

// The mean, of f32 in f32 and else in f64; NaN for an axis of extent 0.
template <class T, int R, class... Axes> auto mean_of(const Array<T, R>& a, const Axes&... axes) {
  return sum(floats(a), axes...) / combined<R>(a.shape(), axes...);
}
WARPFOLD_STATISTIC(mean)
// The mean of the squares of the distances from the mean. The computed mean is rounded: the square of the mean distance from it is subtracted.
template <class Squares, class Distances> auto variance_from(const Squares& squares, const Distances& distances) {
  const auto difference = squares - distances * distances;
  return where(difference < 0, 0, difference);
}
template <class T, int R> auto variance_of(const Array<T, R>& a) {
  const auto x = floats(a);
  const auto center = mean(x);
  const auto distance = x - center;
  return variance_from(mean(distance * distance), mean(distance));
}
template <class T, int R, class Axes, class... K> auto variance_of(const Array<T, R>& a, const Axes& axes, K... keeps) {
  const auto distance = floats(a) - mean(a, axes, keep);
  return variance_from(mean(distance * distance, axes, keeps...), mean(distance, axes, keeps...));
}
WARPFOLD_STATISTIC(variance)
// The Euclidean norm: the root of the sum of the squares, which f64 holds for all other types. If the sum for f64 overflows, or is so small that
// squares may have vanished, the elements are scaled first; several sums of all elements take one pass.
template <class T, int R, class... Axes> auto norm_of(const Array<T, R>& a, const Axes&... axes) {
  const auto norm_scaled_by = [&, x = cast<double>(a)](double factor) {
    const auto y = x * factor;
    const auto squares = sum(y * y, axes...);
    return where(squares == 0, 0, sqrt(squares)) * (1 / factor);  // so that the gradient at 0 is 0
  };
  const auto plain = norm_scaled_by(1);
  if constexpr (!std::is_same_v<T, double>) return cast<FloatOf<T>>(plain);
  else return where(plain < 0x1p-450, norm_scaled_by(0x1p600), where(isfinite(plain), plain, norm_scaled_by(0x1p-600)));
}
WARPFOLD_STATISTIC(norm)
// The greatest element if it is finite, which is subtracted before exp. No gradient passes through it, since results do not depend on it.
template <class T, int R, class... Axes> auto shift_of(const Array<T, R>& x, const Axes&... axes) {
  const auto top = largest(x, axes...);
  const auto shift = where(isfinite(top), top, T(0));
  return std::remove_const_t<decltype(shift)>::own(detail::sequence(wf_constant, shift.raw()));
}
// log(sum(exp(a))), without overflow.
template <class T, int R> auto logsumexp_of(const Array<T, R>& a) {
  const auto x = floats(a);
  const auto shift = shift_of(x);
  return log(sum(exp(x - shift))) + shift;
}
template <class T, int R, class Axes, class... K> auto logsumexp_of(const Array<T, R>& a, const Axes& axes, K... keeps) {
  const auto x = floats(a);
  return log(sum(exp(x - shift_of(x, axes, keep)), axes, keeps...)) + shift_of(x, axes, keeps...);
}
WARPFOLD_STATISTIC(logsumexp)
#undef WARPFOLD_STATISTIC

// exp(a) divided by its sum along the axis, without overflow; 0 where all are -inf.
template <class T, int R> auto softmax(const Array<T, R>& a, int64_t axis = -1) {
  const auto x = floats(a);
  const auto powers = exp(x - shift_of(x, axis, keep)), sums = sum(powers, axis, keep);
  return where(sums == 0, 0, powers / sums);
}

// The first position along the axis of an element that equals `extreme`, which is the same along the axis; 0 if there is none: all are NaN.
template <class P, class T, int R> auto first_along(const char* name, const Array<T, R>& a, const Array<T, R>& extreme, int64_t axis) {
  constexpr P none = std::numeric_limits<P>::max();
  const size_t k = axis_of(axis, R, name);
  Shape<R> ones;
  ones.fill(1);
  const auto positions = Array<P, R>(warpfold::iota<P>(a.shape()[k], a.context()), with_extent<R>(ones, k, a.shape()[k]));
  const auto found = reduce_as(name, warpfold::min, none, where(a == extreme, positions, none), axis);
  return cast<int64_t>(where(found == none, P(0), found));
}
// The position along the axis of the extreme element by f, max or min, the first one of several: two folds that native code vectorizes, of which
// the second one usually reads the caches.
template <class F, class T, int R> auto position_along(const char* name, F f, const T& identity, const Array<T, R>& a, int64_t axis) {
  const size_t k = axis_of(axis, R, name);
  if (a.shape()[k] == 0)
    throw RangeError(std::string(name) + ": the extent of axis " + std::to_string(k) + " is 0; expected at least one element");
  const Array<T, R> extreme = reduce_as(name, f, identity, a, axis, keep);
  return a.shape()[k] < INT32_MAX ? first_along<int32_t>(name, a, extreme, axis) : first_along<int64_t>(name, a, extreme, axis);
}
// The position along the axis of the largest or least element, the first one of several; see argmax of sequences.
template <class T, int R> auto argmax(const Array<T, R>& a, int64_t axis) {
  return position_along("argmax", warpfold::max, tracing::identity_of<T, detail::Max>(), a, axis);
}
template <class T, int R> auto argmin(const Array<T, R>& a, int64_t axis) {
  return position_along("argmin", warpfold::min, tracing::identity_of<T, detail::Min>(), a, axis);
}
// The row-major index.
template <class T, int R> Scalar<int64_t> argmax(const Array<T, R>& a) { return warpfold::argmax(a.flat()); }
template <class T, int R> Scalar<int64_t> argmin(const Array<T, R>& a) { return warpfold::argmin(a.flat()); }

// The sums and products of the elements up to each one.
template <class T, int R> auto cumulative_sum(const Array<T, R>& a, int64_t axis = -1) {
  return scan_incl(plus, tracing::SumOf<T>(0), tracing::summands(a), axis);
}
template <class T, int R> auto cumulative_product(const Array<T, R>& a, int64_t axis = -1) {
  return scan_incl(times, tracing::SumOf<T>(1), tracing::summands(a), axis);
}

}  // namespace arrays
}  // namespace warpfold
