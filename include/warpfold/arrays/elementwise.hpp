// Element by element: map, zip, operators and functions of arrays, with broadcasting by NumPy's rules. All are lazy and fuse.
//
// Types are promoted as in traced functions (expressions/operations.hpp): a C++ number adopts the type of the other operand.
#pragma once

#include <array>
#include <cstring>

#include "warpfold/arrays/array.hpp"

namespace warpfold {
namespace arrays {

// ---- operands ---------------------------------------------------------------------------------------------------------

template <class A> inline constexpr int rank_of = 0;
template <class T, int R> inline constexpr int rank_of<Array<T, R>> = R;
template <class T> inline constexpr int rank_of<Seq<T>> = 1;

template <class A> inline constexpr bool has_axes = is_array<A> || is_seq<A>;
template <class A>
concept Operand = has_axes<A> || tracing::is_scalar<A> || Constant<A>;
// Operands of an operation, at least one of them an array.
template <class... A>
concept Operands = (Operand<A> && ...) && (is_array<A> || ...);
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

// ---- functions of elements --------------------------------------------------------------------------------------------

// r[i, j, ...] = f(a[i, j, ...], ...), with broadcasting. f may take the fields of a tuple-like element as separate arguments, and may
// return a tuple. Throws SizeError with both shapes and the axis.
template <class F, class... A>
requires((has_axes<A> && ...) && (is_array<A> || ...)) auto map(F f, const A&... a) {
  const Conformed<A...> operands("map", a...);
  try {
    auto function = detail::function_of<void, typename A::value_type...>(f);
    using V = typename decltype(function)::Value;
    return Array<V, Conformed<A...>::rank>::own(
        detail::sequence(wf_map, function.handle.raw(), operands.raw(), static_cast<int32_t>(sizeof...(A))));
  } catch (const tracing::OuterExpr&) {
    throw ArgumentError(
        "map of an array depends on the arguments of a traced function: expected a map of a sequence, such as a.row(i) or a.flat(), or of "
        "elements a(i, j)");
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
  const Conformed<A...> operands("zip", a...);
  using V = typename ZippedOf<typename A::value_type...>::type;
  return Array<V, Conformed<A...>::rank>::own(detail::sequence(wf_zip, operands.raw(), static_cast<int32_t>(sizeof...(A))));
}
// Field k of every element. Free.
template <size_t k, class T, int R> auto field(const Array<T, R>& a) {
  using F = detail::Field<T, k>;
  int32_t which[detail::leaf_count<F>];
  for (size_t j = 0; j < detail::leaf_count<F>; j++) which[j] = static_cast<int32_t>(detail::leaf_offset<T, k>() + j);
  return Array<F, R>::own(detail::sequence(wf_columns, a.raw(), which, static_cast<int32_t>(detail::leaf_count<F>)));
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
  if constexpr ((tracing::is_scalar<A> || ...)) {
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

// An operation `f` of expressions on operands.
template <class F, class... A> auto elementwise(const char* name, const F& f, const A&... a) {
  const detail::FnHandle function = elementwise_function(f, a...);
  auto with_axes = [](const auto& x) {
    if constexpr (has_axes<std::remove_cvref_t<decltype(x)>>) return std::tie(x);
    else return std::tuple<>();
  };
  using V = typename std::invoke_result_t<const F&, const typename AsExpression<A>::type&...>::value_type;
  return std::apply(
      [&](const auto&... x) {
        const Conformed<std::remove_cvref_t<decltype(x)>...> operands(name, x...);
        return Array<V, common_rank<A...>>::own(
            detail::sequence(wf_map, function.raw(), operands.raw(), static_cast<int32_t>(sizeof...(x))));
      },
      std::tuple_cat(with_axes(a)...));
}

// ---- operators --------------------------------------------------------------------------------------------------------

#define WARPFOLD_OPERATOR(symbol)                                                            \
  template <class A, class B>                                                                \
  requires Operands<A, B>                                                                    \
  auto operator symbol(const A& a, const B& b) {                                             \
    return elementwise(                                                                      \
        "operator " #symbol, [](const auto& x, const auto& y) { return x symbol y; }, a, b); \
  }
WARPFOLD_OPERATOR(==)
WARPFOLD_OPERATOR(!=)
WARPFOLD_OPERATOR(<)
WARPFOLD_OPERATOR(<=)
WARPFOLD_OPERATOR(>)
WARPFOLD_OPERATOR(>=)
WARPFOLD_OPERATOR(&&)
WARPFOLD_OPERATOR(||)

// a op= b makes a new array and names it a.
#define WARPFOLD_ARITHMETIC(symbol)     \
  WARPFOLD_OPERATOR(symbol)             \
  template <class T, int R, Operand B>  \
  requires(rank_of<B> <= R) Array<T, R> \
  &operator symbol##=(Array<T, R>& a, const B& b) { return a = cast<T>(a symbol b); }
template <Element U, class T, int R> Array<U, R> cast(const Array<T, R>& a);
WARPFOLD_ARITHMETIC(+)
WARPFOLD_ARITHMETIC(-)
WARPFOLD_ARITHMETIC(*)
WARPFOLD_ARITHMETIC(/)
WARPFOLD_ARITHMETIC(%)
WARPFOLD_ARITHMETIC(<<)
WARPFOLD_ARITHMETIC(>>)
WARPFOLD_ARITHMETIC(&)
WARPFOLD_ARITHMETIC(|)
WARPFOLD_ARITHMETIC(^)
#undef WARPFOLD_ARITHMETIC
#undef WARPFOLD_OPERATOR

#define WARPFOLD_OPERATOR(symbol)                                        \
  template <class T, int R> auto operator symbol(const Array<T, R>& a) { \
    return elementwise(                                                  \
        "operator " #symbol, [](const auto& x) { return symbol x; }, a); \
  }
WARPFOLD_OPERATOR(-)
WARPFOLD_OPERATOR(!)
WARPFOLD_OPERATOR(~)
#undef WARPFOLD_OPERATOR

// ---- functions --------------------------------------------------------------------------------------------------------

// The elements converted to U: floats to integers saturate, and NaN becomes 0; to bool is x != 0.
template <Element U, class T, int R> Array<U, R> cast(const Array<T, R>& a) {
  if constexpr (std::is_same_v<Stored<U>, Stored<T>>) return Array<U, R>::own((wf_retain(a.raw()), a.raw()));
  else {
    const auto converted = elementwise(
        "cast", [](const auto& x) { return tracing::cast<U>(x); }, a);
    return Array<U, R>::own((wf_retain(converted.raw()), converted.raw()));
  }
}

#define WARPFOLD_FUNCTION1(id, takes, truth)                   \
  template <class T, int R> auto id(const Array<T, R>& a) {    \
    return elementwise(                                        \
        #id, [](const auto& x) { return tracing::id(x); }, a); \
  }
#define WARPFOLD_FUNCTION2(id, takes, truth)                                        \
  template <class A, class B>                                                       \
  requires Operands<A, B>                                                           \
  auto id(const A& a, const B& b) {                                                 \
    return elementwise(                                                             \
        #id, [](const auto& x, const auto& y) { return tracing::id(x, y); }, a, b); \
  }
#include "warpfold/expressions/functions.def"

// a * b + c, rounded once. In floating point.
template <class A, class B, class C>
requires Operands<A, B, C>
auto fma(const A& a, const B& b, const C& c) {
  return elementwise(
      "fma", [](const auto& x, const auto& y, const auto& z) { return tracing::fma(x, y, z); }, a, b, c);
}
// The regularized incomplete beta function I_x(a, b).
template <class A, class B, class X>
requires Operands<A, B, X>
auto ibeta(const A& a, const B& b, const X& x) {
  return elementwise(
      "ibeta", [](const auto& p, const auto& q, const auto& y) { return tracing::ibeta(p, q, y); }, a, b, x);
}
// a where condition holds, else b.
template <class C, class A, class B>
requires Operands<C, A, B>
auto where(const C& condition, const A& a, const B& b) {
  return elementwise(
      "where", [](const auto& c, const auto& x, const auto& y) { return tracing::where(c, x, y); }, condition, a, b);
}
// The nearest number in [low, high].
template <class A, class B, class C>
requires Operands<A, B, C>
auto clamp(const A& a, const B& low, const C& high) {
  return elementwise(
      "clamp", [](const auto& x, const auto& l, const auto& h) { return tracing::max(tracing::min(x, h), l); }, a, low, high);
}
// min(a, b) and max(a, b): the function objects of named.hpp call these.
template <class F, class A, class B>
requires Operands<A, B>
auto extreme(const F& f, const A& a, const B& b) { return elementwise("min or max", f, a, b); }

// True if both have the same shape.
template <class T, int R, class U, int Q> bool conforms(const Array<T, R>& a, const Array<U, Q>& b) {
  if constexpr (R != Q) return false;
  else return a.shape() == b.shape();
}

}  // namespace arrays
}  // namespace warpfold
