// Folds and scans of one value per lane. f is associative and need not be commutative: every fold preserves the order. The association
// depends only on positions, so float results are the same from run to run.
#pragma once

#include "ops.cuh"

namespace wf {

constexpr unsigned all_lanes = ~0u;
WF_FN int lane_of_thread() { return int(threadIdx.x) & 31; }
WF_FN int warp_of_thread() { return int(threadIdx.x) >> 5; }

// Applies f to each 32-bit word of x.
template <class T, class F> WF_FN T by_words(T x, F f) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &x, sizeof(T));
#pragma unroll
  for (unsigned& word : words) word = f(word);
  memcpy(&x, words, sizeof(T));
  return x;
}

template <class T> WF_FN T shuffle_down(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_down_sync(all_lanes, w, distance); });
}
template <class T> WF_FN T shuffle_up(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_up_sync(all_lanes, w, distance); });
}
template <class T> WF_FN T shuffle_xor(T x, int mask) {
  return by_words(x, [=](unsigned w) { return __shfl_xor_sync(all_lanes, w, mask); });
}
template <class T> WF_FN T broadcast(T x, int lane) {
  return by_words(x, [=](unsigned w) { return __shfl_sync(all_lanes, w, lane); });
}

// Lane 0 returns x[0] f x[1] f ... f x[count - 1]; the results of other lanes are meaningless. Unrolled only inside loops over elements:
// elsewhere the loop compiles faster.
template <int unrolled = 1, class T, class F> WF_FN T warp_reduce(T x, F f, int count = 32) {
#pragma unroll(unrolled)
  for (int distance = 1; distance < 32; distance <<= 1) {
    T right = shuffle_down(x, distance);
    if (lane_of_thread() + distance < count) x = f(x, right);
  }
  return x;
}

// Returns the sum of the lanes' integers, in all lanes.
WF_FN unsigned warp_sum(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, x);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance >>= 1) x += __shfl_xor_sync(all_lanes, x, distance);
  return x;
#endif
}

// Each lane l returns x[0] f ... f x[l].
template <class T, class F> WF_FN T warp_scan(T x, F f) {
#pragma unroll(sizeof(T) > 8 ? 1 : 5)
  for (int distance = 1; distance < 32; distance <<= 1) {
    T left = shuffle_up(x, distance);
    if (lane_of_thread() >= distance) x = f(left, x);
  }
  return x;
}

// The fold of Locals.
template <class Program> struct Combine {
  const typename Program::Args& a;
  WF_MEMBER typename Program::Local operator()(const typename Program::Local& x, const typename Program::Local& y) const {
    return Program::combine(a, x, y);
  }
};

}  // namespace wf
