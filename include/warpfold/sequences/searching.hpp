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

namespace detail {
// The same of a filtered sequence inside a traced function: of each part, is there an element, the first, the last, and is it in order.
template <class F, class T> Scalar<bool> is_filtered_sorted(F in_order, const Seq<T>& s) {
  using P = std::tuple<bool, T, T, bool>;
  auto combine = [in_order](const ExprFor<P>& x, const ExprFor<P>& y) mutable {
    const auto& [x_any, x_first, x_last, x_sorted] = x;
    const auto& [y_any, y_first, y_last, y_sorted] = y;
    const auto both = x_sorted && y_sorted && in_order(x_last, y_first);
    return std::tuple(x_any || y_any, where(x_any, x_first, y_first), where(y_any, y_last, x_last),
                      (!x_any || !y_any || both) && x_sorted && y_sorted);
  };
  auto one = [](const ExprFor<T>& x) { return std::tuple(true, x, x, true); };
  return reduce(combine, P(false, T{}, T{}, true), map(one, s)).template get<3>();
}
}  // namespace detail

// True if no element comes before the one to its left. One pass.
template <class F, class T> Scalar<bool> is_sorted(F less, const Seq<T>& s) {
  auto in_order = [less](const ExprFor<T>& x, const ExprFor<T>& y) mutable { return !tracing::apply_traced(less, y, x); };
  if (tracing::is_filtered(s)) return detail::is_filtered_sorted(in_order, s);
  if (s.inner()) return reduce(logical_and, true, tracing::inner_neighbours<bool>(in_order, s));
  const int64_t n = std::max<int64_t>(s.size(), 1);
  return reduce(logical_and, true, map(in_order, take(s, std::min(n - 1, s.size())), drop(s, std::min<int64_t>(1, s.size()))));
}
template <class T> Scalar<bool> is_sorted(const Seq<T>& s) { return is_sorted(tracing::ascending<T>(), s); }

// True if the lengths are equal and equal(x, y) is true for elements at the same position; without a function, x == y, field by field. One
// pass over both.
template <class F, class T, class U>
requires(!detail::IsSequence<F>) Scalar<bool> equal(F equal, const Seq<T>& s, const Seq<U>& t) {
  auto all_equal = [&](const Seq<T>& x, const Seq<U>& y) { return reduce(logical_and, true, map(equal, x, y)); };
  if (tracing::any_inner(s, t)) return length(s) == length(t) && tracing::inner_shortest("equal", all_equal, s, t);
  if (s.size() != t.size()) return Scalar<bool>(false, s.context());
  return all_equal(s, t);
}
template <class T> Scalar<bool> equal(const Seq<T>& s, const Seq<T>& t) {
  return equal([](const ExprFor<T>& x, const ExprFor<T>& y) { return tracing::equal_leaves<T>(x, y); }, s, t);
}

// -1, 0 or 1: s comes before t, equals it or comes after it in lexicographic order. The first position at which the elements differ decides;
// if there is none, the shorter one comes first. One pass over the shorter length.
template <class F, class T> Scalar<int> collate(F less, const Seq<T>& s, const Seq<T>& t) {
  auto compare = [less](const ExprFor<T>& x, const ExprFor<T>& y) mutable {
    return where(tracing::apply_traced(less, x, y), -1, cast<int>(tracing::apply_traced(less, y, x)));
  };
  auto first_of = [&](const Seq<T>& x, const Seq<T>& y) {
    return reduce([](auto a, auto b) { return where(a != 0, a, b); }, 0, map(compare, x, y));
  };
  if (tracing::any_inner(s, t)) {
    const auto decides = tracing::inner_shortest("collate", first_of, s, t);
    return where(decides != 0, decides, cast<int>(length(s) > length(t)) - cast<int>(length(s) < length(t)));
  }
  const int64_t n = std::min(s.size(), t.size());
  auto first = first_of(take(s, n), take(t, n));
  const int longer = (s.size() > t.size()) - (s.size() < t.size());
  return map([longer](auto x) { return where(x != 0, x, longer); }, first);
}
template <class T> Scalar<int> collate(const Seq<T>& s, const Seq<T>& t) { return collate(tracing::ascending<T>(), s, t); }

}  // namespace warpfold
