// Functions of statistics that are compositions of exponentials and logarithms.
#pragma once

#include "ops/elementary/exponential.h"
#include "ops/elementary/logarithm.h"

namespace wf {
namespace meaning {

// 1 / (1 + e^-x)
template <class T> WF_FN T math_sigmoid(T x) {
  T e = math_exp(-float_abs(x));
  return (x < 0 ? e : T(1)) / (1 + e);
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
template <class T> WF_FN T math_softplus(T x) {
  T y = math_log1p(math_exp(-float_abs(x)));
  return x > 0 ? x + y : y;
}

// log(e^x + e^y) = max(x, y) + log(1 + e^-|x - y|)
template <class T> WF_FN T math_logaddexp(T x, T y) {
  T larger = x < y ? y : x, smaller = x < y ? x : y;
  auto [high, low] = sum_of(smaller, -larger);
  T e = math_exp(larger == smaller ? T(0) : high);
  T sum = larger + math_log1p(fma(e, float_abs(low) < 1 ? low : T(0), e));
  return x != x ? x : sum;
}

// log(1 - e^-x) for x >= 0: log u, u = 1 - e^-x, from -expm1(-x) or with a correction of u's rounding (M. Maechler, "Accurately computing
// log(1 - exp(-|a|))", 2012).
template <class T> WF_FN T math_log1mexp(T x) {
  T e = math_exp(-x), near = -math_expm1(-x), far = 1 - e;
  bool small = x < T(0.6931472);
  T u = small ? near : far;
  T y = log_of_split(split(u), small ? T(0) : ((1 - far) - e) / far);
  return log_ends(u, -float_abs(y));
}

// log(x / (1 - x)), the quotient as a pair
template <class T> WF_FN T math_logit(T x) {
  auto [high, low] = quotient_of(Pair<T>{x, 0}, sum_of_ordered(T(1), -x));
  T y = log_of_split(split(high), low / high);
  y = x == 1 ? T(__builtin_inf()) : y;
  return log_ends(x > 1 ? T(-1) : x, y);
}

}  // namespace meaning
}  // namespace wf
