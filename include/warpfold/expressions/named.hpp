// Named functions of two arguments, for reduce and scan and for use on expressions, lazy scalars and plain values:
//     reduce(plus, 0, s)     scan(max, lowest, s)     map([](auto x) { return min(x, 10); }, s)
// Tuple-like elements are not supported by plus, times, min, ...: use a lambda.
#pragma once

#include "warpfold/expressions/operations.hpp"

namespace warpfold {
namespace detail {

template <class S>
concept IsSequence = requires(const S& s) {
  s.inner();
};

#define WARPFOLD_NAMED(Name, on_traced, on_values)                                        \
  struct Name {                                                                           \
    using IsFixed = void;                                                                 \
    template <class A, class B> constexpr auto operator()(const A& a, const B& b) const { \
      if constexpr (tracing::Operands<A, B>) return on_traced;                            \
      else return on_values;                                                              \
    }                                                                                     \
  };
WARPFOLD_NAMED(Plus, a + b, a + b)
WARPFOLD_NAMED(Minus, a - b, a - b)
WARPFOLD_NAMED(Times, a* b, a* b)
WARPFOLD_NAMED(Divides, a / b, a / b)
WARPFOLD_NAMED(Modulus, a % b, a % b)
WARPFOLD_NAMED(LogicalAnd, a&& b, a&& b)
WARPFOLD_NAMED(LogicalOr, a || b, a || b)
WARPFOLD_NAMED(BitAnd, a& b, a& b)
WARPFOLD_NAMED(BitOr, a | b, a | b)
WARPFOLD_NAMED(BitXor, a ^ b, a ^ b)
#undef WARPFOLD_NAMED

// An array: arrays/array.hpp.
template <class A>
concept IsArray = requires {
  typename A::IsArray;
};

// min(s) and max(s) are reductions of scalars; of an empty sequence, the largest and the smallest value of the type, or an infinity.
// min(a) and min(a, {axis}) are reductions of an array, min(a, b) is element by element.
#define WARPFOLD_NAMED(Name, on_traced, on_values, reduction)                                                                 \
  struct Name {                                                                                                               \
    using IsFixed = void;                                                                                                     \
    template <class A, class B> constexpr auto operator()(const A& a, const B& b) const {                                     \
      if constexpr (tracing::Operands<A, B>) return on_traced;                                                                \
      else return on_values;                                                                                                  \
    }                                                                                                                         \
    template <class A>                                                                                                        \
    requires(tracing::has_axes<A> || tracing::Operand<A>) auto operator()(const A& a) const { return reduction(a); }          \
    template <IsArray A, size_t n, class... Keep> auto operator()(const A& a, const int64_t (&axes)[n], Keep... keep) const { \
      return reduction(a, axes, keep...);                                                                                     \
    }                                                                                                                         \
  };
WARPFOLD_NAMED(Min, tracing::min(a, b), b < a ? b : a, least)
WARPFOLD_NAMED(Max, tracing::max(a, b), a < b ? b : a, largest)
#undef WARPFOLD_NAMED

}  // namespace detail

inline constexpr detail::Plus plus{};
inline constexpr detail::Minus minus{};
inline constexpr detail::Times times{};
inline constexpr detail::Times multiplies{};  // the name in std
inline constexpr detail::Divides divides{};
inline constexpr detail::Modulus modulus{};
inline constexpr detail::Min min{};
inline constexpr detail::Max max{};
inline constexpr detail::LogicalAnd logical_and{};
inline constexpr detail::LogicalOr logical_or{};
inline constexpr detail::BitAnd bit_and{};
inline constexpr detail::BitOr bit_or{};
inline constexpr detail::BitXor bit_xor{};

}  // namespace warpfold

// std::min, max and clamp of an expression and a number. They do nothing but report the remedy.
namespace std {
#define WARPFOLD_REJECTED(name)                                                                                                        \
  template <class... A>                                                                                                                \
  requires(sizeof...(A) > 1 && warpfold::tracing::Operands<A...> && (warpfold::tracing::is_expr<A> || ...)) auto name(const A&... a) { \
    static_assert(warpfold::detail::never<A...>, "an expression has no value yet: write " #name " without std::");                     \
    return warpfold::tracing::name(a...);                                                                                              \
  }
WARPFOLD_REJECTED(min)
WARPFOLD_REJECTED(max)
WARPFOLD_REJECTED(clamp)
#undef WARPFOLD_REJECTED
}  // namespace std
