// Scattering integers: every element is combined with the element at its index, by atomic operations. All of them commute, so the result does
// not depend on who comes first. Few elements have a table in each block's shared memory, which is combined with the result at the end.
//
// Program has Index, Value, Element (of the table and the result), in_table (a table is used), combine(at, x), which is atomic, value(a, i),
// identity() and flush(a, k, x), which combines a table's element with the result.
#pragma once

#include "memory.cuh"

namespace wf {

// The type that atomicCAS takes.
template <int bytes> struct Swappable { using type = unsigned; };
template <> struct Swappable<8> { using type = unsigned long long; };

// Applies f to the element at `at` atomically, by comparing and swapping its 4- or 8-byte word, or the word that contains its byte.
template <class T, class F> WF_FN void update_atomically(T* at, const F& f) {
  if constexpr (sizeof(T) == 1) {
    const uint64_t address = reinterpret_cast<uint64_t>(at);
    unsigned* const word = reinterpret_cast<unsigned*>(address & ~uint64_t(3));
    const unsigned shift = 8 * unsigned(address & 3);
    unsigned known = *static_cast<volatile unsigned*>(word);
    for (unsigned seen = ~known; seen != known;) {
      seen = known;
      const unsigned changed = (seen & ~(255u << shift)) | unsigned(uint8_t(f(T(seen >> shift & 255u)))) << shift;
      known = atomicCAS(word, seen, changed);
    }
  } else {
    using Unsigned = typename Swappable<sizeof(T)>::type;
    Unsigned* const word = reinterpret_cast<Unsigned*>(at);
    Unsigned known = *static_cast<volatile Unsigned*>(word);
    for (Unsigned seen = ~known; seen != known;) {
      seen = known;
      known = atomicCAS(word, seen, Unsigned(f(T(seen))));
    }
  }
}

template <class Program> WF_FN void scatter(const typename Program::Args& a) {
  using Element = typename Program::Element;
  extern __shared__ __align__(16) unsigned char memory[];
  Element* const table = reinterpret_cast<Element*>(memory);
  if constexpr (Program::in_table) {
    for (int64_t k = threadIdx.x; k < a.m; k += blockDim.x) table[k] = Program::identity();
    __syncthreads();
  }
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
    const int64_t k = int64_t(load(a.indices + i));
    if constexpr (Program::in_table) Program::combine(table + k, Program::value(a, i));
    else Program::flush(a, k, Program::value(a, i));
  }
  if constexpr (Program::in_table) {
    __syncthreads();
    for (int64_t k = threadIdx.x; k < a.m; k += blockDim.x)
      if (table[k] != Program::identity()) Program::flush(a, k, table[k]);
  }
}

}  // namespace wf
