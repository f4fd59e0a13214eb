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

inline float polynomial_sum(Floats s) {
  float sum = 0;
  const float* x = s.data();
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < s.size(); ++i) {
    float y = 1.0f / 9;
    for (int k = 8; k > 0; --k) y = y * x[i] + 1.0f / float(k);
    sum += y;
  }
  return sum;
}

// Two loops over each block, which g++ vectorizes better than one over floats and doubles.
inline Moments moments(Floats s) {
  constexpr size_t block = 1024;
  float least = INFINITY, greatest = -INFINITY;
  double sum = 0, squares = 0;
  for (size_t begin = 0; begin < s.size(); begin += block) {
    const float* x = s.data() + begin;
    const size_t n = std::min(block, s.size() - begin);
#pragma omp simd reduction(+ : sum, squares)
    for (size_t i = 0; i < n; ++i) sum += double(x[i]), squares += double(x[i]) * double(x[i]);
#pragma omp simd reduction(min : least) reduction(max : greatest)
    for (size_t i = 0; i < n; ++i) least = x[i] < least ? x[i] : least, greatest = x[i] > greatest ? x[i] : greatest;
  }
  return {sum, squares, least, greatest};
}

// The index is searched only in blocks that have a larger element than all blocks before.
inline Largest largest(Floats s) {
  constexpr size_t block = 1024;
  Largest best{-INFINITY, -1};
  for (size_t begin = 0; begin < s.size(); begin += block) {
    const float* x = s.data() + begin;
    const size_t n = std::min(block, s.size() - begin);
    float value = best.value;
#pragma omp simd reduction(max : value)
    for (size_t i = 0; i < n; ++i) value = x[i] > value ? x[i] : value;
    if (value > best.value || best.index < 0) best = {value, std::find(x, x + n, value) - s.data()};
  }
  return best;
}

// Blocks are so short that a byte counts their elements.
inline Counts counts(Bytes s) {
  constexpr size_t block = 192;
  Counts all{};
  for (size_t begin = 0; begin < s.size(); begin += block) {
    const uint8_t* x = s.data() + begin;
    const size_t n = std::min(block, s.size() - begin);
    for (int k = 0; k < 8; ++k) {
      uint8_t count = 0;
#pragma omp simd reduction(+ : count)
      for (size_t i = 0; i < n; ++i) count = uint8_t(count + (x[i] == k));
      all[size_t(k)] += count;
    }
  }
  return all;
}

// The sums of a stretch: see works/mcss.cpp.
struct Stretch {
  float best, prefix, suffix, total;
};
inline Stretch join(Stretch left, Stretch right) {
  return {std::max({left.best, right.best, left.suffix + right.prefix}), std::max(left.prefix, left.total + right.prefix),
          std::max(right.suffix, left.suffix + right.total), left.total + right.total};
}
// Sixteen parts side by side, in lanes.
inline Stretch stretch(Floats s) {
  constexpr size_t lanes = 16;
  const size_t n = s.size() / lanes;
  float best[lanes] = {}, prefix[lanes] = {}, suffix[lanes] = {}, total[lanes] = {};
  for (size_t i = 0; i < n; ++i) {
#pragma omp simd
    for (size_t k = 0; k < lanes; ++k) {
      const float x = s[k * n + i];
      total[k] += x;
      prefix[k] = std::max(prefix[k], total[k]);
      suffix[k] = std::max(suffix[k] + x, 0.0f);
      best[k] = std::max(best[k], suffix[k]);
    }
  }
  Stretch all{};
  for (size_t k = 0; k < lanes; ++k) all = join(all, {best[k], prefix[k], suffix[k], total[k]});
  for (const float x : s.subspan(n * lanes)) {
    const float gain = std::max(x, 0.0f);
    all = join(all, {gain, gain, gain, x});
  }
  return all;
}

inline void gather(Floats s, Ints indices, float* out) {
  for (size_t i = 0; i < indices.size(); ++i) out[i] = s[size_t(indices[i])];
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
  const T* x = s.data();
#pragma omp simd reduction(+ : total)
  for (size_t i = 0; i < s.size(); ++i) total += x[i];
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
