// Inner sequences: sequences made inside a traced function that depend on its arguments, such as a row of a matrix.
//
//     auto norms = tabulate([&](auto i) { return reduce(plus, 0.f, map([](auto x) { return x * x; }, subseq(a, i * m, m))); }, n);
//
// An inner sequence is a length and a function from a position to an element, both of expressions. It has no memory and exists only
// while its function is traced. Its static type is Seq<T>, so that functions of sequences work inside and outside; its reduction is a
// Scalar<T> that is an expression of the trace. A reduction of it becomes a `fold` of the written form.
//
// Functions of inner sequences are called when the sequence is reduced, like those of std::views. So a function that returns an inner sequence
// captures its own arguments by value:
//
//     auto scaled = [&](auto i) { return map([&, i](auto x) { return x * w[i]; }, subseq(a, i * m, m)); };      // [&] alone would dangle
#pragma once

#include <functional>

#include "warpfold/expressions/apply.hpp"

namespace warpfold::tracing {

// An integer of a trace, or a lazy one: a bound of an inner sequence.
template <class I> inline constexpr bool is_traced_integer = false;
template <class T> inline constexpr bool is_traced_integer<Expr<T>> = std::is_integral_v<T>;
template <class T> inline constexpr bool is_traced_integer<Scalar<T>> = std::is_integral_v<T>;
template <class I>
concept Bound = is_traced_integer<I> || std::is_integral_v<I>;
// Bounds of which at least one is traced or lazy.
template <class... I>
concept TracedBounds = (Bound<I> && ...) && (is_traced_integer<I> || ...);

using Index = Expr<int64_t>;
template <Bound I> Index index_of(const I& i) {
  if constexpr (std::is_integral_v<I>) return Index::of(literal<int64_t>(i));
  else return Index::of(Trace::current().cast(WF_I64, in_trace(i).id()));
}

template <class T> struct Inner {
  Index length;  // before the filter
  std::function<ExprFor<T>(const Index&)> element;
  std::function<Expr<bool>(const Index&)> keeps = {};  // of a filter; empty: every element
  bool checks_index = false;                           // element(j) is an error of the force for j outside [0, length)
  uint64_t trace = Trace::current().number();
};
template <class T> using InnerRef = std::shared_ptr<const Inner<T>>;
template <class T> InnerRef<T> make_inner(Inner<T> inner) { return std::make_shared<const Inner<T>>(std::move(inner)); }

// outer(), a sequence of its own; or inner() if it depends on expressions of a trace in progress.
template <class Outer, class Nested> auto outer_or_inner(const Outer& outer, const Nested& nested) {
  if (!trace_in_progress) return outer();
  try {
    return outer();
  } catch (const OuterExpr&) { return nested(); }
}

// The expression of a T that a traced function returned as expressions, lazy scalars and numbers.
template <class T, class R> ExprFor<T> converted(const R& result) {
  Id ids[detail::leaf_count<T>];
  to_leaves<T>(result, ids);
  return from_leaves<T>(ids);
}

// f, which must be traceable, of expressions.
template <class V, class F, class... X> ExprFor<V> call_inside(F& f, const X&... x) {
  if constexpr (detail::takes_exprs<F, X...>()) {
    return converted<V>(apply_traced(f, x...));
  } else {
    throw ArgumentError(
        "a function that runs on the host cannot take elements of a sequence that depends on a traced function's arguments: "
        "expected a function of expressions, with auto parameters");
  }
}

// The element at position j, where a j outside of `inner` is a RangeError of the force.
template <class T> ExprFor<T> checked_element(const Inner<T>& inner, const Index& j) {
  if (inner.checks_index) return inner.element(j);
  return inner.element(Index::of(Trace::current().check_index(j.id(), inner.length.id())));
}

template <class T> void require_unfiltered(const Inner<T>& inner, const char* what) {
  if (inner.keeps)
    throw ArgumentError(std::string(what) +
                        " of a filtered sequence inside a traced function: the positions of its elements are not "
                        "known; expected map, filter, reduce or length of it");
}

// identity f element(0) f ... f element(length - 1) as a fold of the trace; `text` is the function and the identity.
template <class T> ExprFor<T> fold(const Inner<T>& s, const T& identity, std::string text) {
  constexpr uint32_t n = detail::leaf_count<T>;
  Trace& trace = Trace::current();
  trace.require_made_here(s.trace);
  const auto record = trace.open_fold();
  const Index j = Index::of(record.first_variable);
  Id values[n], results[n];
  to_leaves<T>(s.element(j), values);
  if (s.keeps) {
    const Id kept = s.keeps(j).id();
    detail::each_leaf(identity, [&](const auto& leaf, auto k) {
      using S = Stored<std::remove_cvref_t<decltype(leaf)>>;
      const Id operands[] = {kept, values[k], trace.literal(type_code<S>, to_bits(static_cast<S>(leaf)))};
      values[k] = trace.apply("where", type_code<S>, operands, 3);
    });
  }
  const Id first = trace.close_fold(record, s.length.id(), values, n, std::move(text));
  for (uint32_t k = 0; k < n; k++) results[k] = first + 1 + k;
  return from_leaves<T>(results);
}

}  // namespace warpfold::tracing
