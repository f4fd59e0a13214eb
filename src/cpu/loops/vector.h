// Vectors of the width of the instruction set that a file is compiled for, and the associative operations on them.
//
// Everything here has internal linkage: the same text compiles to different code per instruction set. Wrapping integer
// operations use unsigned lanes.
#pragma once

#include <stdint.h>

#include "cpu/loops/monoid.h"

#define WF_JOIN_(a, b) a##_##b
#define WF_JOIN(a, b) WF_JOIN_(a, b)

namespace wf::cpu::simd {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class T, int bytes> struct VectorOf { typedef T type __attribute__((vector_size(bytes))); };
template <class T, int bytes> using Vector = typename VectorOf<T, bytes>::type;

template <class T> constexpr bool is_float = false;
template <> constexpr bool is_float<float> = true;
template <> constexpr bool is_float<double> = true;

// The lane type in which an operation on T is computed: min and max compare as T; the others wrap as unsigned.
template <Monoid m, class T> struct LaneOf { using type = T; };
template <Monoid m>
requires(m != Monoid::min_ && m != Monoid::max_) struct LaneOf<m, int32_t> {
  using type = uint32_t;
};
template <Monoid m>
requires(m != Monoid::min_ && m != Monoid::max_) struct LaneOf<m, int64_t> {
  using type = uint64_t;
};
template <Monoid m> struct LaneOf<m, bool> { using type = uint8_t; };
template <Monoid m, class T> using Lane = typename LaneOf<m, T>::type;

// The signed integer of that many bytes: the lane type of comparison results.
template <int size> struct BitsOf;
template <> struct BitsOf<1> { using type = int8_t; };
template <> struct BitsOf<4> { using type = int32_t; };
template <> struct BitsOf<8> { using type = int64_t; };

// The types that an operation takes (ops.def: Num, Any, Bits).
template <Monoid m, class T> constexpr bool takes() {
  if (m == Monoid::add_ || m == Monoid::mul_) return !__is_same(T, bool);
  if (m == Monoid::min_ || m == Monoid::max_) return true;
  return !is_float<T>;
}

// V: a vector of LaneOf<m, T>, or one lane. The meaning is ops.def's: min and max ignore a NaN if the other operand is a
// number, and return the first of two equal operands.
template <Monoid m, bool floats, class V> __attribute__((always_inline)) inline V combine(V a, V b) {
  if constexpr (m == Monoid::add_) return V(a + b);
  else if constexpr (m == Monoid::mul_) return V(a * b);
  else if constexpr (m == Monoid::min_ && floats) return ((b < a) | (a != a)) ? b : a;
  else if constexpr (m == Monoid::min_) return b < a ? b : a;
  else if constexpr (m == Monoid::max_ && floats) return ((a < b) | (a != a)) ? b : a;
  else if constexpr (m == Monoid::max_) return a < b ? b : a;
  else if constexpr (m == Monoid::and_) return V(a & b);
  else if constexpr (m == Monoid::or_) return V(a | b);
  else return V(a ^ b);
}

template <class V, class T> __attribute__((always_inline)) inline V broadcast(T x) { return x - V{}; }  // -0 + 0 is not -0

template <class V> __attribute__((always_inline)) inline V load(const void* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof(V));
  return v;
}
template <class V> __attribute__((always_inline)) inline void store(void* to, V v) { __builtin_memcpy(to, &v, sizeof(V)); }

// A list of lane numbers 0 .. n-1 at compile time.
template <class I, I... i> struct Numbers {};
#if defined(__clang__)
template <int n> using UpTo = __make_integer_seq<Numbers, int, n>;
#else
template <int n> using UpTo = Numbers<int, __integer_pack(n)...>;
#endif

}  // namespace
}  // namespace wf::cpu::simd
