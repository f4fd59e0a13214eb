// Matching parentheses of any number: groups of four are random, and the nesting is deep.
#pragma once

#include <cstdint>

#include "harness.h"

namespace bench {

// +1 or -1 at index i of n. The first half rises in groups of four that never fall below their start; the second half is its mirror
// image. If n is not a multiple of eight, the rest in the middle is (()...), which matches, too.
inline int32_t parenthesis(int64_t i, int64_t n) {
  int64_t half = n / 2;
  if (i >= n - half) return -parenthesis(n - 1 - i, n);
  if (i >= half) return 0;
  if (i >= half / 4 * 4) return 1;
  static constexpr int8_t groups[4][4] = {{1, 1, -1, -1}, {1, -1, 1, -1}, {1, 1, -1, 1}, {1, -1, 1, 1}};
  return groups[random_bits(uint64_t(i / 4)) & 3][i % 4];
}

// The same as text: three of four characters are letters.
inline uint8_t parenthesis_text(int64_t i, int64_t n) {
  if (i % 4 != 1 || i / 4 >= n / 4) return uint8_t('a' + random_bits(uint64_t(i)) % 26);
  int32_t p = parenthesis(i / 4, n / 4);
  return p > 0 ? '(' : p < 0 ? ')' : ' ';
}

}  // namespace bench
