// The law: addition distributes over min and max, t + min(x, y) = min(t + x, t + y), if neither sum wraps and every number is
// finite. A reduction of prefixes by the law detects violations of these conditions.
#pragma once

#include "warp.cuh"

namespace wf {

template <class T> struct Integers {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr T lowest = is_signed ? T(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0), highest = T(~lowest);
};

// The least and the greatest prefix of a run of elements; low > high if the run is empty.
template <class T> struct Extremes { T low, high; };

template <class T> WF_FN T wrapped_sum(T x, T y) {
  using U = typename meaning::Wrap<T>::type;
  return T(U(x) + U(y));
}
template <class T> WF_FN bool sum_wraps(T x, T y) {
  const T sum = wrapped_sum(x, y);
  return Integers<T>::is_signed ? T((x ^ sum) & (y ^ sum)) < T(0) : sum < x;
}

// Returns the extremes of prefixes that `before` precedes. A prefix may have wrapped before: the law only needs that all prefixes between
// the extremes shift as the extremes do. If one sum wraps and another might not, the extremes become the type's lowest and highest. These
// wrap again for every shift except 0, so the violation stays visible at the end.
template <class T> WF_FN Extremes<T> moved(T before, Extremes<T> e) {
  const bool is_none = e.low > e.high, wraps = sum_wraps(before, e.low) | sum_wraps(before, e.high);
  return {is_none ? e.low
          : wraps ? Integers<T>::lowest
                  : wrapped_sum(before, e.low),
          is_none ? e.high
          : wraps ? Integers<T>::highest
                  : wrapped_sum(before, e.high)};
}

template <class T> WF_FN bool law_holds(Extremes<T> e) { return e.low != Integers<T>::lowest || e.high != Integers<T>::highest; }

// Returns true if all sums of n floats of at most that magnitude are finite.
template <class T> WF_FN bool law_holds(int64_t n, T total, T magnitude) {
  constexpr double most = sizeof(T) == 4 ? 3e38 : 1e308;
  return total - total == T(0) && double(magnitude) < most / (double(n) + 1);
}

// Returns the minimum over the warp in all lanes, by one instruction if the device has it.
template <class T> WF_FN T least_of_warp(T x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 4) return __reduce_min_sync(all_lanes, x);
#endif
  return broadcast(warp_reduce(x, [](T a, T b) { return b < a ? b : a; }), 0);
}
template <class T> WF_FN T greatest_of_warp(T x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 4) return __reduce_max_sync(all_lanes, x);
#endif
  return broadcast(warp_reduce(x, [](T a, T b) { return b > a ? b : a; }), 0);
}

// Folds the lanes' sums in order if all are integers by the law: each lane's extremes are shifted once, by the total of the lanes before.
template <class Program> WF_FN typename Program::Sums fold_by_law(const typename Program::Args& a, const typename Program::Sums& own) {
  using T = decltype(own.total);
  const T up_to = warp_scan(own.total, [](T x, T y) { return wrapped_sum(x, y); });
  typename Program::Sums front = Program::none(a);
  if (const T left = shuffle_up(up_to, 1); lane_of_thread() > 0) front.total = left;
  typename Program::Sums of_warp = Program::over_warp(Program::join(a, front, own));
  of_warp.total = broadcast(up_to, 31);
  return of_warp;
}

}  // namespace wf
