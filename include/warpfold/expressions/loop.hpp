// Data-dependent iteration inside a traced function.
//
//     auto [z, k] = loop(std::tuple(0.0f, 0),
//                        [&](auto z, auto k) { return z < 4 && k < 256; },
//                        [&](auto z, auto k) { return std::tuple(z * z + c, k + 1); });
//
// The arguments are the variables' initial values, a condition, and the next values. While the condition is true, all variables are replaced by
// their next values at once. The result is the variables. A variable has the type of its initial value (an int for 0, a float for 0.0f),
// and next values are converted to it, as in C++ assignment. A single variable needs no tuple. Each element has its own number of iterations.
#pragma once

#include "warpfold/expressions/apply.hpp"

namespace warpfold {
namespace tracing {

template <class Initial, class Condition, class Next> auto loop(const Initial& initial, Condition&& condition, Next&& next) {
  using T = ValueFor<Initial>;
  constexpr uint32_t n = detail::leaf_count<T>;
  Trace& trace = Trace::current();
  Id first[n], going[1], after[n], result[n];
  to_leaves<T>(initial, first);
  auto record = trace.open_loop(first, n);
  for (uint32_t k = 0; k < n; k++) result[k] = record.first_variable + k;
  ExprFor<T> variables = from_leaves<T>(result);
  to_leaves<bool>(Cast<bool>{}(in_trace(apply_traced(condition, variables))), going);
  to_leaves<T>(apply_traced(next, variables), after);
  Id loop_term = trace.close_loop(record, first, going[0], after, n);
  for (uint32_t k = 0; k < n; k++) result[k] = loop_term + 1 + k;
  return from_leaves<T>(result);
}

}  // namespace tracing

using tracing::loop;

}  // namespace warpfold
