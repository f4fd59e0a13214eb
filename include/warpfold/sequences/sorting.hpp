// sort and merge.
//
// Scalars are ordered by value, -0 before 0, NaN after every number, false before true; tuples by their fields, one after another.
// Equal elements keep their order. A function less(x, y) is true if x comes before y; it is a strict weak order that captures nothing.
#pragma once

#include "warpfold/primitives.hpp"

namespace warpfold {

enum class Order { ascending, descending };
// The reverse order, in which equal elements keep their order too.
inline constexpr Order descending = Order::descending;

namespace detail {
// Elements whose first columns are the leaves of K.
template <class K, class T> Seq<T> sorted_by_first(const Seq<T>& s, Order order) {
  return Seq<T>::own(sequence(wf_sort, s.raw(), static_cast<int32_t>(leaf_count<K>), static_cast<int32_t>(order)));
}

template <class T, class F> auto less_of(F& f) { return function_of<bool, T, T>(f); }
}  // namespace detail

// The elements of s in order. Work n log n, span log^2 n. The CPU engine selects the elements if only few are read, as in take(sort(s), 10) and
// sort(s)[n / 2], and does work n: once for a sorted sequence, which a second such call sorts and keeps.
template <class T> Seq<T> sort(const Seq<T>& s, Order order = Order::ascending) { return detail::sorted_by_first<T>(s, order); }
// The same in the order of less.
template <class F, class T> Seq<T> sort(F less, const Seq<T>& s) {
  auto function = detail::less_of<T>(less);
  return Seq<T>::own(detail::sequence(wf_sort_by, function.handle.raw(), s.raw()));
}
// The elements in the order of key(x), a scalar or a tuple.
template <class F, class T> Seq<T> sort_by(F key, const Seq<T>& s, Order order = Order::ascending) {
  auto keys = map(key, s);
  using K = typename decltype(keys)::value_type;
  return field<1>(detail::sorted_by_first<K>(zip(keys, s), order));
}

// The elements of s and t in order, if both are in that order. Of equal elements those of s come first. Work n, span log n.
template <class T> Seq<T> merge(const Seq<T>& s, const Seq<T>& t, Order order = Order::ascending) {
  return Seq<T>::own(
      detail::sequence(wf_merge, s.raw(), t.raw(), static_cast<int32_t>(detail::leaf_count<T>), static_cast<int32_t>(order)));
}
template <class F, class T> Seq<T> merge(F less, const Seq<T>& s, const Seq<T>& t) {
  auto function = detail::less_of<T>(less);
  return Seq<T>::own(detail::sequence(wf_merge_by, function.handle.raw(), s.raw(), t.raw()));
}

}  // namespace warpfold
