// Integer division by way of doubles, for which processors have vector instructions.
//
// For |a| < 2^53 the rounded double a / b never reaches an integer above the true quotient: the two are at least
// 1 / b > (a / b) 2^-53 apart. So truncation gives the integer quotient.
//
// Included only by files that are compiled for one instruction set; everything here is in an unnamed namespace.
#pragma once

#include <cstdint>

#include "ops/meaning.h"

namespace wf::cpu {
namespace {

// 64-bit numbers between -2^51 (or 0) and 2^51, which fit the significand next to the leading bits of Format::rounder.
template <class T> WF_FN bool divides_as_double(T a, T b) {
  if constexpr (sizeof(T) < 8) return true;
  constexpr uint64_t limit = uint64_t(1) << 51, below_zero = T(-1) < T(0) ? limit : 0;
  return ((uint64_t(a) + below_zero) | (uint64_t(b) + below_zero)) < limit + below_zero;
}

// a / b if divides_as_double covers both; 0 for b = 0, and the smallest 32-bit integer by -1 wraps.
template <class T> WF_FN T fast_quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    constexpr double rounder = meaning::Format<double>::rounder;
    const auto rounder_bits = meaning::bits_in(rounder);
    double x = meaning::from_bits_in(uint64_t(a) + rounder_bits) - rounder, y = meaning::from_bits_in(uint64_t(b) + rounder_bits) - rounder;
    T q = T(meaning::bits_in(__builtin_trunc(x / y) + rounder) - rounder_bits);
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

template <class T> WF_FN T fast_remainder(T a, T b) {
  using U = typename meaning::Wrap<T>::type;
  T r = T(U(a) - U(fast_quotient(a, b)) * U(b));
  return b == 0 ? T(0) : r;
}

}  // namespace
}  // namespace wf::cpu
