// Element by element: map, zip, operators and functions of arrays, with broadcasting by NumPy's rules. All are lazy and fuse.
//
// Types are promoted as in traced functions (expressions/operations.hpp): a C++ number adopts the type of the other operand.
#pragma once

#include <array>
#include <cstring>

#include "warpfold/arrays/array.hpp"
#include "warpfold/expressions/ordering.hpp"

namespace warpfold {
namespace arrays {

// ---- operands ---------------------------------------------------------------------------------------------------------

using tracing::has_axes;
using tracing::rank_of;
template <class... A> inline constexpr int common_rank = std::max({rank_of<A>...});

// The extents; -1 for the result of a filter that has not run.
template <class A> auto extents_of(const A& a) {
  Shape<rank_of<A>> extents{};
  detail::check(wf_shape(a.raw(), extents.data(), rank_of<A>, nullptr));
  return extents;
}
template <class A> auto known_extents_of(const A& a) {
  if constexpr (is_array<A>) return a.shape();
  else return Shape<1>{a.size()};
}

template <size_t n> detail::SeqHandle broadcast_to(wf_seq* s, const std::array<int64_t, n>& extents) {
  return detail::SeqHandle::own(detail::sequence(wf_broadcast, s, extents.data(), static_cast<int32_t>(n)));
}

// The common shape of the operands that have axes.
template <int R, class... A> Shape<R> common_shape(const std::string& function, const A&... a) {
  Shape<R> common;
  common.fill(1);
  std::array<int64_t, 8> first{};
  size_t first_rank = 0;
  auto add = [&](const auto& x) {
    const auto extents = known_extents_of(x);
    if (first_rank == 0) std::copy(extents.begin(), extents.end(), first.begin()), first_rank = extents.size();
    broaden(common, extents, function, std::span(first).first(first_rank));
  };
  (add(a), ...);
  return common;
}

// The operands with axes, broadcast to their common shape.
template <class... A> class Conformed {
 public:
  static constexpr int rank = common_rank<A...>;
  Conformed(const char* function, const A&... a) : raw_{a.raw()...} {
    if constexpr (sizeof...(A) > 1) {
      const bool same_rank = ((rank_of<A> == rank) && ...);
      bool same = same_rank;
      if constexpr (((rank_of<A> == rank) && ...)) {
        const Shape<rank> all[] = {extents_of(a)...};
        for (const auto& extents : all) same = same && extents == all[0];
      }
      if (same) return;
      const Shape<rank> common = common_shape<rank>(function, a...);
      size_t k = 0;
      auto fit = [&](const auto& x) {
        const auto extents = known_extents_of(x);
        if (!std::equal(extents.begin(), extents.end(), common.begin(), common.end()))
          owners_[k] = broadcast_to(x.raw(), common), raw_[k] = owners_[k].raw();
        k++;
      };
      (fit(a), ...);
    }
  }
  Conformed(const Conformed&) = delete;
  wf_seq* const* raw() const { return raw_; }

 private:
  wf_seq* raw_[sizeof...(A)];
  std::array<detail::SeqHandle, sizeof...(A)> owners_;
};

// outer(), which cannot depend on the arguments of a traced function if its rank is not 1.
template <class Outer> auto require_outer(const Outer& outer) {
  try {
    return outer();
  } catch (const tracing::OuterExpr&) {
    throw ArgumentError(
        "map of an array depends on the arguments of a traced function: expected a map of a sequence, such as a.row(i) or a.flat(), or of "
        "elements a(i, j)");
  }
}

// ---- functions of elements --------------------------------------------------------------------------------------------

// r[i, j, ...] = f(a[i, j, ...], ...), with broadcasting. f may take the fields of a tuple-like element as separate arguments, and may
// return a tuple. Throws SizeError with both shapes and the axis.
template <class F, class... A>
requires((has_axes<A> && ...) && (is_array<A> || ...)) auto map(F f, const A&... a) {
  using V = detail::ResultOf<F, typename A::value_type...>;
  constexpr int R = common_rank<A...>;
  auto outer = [&] {
    const Conformed<A...> operands("map", a...);
    auto function = detail::function_of<void, typename A::value_type...>(f);
    return Array<V, R>::own(detail::sequence(wf_map, function.handle.raw(), operands.raw(), static_cast<int32_t>(sizeof...(A))));
  };
  if constexpr (R == 1) {
    auto inner = [&] { return Array<V, 1>(tracing::inner_map<V>(f, a...)); };
    return tracing::any_inner(a...) ? inner() : tracing::outer_or_inner(outer, inner);
  } else {
    return require_outer(outer);
  }
}
// Like map; the name says that there are several arrays.
template <class F, class... A>
requires((has_axes<A> && ...) && (is_array<A> || ...)) auto zip_with(F f, const A&... a) { return map(f, a...); }

template <class... T> struct ZippedOf { using type = std::tuple<T...>; };
template <class A, class B> struct ZippedOf<A, B> { using type = std::pair<A, B>; };

// Pairs or tuples of the elements, with broadcasting. Free.
template <class... A>
requires(sizeof...(A) > 1 && (has_axes<A> && ...) && (is_array<A> || ...)) auto zip(const A&... a) {
  using V = typename ZippedOf<typename A::value_type...>::type;
  if constexpr (common_rank<A...> == 1)
    if (tracing::any_inner(a...)) return Array<V, 1>(tracing::inner_zip<V>(a...));
  const Conformed<A...> operands("zip", a...);
  return Array<V, Conformed<A...>::rank>::own(detail::sequence(wf_zip, operands.raw(), static_cast<int32_t>(sizeof...(A))));
}
// Field k of every element. Free.
template <size_t k, class T, int R> auto field(const Array<T, R>& a) {
  return Array<detail::Field<T, k>, R>::own(tracing::columns_of_field<T, k>(a.raw()));
}
template <class T, int R> auto unzip(const Array<T, R>& a) {
  return [&]<size_t... k>(std::index_sequence<k...>) { return std::tuple{field<k>(a)...}; }
  (std::make_index_sequence<detail::field_count<T>>{});
}

// The expression that stands for an operand: arrays become parameters, lazy scalars are captured, numbers are literals.
template <class A> struct AsExpression { using type = A; };
template <class A>
requires(has_axes<A> || tracing::is_scalar<A>) struct AsExpression<A> {
  using type = Expr<Stored<typename A::value_type>>;
};

template <class F, class... A> detail::FnHandle trace_elementwise(const F& f, const A&... a) {
  static constinit thread_local detail::OfThread<tracing::FunctionCache> cache;
  tracing::Trace trace;
  uint32_t n = 0;
  auto parameter = [&](const auto& x) {
    using X = std::remove_cvref_t<decltype(x)>;
    if constexpr (has_axes<X>) {
      n++;
      return Expr<Stored<typename X::value_type>>::of(trace.parameter(type_code<typename X::value_type>));
    } else {
      return x;
    }
  };
  auto parameters = std::tuple{parameter(a)...};  // in order: braces
  const tracing::Id id = std::apply([&](const auto&... x) { return f(tracing::in_trace(x)...); }, parameters).id();
  return tracing::finish(*cache, n, &id, 1);
}

// The same for f without state of its own. Without lazy scalars, the function depends on the bits of the numbers alone.
template <class F, class... A> detail::FnHandle elementwise_function(const F& f, const A&... a) {
  static_assert(std::is_empty_v<F>);
  if constexpr (((tracing::is_scalar<A> || tracing::is_expr<A>) || ...)) {
    return trace_elementwise(f, a...);
  } else {
    struct Known {
      std::array<uint64_t, sizeof...(A)> numbers;
      detail::FnHandle function;
    };
    static constinit thread_local detail::OfThread<std::array<Known, 4>> of_thread;
    static constinit thread_local size_t next = 0;  // the entry to replace
    auto bits_of = [](const auto& x) {
      uint64_t bits = 0;
      if constexpr (!has_axes<std::remove_cvref_t<decltype(x)>>) std::memcpy(&bits, &x, sizeof x);
      return bits;
    };
    const std::array<uint64_t, sizeof...(A)> numbers{bits_of(a)...};
    for (const Known& known : *of_thread)
      if (known.function && known.numbers == numbers) return known.function;
    detail::FnHandle function = trace_elementwise(f, a...);
    (*of_thread)[next++ % of_thread->size()] = {numbers, function};
    return function;
  }
}

// The elements converted to U: floats to integers saturate, and NaN becomes 0; to bool is x != 0.
template <Element U, class T, int R> Array<U, R> cast(const Array<T, R>& a) {
  if constexpr (R == 1) return Array<U, R>(warpfold::cast<U>(a.flat()));
  else if constexpr (std::is_same_v<Stored<U>, Stored<T>>) return Array<U, R>::own((wf_retain(a.raw()), a.raw()));
  else {
    const auto converted = elementwise(tracing::Cast<Stored<U>>{}, a);
    return Array<U, R>::own((wf_retain(converted.raw()), converted.raw()));
  }
}
// True if both have the same shape.
template <class T, int R, class U, int Q> bool conforms(const Array<T, R>& a, const Array<U, Q>& b) {
  if constexpr (R != Q) return false;
  else return a.shape() == b.shape();
}

}  // namespace arrays

namespace tracing {

// The elements of operands at one position: x..., those of the sequences among them, and the other operands.
template <size_t... k, class F, class... A, class... X>
auto apply_at_position(std::index_sequence<k...>, const F& f, const std::tuple<A...>& operands, const X&... x) {
  auto operand = [&](auto which) -> decltype(auto) {
    constexpr size_t n = decltype(which)::value;
    if constexpr (has_axes<std::tuple_element_t<n, std::tuple<A...>>>) {
      constexpr std::array<bool, sizeof...(A)> is_sequence{has_axes<A>...};
      return std::get<std::count(is_sequence.begin(), is_sequence.begin() + n, true)>(std::tie(x...));
    } else {
      return std::get<n>(operands);
    }
  };
  return f(in_trace(operand(std::integral_constant<size_t, k>{}))...);
}

// An operation f of expressions on operands, with broadcasting by NumPy's rules: a Seq if there is no Array among them. Sequences that depend on
// the arguments of a traced function have equal lengths.
template <class F, class... A> auto elementwise(const F& f, const A&... a) {
  constexpr int R = arrays::common_rank<A...>;
  static_assert(R == 1 || !(is_expr<A> || ...),
                "an array next to an expression of a traced function: write elements a(i, j), or a sequence such as a.row(i) or a.flat()");
  using V = typename std::invoke_result_t<const F&, const typename arrays::AsExpression<A>::type&...>::value_type;
  using Result = std::conditional_t<(arrays::is_array<A> || ...), arrays::Array<V, R>, Seq<V>>;
  auto sequence = [](const auto& x) {
    if constexpr (has_axes<std::remove_cvref_t<decltype(x)>>) return std::tie(x);
    else return std::tuple<>();
  };
  auto call = [&](const auto&... x) {
    auto outer = [&] {
      const detail::FnHandle function = arrays::elementwise_function(f, a...);
      const arrays::Conformed<std::remove_cvref_t<decltype(x)>...> operands(F::called, x...);
      return Result::own(detail::sequence(wf_map, function.raw(), operands.raw(), static_cast<int32_t>(sizeof...(x))));
    };
    if constexpr (R == 1) {
      auto inner = [&] {
        auto at_position = [f, operands = std::tuple(a...)](const auto&... element) {
          return apply_at_position(std::index_sequence_for<A...>{}, f, operands, element...);
        };
        return Result(inner_map<V>(at_position, x...));
      };
      return any_inner(x...) ? inner() : outer_or_inner(outer, inner);
    } else {
      return arrays::require_outer(outer);
    }
  };
  return std::apply(call, std::tuple_cat(sequence(a)...));
}

// Pairs, tuples and structs are equal if all their fields are.
template <class A, class B>
requires(TupleOperand<A>&& TupleOperand<B>) auto by_fields(const Apply<eq_rule>&, const A& a, const B& b) {
  using T = typename A::value_type;
  static_assert(std::is_same_v<detail::Leaves<T>, detail::Leaves<typename B::value_type>>, "the elements have different fields");
  auto equal = [](const ExprFor<T>& x, const ExprFor<T>& y) { return equal_leaves<T>(x, y); };
  if constexpr (is_expr<A> || is_expr<B>) return equal(converted<T>(a), converted<T>(b));
  else return map(detail::fixed(equal), a, b);
}
template <class A, class B>
requires(TupleOperand<A>&& TupleOperand<B>) auto by_fields(const Apply<ne_rule>&, const A& a, const B& b) { return !(a == b); }
template <class F, class A, class B> A by_fields(const F&, const A& a, const B&) {
  static_assert(detail::never<F>, "the operands are pairs, tuples or structs: write map(f, s) with a function f of their fields");
  return a;
}

}  // namespace tracing
}  // namespace warpfold
