// Tuple-like element types: std::pair, std::tuple, std::array and plain structs, nested to any depth. A sequence of
// them has one column per scalar, in order (structure of arrays).
//
// An aggregate of up to eight fields works as it is. Any other struct needs a specialisation:
//     template <> struct warpfold::Fields<Point> {
//       static auto tie(auto& p) { return std::tie(p.x, p.y); }
//     };
#pragma once

#include <array>
#include <tuple>
#include <type_traits>
#include <utility>

#include "warpfold/types.hpp"

namespace warpfold {

template <class T> struct Fields {};

namespace detail {

template <class T, class = void> inline constexpr bool is_std_tuple = false;
template <class T>
inline constexpr bool is_std_tuple<T, std::void_t<decltype(std::tuple_size<T>::value), decltype(std::get<0>(std::declval<T&>()))>> = true;

template <class T>
concept TiedByTraits = requires(T& value) {
  Fields<std::remove_cv_t<T>>::tie(value);
};

// Converts to the type of any field. It is used in unevaluated expressions only.
struct Anything {
  template <class U> operator U() const noexcept;
};
template <class T, size_t... k> consteval bool takes_values(std::index_sequence<k...>) {
  return requires { T{(static_cast<void>(k), Anything{})...}; };
}
// The number of fields of an aggregate, that is, of the values that can initialise it; 9 if there are more than eight.
template <class T, size_t n = 9> consteval size_t count_fields() {
  if constexpr (n == 0 || takes_values<T>(std::make_index_sequence<n>{})) return n;
  else return count_fields<T, n - 1>();
}

// References to the n fields of an aggregate.
template <size_t n, class T> constexpr auto tie_aggregate(T& v) {
  static_assert(n >= 1 && n <= 8, "a struct of more than eight fields needs a specialisation of warpfold::Fields");
  // clang-format off
  if constexpr (n == 1) { auto& [a] = v; return std::tie(a); }
  else if constexpr (n == 2) { auto& [a, b] = v; return std::tie(a, b); }
  else if constexpr (n == 3) { auto& [a, b, c] = v; return std::tie(a, b, c); }
  else if constexpr (n == 4) { auto& [a, b, c, d] = v; return std::tie(a, b, c, d); }
  else if constexpr (n == 5) { auto& [a, b, c, d, e] = v; return std::tie(a, b, c, d, e); }
  else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = v; return std::tie(a, b, c, d, e, f); }
  else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = v; return std::tie(a, b, c, d, e, f, g); }
  else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = v; return std::tie(a, b, c, d, e, f, g, h); }
  else return std::tuple<>{};
  // clang-format on
}

// References to the fields of a value, in a std::tuple.
template <class T> constexpr auto tie_fields(T& value) {
  using V = std::remove_cv_t<T>;
  if constexpr (TiedByTraits<T>) {
    return Fields<V>::tie(value);
  } else if constexpr (is_std_tuple<V>) {
    return std::apply([](auto&... field) { return std::tie(field...); }, value);
  } else if constexpr (std::is_aggregate_v<V>) {
    return tie_aggregate<count_fields<V>()>(value);
  } else {
    static_assert(never<V>,
                  "not an element type: expected bool, char, unsigned char, int, unsigned, long, unsigned long, long "
                  "long, unsigned long long, float or double, or a pair, tuple, array or struct of these (a struct "
                  "with constructors needs a specialisation of warpfold::Fields)");
    return std::tuple<>{};
  }
}

// Returns true if tie_fields or Element accepts the type; the types of its fields are not checked.
template <class T>
concept HasLeaves = Element<T> || TiedByTraits<T> || is_std_tuple<T> || std::is_aggregate_v<T>;

template <class T> using Tied = decltype(tie_fields(std::declval<T&>()));
template <class T> inline constexpr size_t field_count = std::tuple_size_v<Tied<T>>;
template <class T, size_t k> using Field = std::remove_cvref_t<std::tuple_element_t<k, Tied<T>>>;

// The stored types of the scalars inside T.
template <class T> struct LeavesOf {
  template <size_t... k>
  static auto join(std::index_sequence<k...>) -> decltype(std::tuple_cat(std::declval<typename LeavesOf<Field<T, k>>::type>()...));
  using type = decltype(join(std::make_index_sequence<field_count<T>>{}));
};
template <Element T> struct LeavesOf<T> { using type = std::tuple<Stored<T>>; };
template <class T> using Leaves = typename LeavesOf<std::remove_cv_t<T>>::type;
template <class T> inline constexpr size_t leaf_count = std::tuple_size_v<Leaves<T>>;

// The number of leaves before field k.
template <class T, size_t k> consteval size_t leaf_offset() {
  if constexpr (k == 0) return 0;
  else return leaf_offset<T, k - 1>() + leaf_count<Field<T, k - 1>>;
}

// f(leaf, its number) for each scalar inside value, in order; the number is a std::integral_constant.
template <size_t first = 0, class T, class F> constexpr void each_leaf(T& value, F&& f) {
  if constexpr (Element<std::remove_cv_t<T>>) {
    f(value, std::integral_constant<size_t, first>{});
  } else {
    [&]<size_t... k>(std::index_sequence<k...>) {
      auto fields = tie_fields(value);
      (each_leaf<first + leaf_offset<std::remove_cv_t<T>, k>()>(std::get<k>(fields), f), ...);
    }
    (std::make_index_sequence<field_count<std::remove_cv_t<T>>>{});
  }
}

// The codes of the leaves' types.
template <class T>
inline constexpr auto leaf_codes =
    []<class... L>(std::tuple<L...>*) { return std::array<int32_t, sizeof...(L)>{type_code<L>...}; }(static_cast<Leaves<T>*>(nullptr));

}  // namespace detail
}  // namespace warpfold
