// Folds and scans of one value a lane. f is associative and need not be commutative: order is kept everywhere, and which values
// meet in which order depends on position alone, so that float results are the same from run to run.
#pragma once

#include "ops.cuh"

namespace wf {

constexpr unsigned all_lanes = ~0u;
WF_FN int lane_of_thread() { return int(threadIdx.x) & 31; }
WF_FN int warp_of_thread() { return int(threadIdx.x) >> 5; }

// f on each 32-bit word of x.
template <class T, class F>
WF_FN T by_words(T x, F f) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  memcpy(words, &x, sizeof(T));
#pragma unroll
  for (unsigned& word : words) word = f(word);
  memcpy(&x, words, sizeof(T));
  return x;
}

template <class T>
WF_FN T shuffle_down(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_down_sync(all_lanes, w, distance); });
}
template <class T>
WF_FN T shuffle_up(T x, int distance) {
  return by_words(x, [=](unsigned w) { return __shfl_up_sync(all_lanes, w, distance); });
}
template <class T>
WF_FN T broadcast(T x, int lane) {
  return by_words(x, [=](unsigned w) { return __shfl_sync(all_lanes, w, lane); });
}

// In lane 0: x of lane 0, f, x of lane 1, f ... up to lane count - 1. Other lanes get nothing of use. Unrolled where it is in a
// loop over the elements; elsewhere it compiles sooner as it is.
template <int unrolled = 1, class T, class F>
WF_FN T warp_reduce(T x, F f, int count = 32) {
#pragma unroll(unrolled)
  for (int distance = 1; distance < 32; distance <<= 1) {
    T right = shuffle_down(x, distance);
    if (lane_of_thread() + distance < count) x = f(x, right);
  }
  return x;
}

// In each lane: x of lane 0, f, ... up to its own.
template <class T, class F>
WF_FN T warp_scan(T x, F f) {
#pragma unroll(sizeof(T) > 8 ? 1 : 5)
  for (int distance = 1; distance < 32; distance <<= 1) {
    T left = shuffle_up(x, distance);
    if (lane_of_thread() >= distance) x = f(left, x);
  }
  return x;
}

// Program::Local is what the elements of a thread, a warp or a tile come to in a scan; combine is their fold.
template <class Program>
struct Combine {
  const typename Program::Args& a;
  WF_MEMBER typename Program::Local operator()(const typename Program::Local& x, const typename Program::Local& y) const {
    return Program::combine(a, x, y);
  }
};

}  // namespace wf
