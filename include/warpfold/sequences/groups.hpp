// Groups of equal elements: runs of a sequence in order, collect, group_by, reduce_by_key.
//
//     auto [words, counts] = unzip(run_lengths(sort(words)));
//     auto totals = reduce_by_key(plus, 0.0f, customers, amounts);           // pairs (customer, sum), by customer
//
// Keys are equal if neither comes before the other in the order of sort: -0 and 0 differ, all NaNs are equal. Functions that sort have the
// work of sort, n log n; the others n.
#pragma once

#include <limits>
#include <optional>

#include "warpfold/sequences/scattering.hpp"
#include "warpfold/sequences/searching.hpp"
#include "warpfold/sequences/segments.hpp"
#include "warpfold/sequences/sorting.hpp"

namespace warpfold {

namespace detail {
// The offsets of the runs of neighbours that are equal in the leaves of K, which come first in T.
template <class K, class T> Seq<int64_t> run_offsets(const Seq<T>& s) {
  return Seq<int64_t>::own(sequence(wf_runs, s.raw(), static_cast<int32_t>(leaf_count<K>)));
}
// The first element of each segment.
template <class T> Seq<T> first_of_each(const Seq<T>& s, const Seq<int64_t>& offsets) {
  return Seq<T>::like(map([s](auto i) { return s[i]; }, take(offsets, std::max<int64_t>(offsets.size() - 1, 0))));
}
}  // namespace detail

// The maximal runs of equal neighbours. No copy. The number of runs is unknown until a call forces it.
template <class T> Segments<T> runs(const Seq<T>& s) { return {s, detail::run_offsets<T>(s)}; }
// Runs of neighbours x, y for which equal(x, y) is true.
template <class F, class T> Segments<T> runs(F equal, const Seq<T>& s) {
  auto function = detail::function_of<bool, T, T>(equal);
  return {s, Seq<int64_t>::own(detail::sequence(wf_runs_by, function.handle.raw(), s.raw()))};
}

// The first element of each run of equal neighbours: the distinct elements, if s is in order. One pass.
template <class T> Seq<T> unique(const Seq<T>& s) {
  return Seq<T>::own(detail::sequence(wf_unique, s.raw(), static_cast<int32_t>(detail::leaf_count<T>)));
}
template <class F, class T> Seq<T> unique(F equal, const Seq<T>& s) {
  auto function = detail::function_of<bool, T, T>(equal);
  return Seq<T>::own(detail::sequence(wf_unique_by, function.handle.raw(), s.raw()));
}

// Each run of equal neighbours as its first element and its length.
template <class T> Seq<std::pair<T, int64_t>> run_lengths(const Seq<T>& s) {
  const Segments<T> all = runs(s);
  return zip(detail::first_of_each(s, all.offsets()), all.lengths());
}

// keys[k] is the key of all values in segment k.
template <class K, class V> struct Groups {
  Seq<K> keys;
  Segments<V> values;
};

// auto [keys, groups] = collect(pairs): the values of each key, in their order, by ascending key.
template <class K, class V> Groups<K, V> collect(const Seq<std::pair<K, V>>& pairs) {
  const auto sorted = detail::sorted_by_first<K>(pairs, Order::ascending);
  const auto offsets = detail::run_offsets<K>(sorted);
  return {detail::first_of_each(field<0>(sorted), offsets), {field<1>(sorted), offsets}};
}
// The same with keys in the order of less. Of the keys of a group, the first one stands for all.
template <class F, class K, class V> Groups<K, V> collect(F less, const Seq<std::pair<K, V>>& pairs) {
  using P = ExprFor<std::pair<K, V>>;
  const auto sorted = sort([less](const P& x, const P& y) mutable { return tracing::apply_traced(less, x.first, y.first); }, pairs);
  const auto keys = field<0>(sorted);
  auto goes_on = [less](const ExprFor<K>& x, const ExprFor<K>& y) mutable { return !tracing::apply_traced(less, x, y); };
  const auto offsets = runs(goes_on, keys).offsets();
  return {detail::first_of_each(keys, offsets), {field<1>(sorted), offsets}};
}
// The elements of each key(x), in their order, by ascending key.
template <class F, class T> auto group_by(F key, const Seq<T>& s) { return collect(zip(map(key, s), s)); }

namespace detail {

constexpr int64_t fewest_by_key = 1 << 14;  // fewer are sorted as fast

// Values of integer keys are combined in a table if f is a named function with an identity, since scatter combines them in any order.
template <class F, class K, class V> constexpr bool combines_in_table() {
  if constexpr (Element<K> && Element<V> && std::is_integral_v<K> && !std::is_same_v<K, bool>)
    return tracing::known_identity<V, F>().has_value();
  else return false;
}

// Nothing if the keys' range is too large. Two passes over the keys, which finds their range first.
template <class F, class K, class V>
std::optional<Seq<std::pair<K, V>>> reduced_in_table(F f, V b, const Seq<K>& keys, const Seq<V>& values) {
  constexpr uint64_t small = 1 << 16, largest = 1 << 20;
  constexpr uint64_t fewest_of_each = 4;  // values per key of a table that is not small
  constexpr int64_t few = 1 << 11;        // keys, which are counted as fast as they are marked
  const auto least = min(keys), most = max(keys);
  const K low = least.get(), high = most.get();
  const uint64_t limit = std::clamp(static_cast<uint64_t>(keys.size()) / fewest_of_each, small, largest);
  if (static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= limit) return std::nullopt;
  const bool is_offset = low < K(0) || static_cast<uint64_t>(high) >= limit;
  const K first = is_offset ? low : K(0);
  const int64_t bins = static_cast<int64_t>(static_cast<uint64_t>(high) - static_cast<uint64_t>(first)) + 1;
  using Index = std::conditional_t<(sizeof(K) < 4), int32_t, K>;
  const Seq<Index> indices = is_offset ? cast<Index>(map([first](auto key) { return key - first; }, keys)) : cast<Index>(keys);
  const auto& context = keys.context();
  const auto equal = [&](auto x, int64_t n) { return tabulate([x](auto i) { return tracing::cast<decltype(x)>(i - i) | x; }, n, context); };
  V start = b;  // which nobody sees, but of NaNs alone the extreme is NaN
  if constexpr (std::is_same_v<F, Min> || std::is_same_v<F, Max>)
    if (std::is_floating_point_v<V>) start = std::numeric_limits<V>::quiet_NaN();
  const auto totals = scatter(f, tabulate([start](auto i) { return start + -tracing::cast<V>(i - i); }, bins, context), indices, values);
  const Seq<bool> is_key = bins <= few ? map([](auto count) { return count > 0; }, histogram(indices, bins))
                                       : scatter(logical_or, equal(false, bins), indices, equal(true, keys.size()));
  const auto table = zip(tabulate([first](auto i) { return tracing::cast<K>(i) + first; }, bins, context), totals, is_key);
  const auto found = filter([](auto, auto, auto is_found) { return is_found; }, table);
  return zip(field<0>(found), field<1>(found));
}

}  // namespace detail

// (key, the combination of its values by f), by ascending key. f is associative, b its identity; f need not commute. Keys that are in order, and
// integer keys of a small range with a named function such as plus, take work n; order and range are found when the function is called.
template <class F, class K, class V>
Seq<std::pair<K, V>> reduce_by_key(F f, const std::type_identity_t<V>& b, const Seq<K>& keys, const Seq<V>& values) {
  const auto pairs = zip(keys, values);
  if (keys.size() >= detail::fewest_by_key) {
    if (is_sorted(keys).get()) {
      const auto offsets = detail::run_offsets<K>(keys);
      return zip(detail::first_of_each(keys, offsets), reduce(f, b, Segments<V>(values, offsets)));
    }
    if constexpr (detail::combines_in_table<F, K, V>())
      if (const auto result = detail::reduced_in_table(f, b, keys, values)) return *result;
  }
  const Groups<K, V> groups = collect(pairs);
  return zip(groups.keys, reduce(f, b, groups.values));
}

}  // namespace warpfold
