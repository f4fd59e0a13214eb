// Calls of callables with elements. A callable takes a tuple-like element as one argument, or its fields as separate arguments: both
// [](auto p) and [](auto a, auto b) map over a sequence of pairs.
#pragma once

#include "warpfold/expressions/operations.hpp"

namespace warpfold {

// Runs f on the host even though it could be traced: map(host([](auto x) { ... }), s).
template <class F> struct Host { F f; };
template <class F> Host<F> host(F f) { return {std::move(f)}; }

namespace detail {

template <class F> inline constexpr bool is_host = false;
template <class F> inline constexpr bool is_host<Host<F>> = true;

// f(x...) or f(fields of x...).
template <class F, class... X>
concept Direct = std::is_invocable_v<F&, X...>;

template <class F, class Tuple> inline constexpr bool takes_all = false;
template <class F, class... X> inline constexpr bool takes_all<F, std::tuple<X...>> = std::is_invocable_v<F&, X...>;

template <class X>
concept TupleLikeExpr = !tracing::Operand<X>;

// A callable that is not a template and takes numbers.
struct AnyNumber {
  template <class V>
  requires std::is_arithmetic_v<V>
  operator V() const;
};
template <class> using NumberFor = AnyNumber;
template <class F, class... X>
concept TakesNumbers = (!std::is_class_v<F> || requires { &F::operator(); }) && std::is_invocable_v<F&, NumberFor<X>...>;

template <class F, class... X> consteval bool takes_exprs() {
  if constexpr (is_host<F> || TakesNumbers<F, X...>) {
    return false;
  } else if constexpr (Direct<F, X...>) {
    return true;
  } else if constexpr (sizeof...(X) == 1 && (TupleLikeExpr<X> && ...)) {
    return takes_all<F, decltype(tracing::spread(std::declval<const X&>()...))>;
  } else {
    return false;
  }
}

// The same for elements, not expressions of elements.
template <class T> auto spread_value(T& value) {
  return std::apply([](const auto&... field) { return std::make_tuple(field...); }, tie_fields(value));
}
template <class F, class... T> consteval bool takes_values() {
  if constexpr (Direct<F, T...>) {
    return true;
  } else if constexpr (sizeof...(T) == 1 && (!Element<T> && ...)) {
    return takes_all<F, decltype(spread_value(std::declval<const T&>()...))>;
  } else {
    return false;
  }
}

}  // namespace detail

namespace tracing {

template <class F, class... X> auto apply_traced(F& f, const X&... x) {
  if constexpr (detail::Direct<F, X...>) return f(x...);
  else return std::apply(f, spread(x...));
}

}  // namespace tracing

namespace detail {

template <class F, class... T> auto apply_to_values(F& f, const T&... value) {
  if constexpr (Direct<F, T...>) return f(value...);
  else return std::apply(f, spread_value(value...));
}

}  // namespace detail
}  // namespace warpfold
