// Inner sequences: sequences made inside a traced function that depend on its arguments, such as a row of a matrix.
//
//     auto norms = tabulate([&](auto i) { return reduce(plus, 0.f, map([](auto x) { return x * x; }, subseq(a, i * m, m))); }, n);
//
// An inner sequence is a term of the trace, a form of the written form (docs/written-form.md), which the library lowers. It has no memory and
// exists only while its function is traced. Its static type is Seq<T>, so that functions of sequences work inside and outside; its reduction
// is a Scalar<T> that is an expression of the trace.
#pragma once

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

template <class T, Bound I> Expr<T> bound_as(const I& i) {
  if constexpr (std::is_integral_v<I>) return Expr<T>::of(literal<T>(static_cast<T>(i)));
  else return Expr<T>::of(Trace::current().cast(type_code<T>, in_trace(i).id()));
}
using Index = Expr<int64_t>;
template <Bound I> Index index_of(const I& i) { return bound_as<int64_t>(i); }

struct Inner {
  Id term;
  int64_t known_length = -1;  // -1: it depends on the trace
  bool is_filtered = false;
  uint64_t trace = Trace::current().number();
};
using InnerRef = std::shared_ptr<const Inner>;

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

inline void require_unfiltered(const Inner& inner, const char* what) {
  if (inner.is_filtered)
    throw ArgumentError(std::string(what) +
                        " of a filtered sequence inside a traced function: the positions of its elements are not "
                        "known; expected map, filter, reduce or length of it");
}

// ---- forms ------------------------------------------------------------------------------------------------------------

// A form without a function: the term of a sequence, or of values of these types.
inline Id form(const char* name, std::span<const Id> operands, std::span<const int32_t> values = {}, std::string text = {}) {
  Trace& trace = Trace::current();
  return trace.close_form(trace.open_form({}), {name, {}, operands, values, std::move(text)});
}

// A form with f, a function of elements X... that returns an R.
template <class R, class... X, class F>
Id form_of(const char* name, F& f, std::span<const Id> operands, std::span<const int32_t> values = {}, std::string text = {}) {
  using Elements = std::tuple<X...>;
  Trace& trace = Trace::current();
  const auto record = trace.open_form(detail::leaf_codes<Elements>);
  Id variables[detail::leaf_count<Elements>], results[detail::leaf_count<R>];
  for (uint32_t k = 0; k < detail::leaf_count<Elements>; k++) variables[k] = record.first_variable + k;
  to_leaves<R>(std::apply([&](const auto&... x) { return call_inside<R>(f, x...); }, from_leaves<Elements>(variables)), results);
  return trace.close_form(record, {name, results, operands, values, std::move(text)});
}

// The value of a form.
template <class T> Scalar<T> value_of_form(Id form) {
  Id leaves[detail::leaf_count<T>];
  for (uint32_t k = 0; k < detail::leaf_count<T>; k++) leaves[k] = form + 1 + k;
  return Scalar<T>::traced(leaves);
}

// The element at position j, where a j outside of `inner` is a RangeError of the force.
template <class T> ExprFor<T> inner_element(const Inner& inner, const Index& j) {
  require_unfiltered(inner, "an element");
  Trace::current().require_made_here(inner.trace);
  return converted<T>(value_of_form<T>(form("at", std::array{inner.term, j.id()}, detail::leaf_codes<T>)));
}

}  // namespace warpfold::tracing
