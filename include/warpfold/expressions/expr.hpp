// Expr<T>: the argument of a traced lambda in place of a T. It represents a value that exists only when the kernel runs.
//
//   element type T            argument of the lambda
//   scalar                    Expr<T>
//   std::pair, tuple, array   the same of expressions: p.first, std::get<1>(t), auto [a, b] = p
//   S<float, int>             S<Expr<float>, Expr<int>>, if S is an aggregate template: v.x works
//   any other struct S        Expr<S>: s.get<0>() or auto [a, b] = s instead of s.x, and Expr<S>(a, b) to make one
#pragma once

#include <array>
#include <limits>
#include <string>

#include "warpfold/expressions/writer.hpp"
#include "warpfold/tuples.hpp"

namespace warpfold {

template <class T> class Seq;
namespace arrays {
template <class T, int R> class Array;
}

namespace tracing {

// An expression cannot be converted to a number implicitly, since flag ? x : 0 must not convert both ways. So the message about double y = x, or
// about a lambda with -> double, names the type alone; the remedy is part of that name.
inline namespace no_value_yet_write_auto {
template <class T> class Expr;
}
template <class T> class UseGetOrStructuredBinding;
template <class T> class Scalar;  // a lazy value outside of traces; scalar.hpp

template <class T> struct ExprOf;
template <class T> struct ValueOf {
  static_assert(std::is_same_v<T, long double> || detail::never<T>,
                "a function's result must be made of expressions and numbers: is a return missing, or is the result a "
                "std::vector, a struct that is not a template, or another type of the host?");
  using type = double;
};

}  // namespace tracing

// ExprFor: the argument of a traced lambda for an element of type T. ValueFor, the inverse: the element type of a traced lambda's result.
template <class T> using ExprFor = typename tracing::ExprOf<std::remove_cvref_t<T>>::type;
template <class R> using ValueFor = typename tracing::ValueOf<std::remove_cvref_t<R>>::type;

namespace tracing {

template <class T> inline constexpr bool is_expr = false;
template <class T> inline constexpr bool is_expr<Expr<T>> = true;
template <class T> inline constexpr bool is_expr<UseGetOrStructuredBinding<T>> = true;
template <class T> inline constexpr bool is_scalar = false;
template <class T> inline constexpr bool is_scalar<Scalar<T>> = true;

// The number of axes: of numbers, expressions and lazy scalars 0, of sequences 1.
template <class A> inline constexpr int rank_of = 0;
template <class T> inline constexpr int rank_of<Seq<T>> = 1;
template <class T, int R> inline constexpr int rank_of<arrays::Array<T, R>> = R;
template <class A> inline constexpr bool has_axes = rank_of<A> > 0;
// A base of sequences and arrays: argument-dependent lookup finds their operators and functions in this namespace.
struct HasOperations {};

// The literal of type T for a C++ number. Integers must fit in an integer T.
template <class T, Constant C> Id literal(C c) {
  T value{};
  if constexpr (std::is_same_v<C, char> && type_code<T> == WF_U8) {
    value = static_cast<T>(c);
  } else if constexpr (std::is_integral_v<C> && std::is_integral_v<T> && !std::is_same_v<C, bool> && !std::is_same_v<T, bool>) {
    using Wide = std::conditional_t<std::is_signed_v<C>, int64_t, uint64_t>;
    if (!std::in_range<T>(static_cast<Wide>(c))) [[unlikely]]
      throw TypeError("the constant " + std::to_string(c) + " does not fit in " + type_names[type_code<T>] +
                      ", the type of the other operand; cast<...>(x) the expression to a wider type first");
    value = static_cast<T>(c);
  } else {
    value = static_cast<T>(c);
  }
  return Trace::current().literal(type_code<T>, to_bits(value));
}

// A scalar expression: a term's number. It is as cheap to copy as an int, and is valid only while its function is traced.
template <Element T> class Expr<T> {
  static_assert(std::is_same_v<T, Stored<T>>, "write the stored type: Expr<int64_t>, Expr<uint8_t>");

 public:
  using value_type = T;

  // No value yet: it must be assigned before it is used, as the elements of std::array<Expr<float>, 8>, which is storage of a lambda.
  Expr() = default;
  template <Constant C> Expr(C c) : id_(literal<T>(c)) {}
  // A reduction of this trace, or a lazy scalar, which the trace captures.
  template <class S>
  requires is_scalar<S> && std::is_same_v<ExprFor<typename S::value_type>, Expr> Expr(const S& scalar) : id_(leaf_of(scalar, 0)) {}
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) & = default;
  template <class U> void operator=(const U&) const&& { detail::reject_assignment<U>(); }
  static Expr of(Id id) { return Expr(Raw{id}); }
  Id id() const { return id_; }

  // An expression cannot be converted to a number: these conversions only report the remedy. The two that std::sin(x) and vector[x] use are
  // implicit. The others are explicit, since flag ? x : 0 must not convert both ways.
  template <class V>
  requires std::is_arithmetic_v<V>
  explicit(!std::is_same_v<V, long double> && !(std::is_same_v<V, size_t> && std::is_integral_v<T>)) operator V() const {
    constexpr bool never = warpfold::detail::never<V>;
    if constexpr (std::is_same_v<V, bool>)
      static_assert(never,
                    "an expression has no truth value yet: write where(condition, a, b) instead of if or ?:, loop(...) "
                    "instead of while, min and max without std::");
    else if constexpr (std::is_same_v<V, long double>)
      static_assert(never,
                    "an expression has no value yet: write the function without std::, as in sin(x); a function that "
                    "warpfold does not have can run on the host, as in map(host(f), s)");
    else if constexpr (std::is_same_v<V, size_t>)
      static_assert(never,
                    "an expression has no value yet and cannot index memory of the host: make a Seq of the vector or "
                    "array and capture that, as in Seq table(vector)");
    else static_assert(never, "an expression has no value yet: write auto for its type, and cast<float>(x) to convert it");
    return V{};
  }

 private:
  struct Raw {
    Id id;
  };
  explicit Expr(Raw raw) : id_(raw.id) {}
  Id id_ = no_id;
};

// The return type of functions whose results cannot be assigned to: a tuple-like X is const.
template <class X> using Unassignable = std::conditional_t<is_expr<X>, X, const X>;

// ---- between element types and expressions of them --------------------------------------------------------------------

template <class T>
requires Element<T>
struct ExprOf<T> {
  using type = Expr<Stored<T>>;
};
template <class A, class B> struct ExprOf<std::pair<A, B>> { using type = std::pair<ExprFor<A>, ExprFor<B>>; };
template <class... A> struct ExprOf<std::tuple<A...>> { using type = std::tuple<ExprFor<A>...>; };
template <class A, size_t n> struct ExprOf<std::array<A, n>> { using type = std::array<ExprFor<A>, n>; };

// S<A...> becomes S<Expr<A>...> if that is an aggregate too; any other struct S becomes an Expr<S>.
template <class T> struct StructExpr { using type = UseGetOrStructuredBinding<T>; };
template <template <class...> class S, Element... A>
requires std::is_aggregate_v<S<ExprFor<A>...>>
struct StructExpr<S<A...>> {
  using type = S<ExprFor<A>...>;
};
template <class T>
requires(!Element<T>) struct ExprOf<T> : StructExpr<T> {
};

template <class C>
requires Constant<C>
struct ValueOf<C> {
  using type = detail::TypeAt<constant_code<C>>;
};
template <class T> struct ValueOf<Expr<T>> { using type = T; };
template <class T> struct ValueOf<UseGetOrStructuredBinding<T>> { using type = T; };
template <class T> struct ValueOf<Scalar<T>> { using type = T; };
template <class T> struct ValueOf<Seq<T>> {
  static_assert(
      detail::never<T>,
      "a traced function returns a sequence, which would need a nested result: expected reduce(...) of it; write one sequence over "
      "all elements instead, as in tabulate([&](auto k) { auto row = k / m, column = k % m; ... }, n * m)");
  using type = double;
};
template <class A, class B> struct ValueOf<std::pair<A, B>> { using type = std::pair<ValueFor<A>, ValueFor<B>>; };
template <class... A> struct ValueOf<std::tuple<A...>> { using type = std::tuple<ValueFor<A>...>; };
template <class A, size_t n> struct ValueOf<std::array<A, n>> { using type = std::array<ValueFor<A>, n>; };
template <template <class...> class S, class... A>
requires((is_expr<A> || ...) && std::is_aggregate_v<S<A...>>) struct ValueOf<S<A...>> {
  using type = S<ValueFor<A>...>;
};

// ---- between expressions and the terms of their leaves ----------------------------------------------------------------

// The expression of a T whose leaves are the terms ids[0], ids[1], ...
template <class T> ExprFor<T> from_leaves(const Id* ids) {
  if constexpr (Element<T>) {
    return Expr<Stored<T>>::of(*ids);
  } else if constexpr (is_expr<ExprFor<T>>) {
    return Expr<T>::of(ids);
  } else {
    return [&]<size_t... k>(std::index_sequence<k...>) {
      return ExprFor<T>{from_leaves<detail::Field<T, k>>(ids + detail::leaf_offset<T, k>())...};
    }
    (std::make_index_sequence<detail::field_count<T>>{});
  }
}

// The leaf of a captured rank-0 sequence.
inline Id capture_leaf(wf_seq* s, size_t leaf, size_t n_leaves, int32_t type) {
  Trace& trace = Trace::current();
  Id zero = trace.literal(WF_I64, 0);
  return trace.at(trace.capture(s), n_leaves == 1 ? -1 : static_cast<int32_t>(leaf), type, zero);
}

// The term of leaf k of a lazy scalar: an element of a captured sequence, or a term of this trace.
template <class V> Id leaf_of(const Scalar<V>& s, size_t k) {
  return s.is_traced() ? s.traced_leaf(k) : capture_leaf(s.raw(), k, detail::leaf_count<V>, detail::leaf_codes<V>[k]);
}

// Writes the terms of the leaves of r, converted to the leaves of T, to ids.
template <class T, class R> void to_leaves(const R& r, Id* ids) {
  if constexpr (is_scalar<R>) {
    using V = typename R::value_type;
    static_assert(detail::leaf_count<V> == detail::leaf_count<T>, "the result does not have the requested shape");
    for (size_t k = 0; k < detail::leaf_count<T>; k++) ids[k] = Trace::current().cast(detail::leaf_codes<T>[k], leaf_of(r, k));
  } else if constexpr (Element<T>) {
    static_assert(is_expr<R> || Constant<R>, "a function's result must be made of expressions and numbers");
    if constexpr (is_expr<R>) *ids = Trace::current().cast(type_code<T>, r.id());
    else *ids = literal<Stored<T>>(r);
  } else if constexpr (is_expr<R>) {
    static_assert(std::is_same_v<detail::Leaves<typename R::value_type>, detail::Leaves<T>>);
    for (size_t k = 0; k < detail::leaf_count<T>; k++) ids[k] = r.leaves()[k];
  } else {
    auto fields = [&] {
      if constexpr (detail::is_std_tuple<R>) return detail::tie_fields(r);
      else return detail::tie_aggregate<detail::field_count<T>>(r);
    }();
    static_assert(std::tuple_size_v<decltype(fields)> == detail::field_count<T>, "the result does not have the requested shape");
    [&]<size_t... k>(std::index_sequence<k...>) {
      (to_leaves<detail::Field<T, k>>(std::get<k>(fields), ids + detail::leaf_offset<T, k>()), ...);
    }
    (std::make_index_sequence<detail::field_count<T>>{});
  }
}

// A plain struct as an expression: one term per scalar.
template <class T> class no_value_yet_write_auto::Expr {
 public:
  using value_type = T;
  using Leaves = std::array<Id, detail::leaf_count<T>>;

  // No value yet.
  Expr() { leaves_.fill(no_id); }
  // Makes a struct from expressions or numbers, one per field.
  template <class... A>
  requires(sizeof...(A) == detail::field_count<T> && sizeof...(A) > 0 && !(std::is_same_v<A, Expr> || ...)) explicit(sizeof...(A) == 1)
      Expr(const A&... fields) {
    to_leaves<T>(std::tie(fields...), leaves_.data());
  }
  Expr(const Expr&) = default;
  Expr& operator=(const Expr&) & = default;
  template <class U> void operator=(const U&) const&& { detail::reject_assignment<U>(); }
  static Expr of(const Id* ids) {
    Expr x;
    std::copy_n(ids, x.leaves_.size(), x.leaves_.begin());
    return x;
  }
  const Leaves& leaves() const { return leaves_; }

  // The expression of field k.
  template <size_t k> ExprFor<detail::Field<T, k>> get() const {
    return from_leaves<detail::Field<T, k>>(leaves_.data() + detail::leaf_offset<T, k>());
  }

 private:
  Leaves leaves_;
};

// The argument of a traced lambda for a plain struct: an Expr<T>. C++ cannot give it members with the names of T's, so that s.x does not
// compile; then the compiler's message contains the name of this class, which is the remedy.
template <class T> class UseGetOrStructuredBinding : public Expr<T> {
 public:
  UseGetOrStructuredBinding(const Expr<T>& x) : Expr<T>(x) {}
  UseGetOrStructuredBinding(const UseGetOrStructuredBinding&) = default;
  UseGetOrStructuredBinding& operator=(const UseGetOrStructuredBinding&) & = default;
  template <class U> void operator=(const U&) const&& { detail::reject_assignment<U>(); }
};

// The fields of a tuple-like expression, in a std::tuple.
template <class X> auto spread(const X& x) {
  if constexpr (is_expr<X>) {
    return [&]<size_t... k>(std::index_sequence<k...>) { return std::make_tuple(x.template get<k>()...); }
    (std::make_index_sequence<detail::field_count<typename X::value_type>>{});
  } else if constexpr (detail::is_std_tuple<X>) {
    return std::apply([](const auto&... field) { return std::make_tuple(field...); }, x);
  } else {
    return std::apply([](const auto&... field) { return std::make_tuple(field...); },
                      detail::tie_aggregate<detail::field_count<ValueFor<X>>>(x));
  }
}

}  // namespace tracing

using tracing::Expr;

}  // namespace warpfold

template <class T>
requires(!warpfold::Element<T>) struct std::tuple_size<warpfold::tracing::Expr<T>>
    : std::integral_constant<size_t, warpfold::detail::field_count<T>> {
};
template <size_t k, class T>
requires(!warpfold::Element<T>) struct std::tuple_element<k, warpfold::tracing::Expr<T>> {
  using type = warpfold::ExprFor<warpfold::detail::Field<T, k>>;
};
template <class T> struct std::tuple_size<warpfold::tracing::UseGetOrStructuredBinding<T>> : std::tuple_size<warpfold::tracing::Expr<T>> {};
template <size_t k, class T>
struct std::tuple_element<k, warpfold::tracing::UseGetOrStructuredBinding<T>> : std::tuple_element<k, warpfold::tracing::Expr<T>> {};
