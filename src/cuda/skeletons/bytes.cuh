// SWAR: four elements per word, one byte each, modulo 256. Truth values are 0 or 1. No carry crosses a byte boundary.
#pragma once

#include "memory.cuh"

namespace wf {

constexpr unsigned byte_ones = 0x01010101u, byte_highs = 0x80808080u;  // 1, and the highest bit, of every byte

// Returns the q-th word of a pack.
template <class T, int P> WF_FN unsigned word_of(const Pack<T, P>& pack, int q) {
  unsigned word;
  memcpy(&word, pack.at + 4 * q, 4);
  return word;
}
// Returns x in every byte.
template <class T> WF_FN unsigned bytes_all(T x) { return (unsigned(x) & 0xffu) * byte_ones; }

WF_FN unsigned bytes_add(unsigned x, unsigned y) { return ((x & ~byte_highs) + (y & ~byte_highs)) ^ ((x ^ y) & byte_highs); }
WF_FN unsigned bytes_sub(unsigned x, unsigned y) { return ((x | byte_highs) - (y & ~byte_highs)) ^ (~(x ^ y) & byte_highs); }
// bytes_sub for operands that are truth values.
WF_FN unsigned bytes_difference(unsigned x, unsigned y) { return ((x | byte_highs) - y) ^ byte_highs; }

WF_FN unsigned bytes_eq(unsigned x, unsigned y) {
  const unsigned differs = ((x ^ y) & ~byte_highs) + ~byte_highs;  // a byte's highest bit is set if the lower bits differ
  return (~(differs | (x ^ y)) & byte_highs) >> 7;
}
// Compares unsigned bytes.
WF_FN unsigned bytes_ge(unsigned x, unsigned y) {
  const unsigned of_lower = (x | byte_highs) - (y & ~byte_highs);
  return (((x & ~y) | (~(x ^ y) & of_lower)) & byte_highs) >> 7;
}
WF_FN unsigned bytes_not(unsigned truths) { return truths ^ byte_ones; }
WF_FN unsigned bytes_where(unsigned truths, unsigned x, unsigned y) {
  const unsigned chosen = truths * 255u;
  return (x & chosen) | (y & ~chosen);
}

// Returns sum plus the dot product of the signed bytes of x and `weights`.
template <class T> WF_FN T byte_dot(unsigned x, unsigned weights, T sum) { return T(dot_of_bytes(x, weights, int(sum))); }

}  // namespace wf
