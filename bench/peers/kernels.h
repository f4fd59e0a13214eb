// The loops. Each runs over consecutive elements: `loop` calls it once, `threads` once per chunk.
#pragma once

#include <algorithm>
#include <cmath>

#include "peers.h"

namespace bench::kernels {

inline int32_t score(uint8_t c) { return c == '(' ? 1 : c == ')' ? -1 : 0; }
inline int32_t score(int32_t x) { return x; }

template <class T> Depth depth(std::span<const T> s) {
  int32_t total = 0, lowest = 0;
  for (T x : s) {
    total += score(x);
    lowest = std::min(lowest, total);
  }
  return {total, lowest};
}

inline float step(float x) { return x * 1.0001f + 0.5f; }

template <int maps> float map_sum(Floats s) {
  float sum = 0;
  const float* x = s.data();
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < s.size(); ++i) {
    float y = x[i];
    for (int k = 0; k < maps; ++k) y = step(y);
    sum += y;
  }
  return sum;
}

inline float map_sum(Floats s, int maps) {
  switch (maps) {
    case 1: return map_sum<1>(s);
    case 2: return map_sum<2>(s);
    case 3: return map_sum<3>(s);
    case 4: return map_sum<4>(s);
    case 5: return map_sum<5>(s);
    case 6: return map_sum<6>(s);
    case 7: return map_sum<7>(s);
    default: return map_sum<8>(s);
  }
}

inline float exp_chain(float x) { return std::exp(-x * x) * std::tanh(x); }

inline void exp_chain(Floats s, float* out) {
  for (size_t i = 0; i < s.size(); ++i) out[i] = exp_chain(s[i]);
}

template <class T> T scan(std::span<const T> s, T before, T* prefixes) {
  for (size_t i = 0; i < s.size(); ++i) prefixes[i] = before += s[i];
  return before;
}

template <class T> T sum(std::span<const T> s) {
  T total = 0;
  for (T x : s) total += x;
  return total;
}

inline uint32_t prefix_square_sum(Ints s) {
  uint32_t prefix = 0, total = 0;
  for (int32_t x : s) {
    prefix += uint32_t(x);
    total += prefix * prefix;
  }
  return total;
}

inline float largest_sum(Floats s) {
  float best = 0, here = 0;
  for (float x : s) {
    here = std::max(here + x, 0.0f);
    best = std::max(best, here);
  }
  return best;
}

inline bool keeps(int32_t x) { return (x & 1) == 0; }

inline int64_t count(Ints s) {
  int64_t n = 0;
  for (int32_t x : s) n += keeps(x);
  return n;
}

// Without a branch per element: every element is written, and only a kept one advances the end. The loop ends when `most` elements are kept.
// If `most` is the number of elements to keep, nothing is written after the last of them.
inline int64_t filter(Ints s, int64_t most, int32_t* kept) {
  int64_t n = 0;
  for (size_t i = 0; i < s.size() && n < most; ++i) {
    kept[n] = s[i];
    n += keeps(s[i]);
  }
  return n;
}

// 3 x + 1 or 0, by a mask: g++ does not vectorise a conditional.
inline uint32_t kept_value(int32_t x) { return (3 * uint32_t(x) + 1) & -uint32_t(keeps(x)); }

inline uint32_t filter_map_sum(Ints s) {
  uint32_t total = 0;
  for (int32_t x : s) total += kept_value(x);
  return total;
}

}  // namespace bench::kernels
