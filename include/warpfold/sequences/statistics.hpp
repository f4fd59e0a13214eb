// Reductions that tell where and what: find, argmin and argmax, minmax, mean; and the largest elements. One pass each, fused with what
// computes the elements.
#pragma once

#include <optional>

#include "warpfold/sequences/indexing.hpp"
#include "warpfold/sequences/sorting.hpp"

namespace warpfold {

// The mean of the elements, numbers, as a double; NaN for an empty s.
template <class T> Scalar<double> mean(const Seq<T>& s) {
  return sum(map(detail::fixed([](auto x) { return cast<double>(x); }), s)) / cast<double>(length(s));
}

// auto [low, high] = minmax(s): the least and the largest scalar; the largest and the least of the type for an empty s.
template <Element T> Scalar<std::pair<T, T>> minmax(const Seq<T>& s) {
  using P = std::pair<T, T>;
  auto combine =
      detail::fixed([](const ExprFor<P>& x, const ExprFor<P>& y) { return std::pair(min(x.first, y.first), max(x.second, y.second)); });
  return reduce(combine, P(tracing::identity_of<T, detail::Min>(), tracing::identity_of<T, detail::Max>()),
                map(detail::fixed([](auto x) { return std::pair(x, x); }), s));
}

// The index of the first element for which f is true; -1 if there is none. The CPU engine stops soon after it.
template <class F, class T> Scalar<int64_t> find_index(F f, const Seq<T>& s) {
  static constexpr int64_t none = std::numeric_limits<int64_t>::max();
  if (s.inner()) return tracing::inner_test<int64_t, T>("find_index", f, std::array{tracing::inner_of(s).term});
  auto index = [f](const Expr<int64_t>& i, const ExprFor<T>& x) mutable { return where(tracing::apply_traced(f, x), i, none); };
  return map([](auto i) { return where(i == none, -1, i); }, reduce(min, none, map_idx(index, s)));
}
// The first element for which f is true. Computes it.
template <class F, class T> std::optional<T> find(F f, const Seq<T>& s) {
  if (s.inner()) tracing::reject_inner("find", "find_index(f, s)");
  const int64_t i = find_index(f, s).get();
  return i < 0 ? std::nullopt : std::optional<T>(s[i].get());
}

namespace detail {
template <class F, class T> Scalar<int64_t> index_of_largest(const char* name, F less, const Seq<T>& s) {
  if (s.inner()) return tracing::inner_argmax(less, s);
  if (s.empty()) throw RangeError(std::string(name) + ": s is empty; expected at least one element");
  using P = std::pair<int64_t, T>;
  auto later = fixed_if<F>([less](const ExprFor<P>& x, const ExprFor<P>& y) mutable {
    const auto take_right = x.first < 0 || (y.first >= 0 && tracing::apply_traced(less, x.second, y.second));
    return where(take_right, y, x);
  });
  return reduce(later, P(-1, T{}), enumerate(s)).template get<0>();
}
}  // namespace detail

// The index of the largest element in the order of less, the first one of several. Throws RangeError if s is empty; inside a traced function,
// the index in an empty s is -1.
// Without less, scalars are compared by value, so that the element is max(s): -0 and 0 are equal, and NaN is chosen only if there is nothing
// else. Tuples are compared in the order of sort.
template <class F, class T> Scalar<int64_t> argmax(F less, const Seq<T>& s) { return detail::index_of_largest("argmax", less, s); }
template <class T> Scalar<int64_t> argmax(const Seq<T>& s) { return argmax(tracing::smaller<T>(), s); }
// The index of the smallest element, the first one of several.
template <class F, class T> Scalar<int64_t> argmin(F less, const Seq<T>& s) {
  auto greater =
      detail::fixed_if<F>([less](const ExprFor<T>& x, const ExprFor<T>& y) mutable { return tracing::apply_traced(less, y, x); });
  return detail::index_of_largest("argmin", greater, s);
}
template <class T> Scalar<int64_t> argmin(const Seq<T>& s) { return detail::index_of_largest("argmin", tracing::larger<T>(), s); }

// The k largest elements, largest first; all of them if s is shorter. Of equal elements the first ones. Throws RangeError if k is negative.
// The elements are selected if they are few (see sort).
template <class T> Seq<T> top_k(const Seq<T>& s, int64_t k) {
  if (k < 0) throw RangeError("top_k: k is " + std::to_string(k) + "; expected 0 or more");
  return take(sort(s, descending), std::min(k, s.size()));
}

}  // namespace warpfold
