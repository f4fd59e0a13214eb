// Integer division by way of doubles, for which processors have vector instructions.
//
// For |a| < 2^53 the rounded double a / b never reaches an integer above the true quotient: the two are at least
// 1 / b > (a / b) 2^-53 apart. So truncation gives the integer quotient.
//
// Included only by files that are compiled for one instruction set; everything here is in an unnamed namespace.
#pragma once

#include "cpu/loops/math.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

// 64-bit numbers between -2^51 (or 0) and 2^51, which fit the mantissa next to round_f64's leading bits.
template <class T> WF_MATH bool divides_as_double(T a, T b) {
  if constexpr (sizeof(T) < 8) return true;
  constexpr uint64_t limit = uint64_t(1) << 51, below_zero = T(-1) < T(0) ? limit : 0;
  return ((uint64_t(a) + below_zero) | (uint64_t(b) + below_zero)) < limit + below_zero;
}

// a / b if divides_as_double covers both; 0 for b = 0, and the smallest 32-bit integer by -1 wraps.
template <class T> WF_MATH T fast_quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    double x = of_bits(uint64_t(a) + bits_of(round_f64)) - round_f64, y = of_bits(uint64_t(b) + bits_of(round_f64)) - round_f64;
    T q = T(bits_of(__builtin_trunc(x / y) + round_f64) - bits_of(round_f64));
    return b == 0 ? T(0) : q;
  } else if constexpr (sizeof(T) == 4) {
    bool by_minus_one = T(-1) < T(0) && b == T(-1);
    T q = T(double(a) / double(((b == 0) | by_minus_one) ? T(1) : b));
    return b == 0 ? T(0) : by_minus_one ? meaning::negate(a) : q;
  } else {
    T q = T(int32_t(float(a) / float(b == 0 ? T(1) : b)));
    return b == 0 ? T(0) : q;
  }
}

template <class T> WF_MATH T fast_remainder(T a, T b) {
  using U = typename meaning::Wrap<T>::type;
  T r = T(U(a) - U(fast_quotient(a, b)) * U(b));
  return b == 0 ? T(0) : r;
}

}  // namespace
}  // namespace wf::cpu
