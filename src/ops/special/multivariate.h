// The multivariate gamma function of dimension p, for x > (p - 1) / 2 and whole p up to 65536: log and its derivative, as sums over dimensions.
#pragma once

#include "ops/special/digamma.h"

namespace wf {
namespace meaning {

template <class T> WF_FN bool has_dimensions(T x, T p) {
  return (x > T(0.5) * (p - 1)) & (p >= 0) & (p <= 65536) & (nearest_integer(p) == p);
}

// p (p - 1) / 4 log pi + sum of log G(x - j/2), j = 0 ... p - 1
template <class T> WF_RARE T math_mvlgamma(T x, T p) {
  if (!has_dimensions(x, p)) return T(__builtin_nan(""));
  if (x == T(__builtin_inf())) return p == 0 ? T(0) : x;
  Pair<T> sum = {0, 0};
  for (T j = 0; j < p; j += 1) sum = sum_of(sum, Pair<T>{math_lgamma(fma(T(-0.5), j, x)), 0});
  return fma(T(0.28618247146235004355) * p, p - 1, sum.high) + sum.low;
}
// sum of psi(x - j/2), j = 0 ... p - 1
template <class T> WF_RARE T math_mvdigamma(T x, T p) {
  if (!has_dimensions(x, p)) return T(__builtin_nan(""));
  if (x == T(__builtin_inf())) return p == 0 ? T(0) : x;
  Pair<T> sum = {0, 0};
  for (T j = 0; j < p; j += 1) sum = sum_of(sum, Pair<T>{math_digamma(fma(T(-0.5), j, x)), 0});
  return sum.high + sum.low;
}

}  // namespace meaning
}  // namespace wf
