// The order of elements as an expression: that of sort. Scalars are ordered by value, -0 before 0, NaN after every number; tuples by their
// fields, one after another.
#pragma once

#include "warpfold/expressions/fixed.hpp"
#include "warpfold/expressions/operations.hpp"

namespace warpfold::tracing {

// x comes before y: two scalars. Equal ones come neither before nor after each other.
template <class T> Expr<bool> key_before(const Expr<T>& x, const Expr<T>& y) {
  if constexpr (std::is_floating_point_v<T>) {
    const auto zeros = (x == y) & (copysign(T(1), x) < copysign(T(1), y));
    return (x < y) | zeros | (isnan(y) & !isnan(x));
  } else {
    return x < y;
  }
}
template <class T> Expr<bool> key_same(const Expr<T>& x, const Expr<T>& y) {
  if constexpr (std::is_floating_point_v<T>) return ((x == y) & (copysign(T(1), x) == copysign(T(1), y))) | (isnan(x) & isnan(y));
  else return x == y;
}

// x comes before y: expressions of elements T.
template <class T> Expr<bool> comes_before(const ExprFor<T>& x, const ExprFor<T>& y) {
  constexpr size_t n = detail::leaf_count<T>;
  Id left[n], right[n];
  to_leaves<T>(x, left);
  to_leaves<T>(y, right);
  return [&]<size_t... k>(std::index_sequence<k...>) {
    Expr<bool> result = false;
    auto add = [&]<size_t leaf>(std::integral_constant<size_t, leaf>) {
      using L = std::tuple_element_t<leaf, detail::Leaves<T>>;
      const auto a = Expr<L>::of(left[leaf]), b = Expr<L>::of(right[leaf]);
      result = leaf == n - 1 ? key_before(a, b) : key_before(a, b) | (key_same(a, b) & result);
    };
    (add(std::integral_constant<size_t, n - 1 - k>{}), ...);
    return result;
  }
  (std::make_index_sequence<n>{});
}

// All leaves of x and y are equal, as == tells.
template <class T> Expr<bool> equal_leaves(const ExprFor<T>& x, const ExprFor<T>& y) {
  constexpr size_t n = detail::leaf_count<T>;
  Id left[n], right[n];
  to_leaves<T>(x, left);
  to_leaves<T>(y, right);
  return [&]<size_t... k>(std::index_sequence<k...>) {
    return (
        (Expr<std::tuple_element_t<k, detail::Leaves<T>>>::of(left[k]) == Expr<std::tuple_element_t<k, detail::Leaves<T>>>::of(right[k])) &
        ...);
  }
  (std::make_index_sequence<n>{});
}

// The function less of elements T: in the order of sort, ascending.
template <class T> auto ascending() {
  return detail::fixed([](const ExprFor<T>& x, const ExprFor<T>& y) { return comes_before<T>(x, y); });
}

// The orders of argmax and argmin: the right one of two elements is chosen. Numbers are compared by value and chosen instead of NaN.
template <class T> auto smaller() {
  if constexpr (std::is_floating_point_v<T>)
    return detail::fixed([](const Expr<T>& x, const Expr<T>& y) { return (x < y) | (isnan(x) & !isnan(y)); });
  else return ascending<T>();
}
template <class T> auto larger() {
  if constexpr (std::is_floating_point_v<T>)
    return detail::fixed([](const Expr<T>& x, const Expr<T>& y) { return (y < x) | (isnan(x) & !isnan(y)); });
  else return detail::fixed([](const ExprFor<T>& x, const ExprFor<T>& y) { return comes_before<T>(y, x); });
}

}  // namespace warpfold::tracing
