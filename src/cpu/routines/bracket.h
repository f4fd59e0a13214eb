// Bounds of the words at some positions of a sorted sequence, from a sample of it: Floyd and Rivest, "Expected time bounds for selection" (1975).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "plan/routine.h"

namespace wf::cpu {

template <class Word> struct Bracket {
  Word low = 0, high = Word(~Word(0));  // all words
};

// sample: m of the n words, in order. The words at the positions are outside of the bracket once in some ten thousand times.
template <class Word> Bracket<Word> bracket_of(const Word* sample, int64_t m, Positions positions, int64_t n) {
  constexpr double deviations = 4, least = 4;
  auto margin = [&](double at) { return least + deviations * std::sqrt(std::max(0.0, at * (1 - at / double(m)))); };
  const double begin = double(m) * double(positions.first) / double(n);
  const double end = double(m) * double(positions.first + positions.count) / double(n);
  const double low = begin - margin(begin), high = end + margin(end);
  Bracket<Word> bracket;
  if (low >= 0) bracket.low = sample[int64_t(low)];
  if (high < double(m)) bracket.high = sample[int64_t(high)];
  return bracket;
}

// Element k of a sample of m of n elements: one of the k-th part, at a place that has no period.
inline int64_t sampled(int64_t k, int64_t m, int64_t n) {
  const int64_t part = n / m;
  return k * part + int64_t((uint64_t(k) * 0x9e3779b97f4a7c15 >> 32) % uint64_t(part));
}

}  // namespace wf::cpu
