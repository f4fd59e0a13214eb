// Scalar types: the C++ types of elements, and the promotion of mixed types.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "warpfold.h"

namespace warpfold {
namespace detail {

// The eight types in the order of promotion, which is also their numbering (WF_BOOL = 0, ...).
using AllTypes = std::tuple<bool, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
template <int32_t code> using TypeAt = std::tuple_element_t<static_cast<size_t>(code), AllTypes>;

// The code of the stored type of a C++ type, or -1 if it has none: short, signed char, long double.
template <class T> consteval int32_t find_code() {
  using V = std::remove_cv_t<T>;
  if (std::is_same_v<V, bool>) return WF_BOOL;
  if (std::is_same_v<V, char> || std::is_same_v<V, unsigned char>) return WF_U8;
  if (std::is_same_v<V, float>) return WF_F32;
  if (std::is_same_v<V, double>) return WF_F64;
  if (std::is_same_v<V, int> || std::is_same_v<V, unsigned> || std::is_same_v<V, long> || std::is_same_v<V, unsigned long> ||
      std::is_same_v<V, long long> || std::is_same_v<V, unsigned long long>)
    return (sizeof(V) == 4 ? WF_I32 : WF_I64) + (std::is_unsigned_v<V> ? 1 : 0);
  return -1;
}

// False for all types, for a static_assert that fails only if its function is used.
template <class... T> inline constexpr bool never = false;

// The body of assignments that would have no effect: s[0] = 7, take(s, 3) = t.
template <class T> constexpr void reject_assignment() {
  static_assert(never<T>,
                "sequences and expressions do not change: this would assign to a temporary; name a new value instead, as in "
                "auto t = map(f, s) or auto y = where(c, a, b)");
}

constexpr bool is_integer(int32_t code) { return code >= WF_U8 && code <= WF_U64; }
constexpr bool is_floating(int32_t code) { return code >= WF_F32; }

}  // namespace detail

template <class T> inline constexpr int32_t type_code = detail::find_code<T>();

// A scalar type of sequences: bool, char and unsigned char (u8), int, unsigned, long, long long, their unsigned forms,
// float, double.
template <class T>
concept Element = type_code<T>
>= 0;

// The stored type of T, which has the same bits: bool, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float or double.
template <Element T> using Stored = detail::TypeAt<type_code<T>>;

namespace detail {
template <class T, class U>
concept stored_alike = Element<T> && Element<U> &&(type_code<T> == type_code<U>);
}  // namespace detail

// A C++ number as an operand next to an expression. Types without a scalar type of their own (short) count as int.
template <class T>
concept Constant = std::is_arithmetic_v<std::remove_cvref_t<T>> && !std::is_same_v<std::remove_cvref_t<T>, long double>;
template <Constant T> inline constexpr int32_t constant_code = type_code<T> >= 0 ? type_code<T> : static_cast<int32_t>(WF_I32);

}  // namespace warpfold
