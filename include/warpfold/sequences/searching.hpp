// Searches in sequences in order, sets, and comparisons of sequences.
//
// `sorted` must be in the order of sort, or in that of less; otherwise the results are unspecified.
#pragma once

#include "warpfold/expressions/ordering.hpp"
#include "warpfold/sequences/reductions.hpp"
#include "warpfold/sequences/sorting.hpp"

namespace warpfold {

namespace detail {
template <class T> Seq<int64_t> bounds(const Seq<T>& sorted, const Seq<T>& needles, Order order, int32_t after) {
  return Seq<int64_t>::own(
      sequence(wf_search, sorted.raw(), needles.raw(), static_cast<int32_t>(leaf_count<T>), static_cast<int32_t>(order), after));
}
template <class F, class T> Seq<int64_t> bounds(F& less, const Seq<T>& sorted, const Seq<T>& needles, int32_t after) {
  auto function = less_of<T>(less);
  return Seq<int64_t>::own(sequence(wf_search_by, function.handle.raw(), sorted.raw(), needles.raw(), after));
}
}  // namespace detail

// For each needle, the number of elements that come before it: the first position at which it can be inserted. A binary search in each
// element, fused with what computes the needles. Work |needles| log n.
template <class T> Seq<int64_t> lower_bound(const Seq<T>& sorted, const Seq<T>& needles, Order order = Order::ascending) {
  return detail::bounds(sorted, needles, order, 0);
}
template <class F, class T> Seq<int64_t> lower_bound(F less, const Seq<T>& sorted, const Seq<T>& needles) {
  return detail::bounds(less, sorted, needles, 0);
}
// The number of elements that do not come after it: the last position at which it can be inserted.
template <class T> Seq<int64_t> upper_bound(const Seq<T>& sorted, const Seq<T>& needles, Order order = Order::ascending) {
  return detail::bounds(sorted, needles, order, 1);
}
template <class F, class T> Seq<int64_t> upper_bound(F less, const Seq<T>& sorted, const Seq<T>& needles) {
  return detail::bounds(less, sorted, needles, 1);
}
// True for each needle that is an element.
template <class T> Seq<bool> binary_search(const Seq<T>& sorted, const Seq<T>& needles, Order order = Order::ascending) {
  return map([](auto low, auto high) { return low < high; }, lower_bound(sorted, needles, order), upper_bound(sorted, needles, order));
}

// ---- sets: s and t in order -------------------------------------------------------------------------------------------

// Of m equal elements of s and n of t, the intersection has the first min(m, n) of s, the difference the others, and the union the m of s
// and, if n > m, the last n - m of t. Work (|s| + |t|) log.
template <class T> Seq<T> set_intersection(const Seq<T>& s, const Seq<T>& t, Order order = Order::ascending) {
  return Seq<T>::own(
      detail::sequence(wf_intersection, s.raw(), t.raw(), static_cast<int32_t>(detail::leaf_count<T>), static_cast<int32_t>(order)));
}
template <class F, class T> Seq<T> set_intersection(F less, const Seq<T>& s, const Seq<T>& t) {
  auto function = detail::less_of<T>(less);
  return Seq<T>::own(detail::sequence(wf_intersection_by, function.handle.raw(), s.raw(), t.raw()));
}
template <class T> Seq<T> set_difference(const Seq<T>& s, const Seq<T>& t, Order order = Order::ascending) {
  return Seq<T>::own(
      detail::sequence(wf_difference, s.raw(), t.raw(), static_cast<int32_t>(detail::leaf_count<T>), static_cast<int32_t>(order)));
}
template <class F, class T> Seq<T> set_difference(F less, const Seq<T>& s, const Seq<T>& t) {
  auto function = detail::less_of<T>(less);
  return Seq<T>::own(detail::sequence(wf_difference_by, function.handle.raw(), s.raw(), t.raw()));
}
template <class T> Seq<T> set_union(const Seq<T>& s, const Seq<T>& t, Order order = Order::ascending) {
  return merge(s, set_difference(t, s, order), order);
}
template <class F, class T> Seq<T> set_union(F less, const Seq<T>& s, const Seq<T>& t) {
  return merge(less, s, set_difference(less, t, s));
}

// ---- comparisons ------------------------------------------------------------------------------------------------------

// True if no element comes before the one to its left. One pass.
template <class F, class T> Scalar<bool> is_sorted(F less, const Seq<T>& s) {
  if (s.inner()) return tracing::inner_test<bool, T, T>("is_sorted", less, std::array{tracing::inner_of(s).term});
  auto in_order = [less](const ExprFor<T>& x, const ExprFor<T>& y) mutable { return !tracing::apply_traced(less, y, x); };
  const int64_t n = std::max<int64_t>(s.size(), 1);
  return reduce(logical_and, true, map(in_order, take(s, std::min(n - 1, s.size())), drop(s, std::min<int64_t>(1, s.size()))));
}
template <class T> Scalar<bool> is_sorted(const Seq<T>& s) { return is_sorted(tracing::ascending<T>(), s); }

// True if the lengths are equal and equal(x, y) is true for elements at the same position; without a function, x == y, field by field. One
// pass over both.
template <class F, class T, class U>
requires(!detail::IsSequence<F>) Scalar<bool> equal(F equal, const Seq<T>& s, const Seq<U>& t) {
  if (tracing::any_inner(s, t))
    return tracing::inner_test<bool, T, U>("equal", equal,
                                           std::array{tracing::unfiltered("equal", s).term, tracing::unfiltered("equal", t).term});
  if (s.size() != t.size()) return Scalar<bool>(false, s.context());
  return reduce(logical_and, true, map(equal, s, t));
}
template <class T> Scalar<bool> equal(const Seq<T>& s, const Seq<T>& t) {
  return equal([](const ExprFor<T>& x, const ExprFor<T>& y) { return tracing::equal_leaves<T>(x, y); }, s, t);
}

// -1, 0 or 1: s comes before t, equals it or comes after it in lexicographic order. The first position at which the elements differ decides;
// if there is none, the shorter one comes first. One pass over the shorter length.
template <class F, class T> Scalar<int> collate(F less, const Seq<T>& s, const Seq<T>& t) {
  if (tracing::any_inner(s, t)) {
    const std::array both{tracing::unfiltered("collate", s).term, tracing::unfiltered("collate", t).term};
    return map([](auto x) { return cast<int>(x); }, tracing::inner_test<int64_t, T, T>("compare", less, both));
  }
  auto compare = [less](const ExprFor<T>& x, const ExprFor<T>& y) mutable {
    return where(tracing::apply_traced(less, x, y), -1, cast<int>(tracing::apply_traced(less, y, x)));
  };
  const int64_t n = std::min(s.size(), t.size());
  auto first = reduce([](auto a, auto b) { return where(a != 0, a, b); }, 0, map(compare, take(s, n), take(t, n)));
  const int longer = (s.size() > t.size()) - (s.size() < t.size());
  return map([longer](auto x) { return where(x != 0, x, longer); }, first);
}
template <class T> Scalar<int> collate(const Seq<T>& s, const Seq<T>& t) { return collate(tracing::ascending<T>(), s, t); }

}  // namespace warpfold
