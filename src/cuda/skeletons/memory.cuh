// Loads and stores: packs of consecutive elements in one access of up to 16 bytes, guarded single elements, and the record
// of the first index that was out of range.
#pragma once

#include "ops.cuh"

namespace wf {

template <class T, int P>
struct Pack {
  T at[P];
};

template <int bytes> struct Word;
template <> struct Word<1> { using type = unsigned char; };
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = unsigned; };
template <> struct Word<8> { using type = uint2; };
template <> struct Word<16> { using type = uint4; };

template <class T, int P>
constexpr int word_bytes = sizeof(T) * P < 16 ? sizeof(T) * P : 16;

// from is aligned to the pack's size, or to 16 bytes where the pack is larger.
template <class T, int P>
WF_FN void load_pack(const T* from, Pack<T, P>& to) {
  constexpr int bytes = word_bytes<T, P>;
  using W = typename Word<bytes>::type;
  W words[sizeof(T) * P / bytes];
#pragma unroll
  for (int k = 0; k < int(sizeof words / bytes); k++) words[k] = __ldg(reinterpret_cast<const W*>(from) + k);
  memcpy(to.at, words, sizeof words);
}

template <class T, int P>
WF_FN void load_shared_pack(const T* from, Pack<T, P>& to) {
  constexpr int bytes = word_bytes<T, P>;
  using W = typename Word<bytes>::type;
  W words[sizeof(T) * P / bytes];
#pragma unroll
  for (int k = 0; k < int(sizeof words / bytes); k++) words[k] = reinterpret_cast<const W*>(from)[k];
  memcpy(to.at, words, sizeof words);
}

// Written once and not read again by this kernel: the cache need not keep it.
template <class T, int P>
WF_FN void store_pack(T* to, const Pack<T, P>& from) {
  constexpr int bytes = word_bytes<T, P>;
  using W = typename Word<bytes>::type;
  W words[sizeof(T) * P / bytes];
  memcpy(words, from.at, sizeof words);
#pragma unroll
  for (int k = 0; k < int(sizeof words / bytes); k++) __stcs(reinterpret_cast<W*>(to) + k, words[k]);
}

template <class T>
WF_FN T load(const T* from) {
  using W = typename Word<sizeof(T)>::type;
  W word = __ldg(reinterpret_cast<const W*>(from));
  T x;
  memcpy(&x, &word, sizeof(T));
  return x;
}

// What another block wrote: past the L1 cache. T's size is a multiple of 4.
template <class T>
WF_FN T load_fresh(const T* from) {
  const volatile unsigned* words = reinterpret_cast<const volatile unsigned*>(from);
  unsigned copy[sizeof(T) / 4];
#pragma unroll
  for (int k = 0; k < int(sizeof(T) / 4); k++) copy[k] = words[k];
  T x;
  memcpy(&x, copy, sizeof(T));
  return x;
}

// column[index], 0 outside [0, length).
template <class T>
WF_FN T element(const T* column, int64_t length, int64_t index) {
  return uint64_t(index) < uint64_t(length) ? load(column + index) : T(0);
}

// The fault with the least domain index; at = -1 while there is none. The host resets it.
struct Fault {
  uint64_t at;
  int64_t index, length;
  unsigned lock;
};

// Where guard holds, index must be in [0, length). Faults are rare: a lock is taken only to record an earlier one.
static __device__ __noinline__ void record(Fault* fault, int64_t at, int64_t index, int64_t length) {
  volatile Fault* first = fault;
  if (uint64_t(at) >= first->at) return;
  for (bool done = false; !done;) {
    if (atomicCAS(&fault->lock, 0u, 1u) != 0u) continue;
    __threadfence();
    if (uint64_t(at) < first->at) {
      first->index = index;
      first->length = length;
      first->at = uint64_t(at);
    }
    __threadfence();
    atomicExch(&fault->lock, 0u);
    done = true;
  }
}

WF_FN void check(Fault* fault, int64_t at, int64_t index, int64_t length, bool guard) {
  if (guard && uint64_t(index) >= uint64_t(length)) record(fault, at, index, length);
}

}  // namespace wf
