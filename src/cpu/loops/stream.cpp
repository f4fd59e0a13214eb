#include "cpu/loops/stream.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/loops/vector.h"

namespace wf::cpu::simd {
namespace {

#if defined(__SSE2__)

inline void stream_line(const void* from, void* to) {
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  auto source = static_cast<const __m256i*>(from);
  auto target = static_cast<__m256i*>(to);
  for (int k = 0; k < 2; k++) _mm256_stream_si256(target + k, _mm256_loadu_si256(source + k));
#else
  auto source = static_cast<const __m128i*>(from);
  auto target = static_cast<__m128i*>(to);
  for (int k = 0; k < 4; k++) _mm_stream_si128(target + k, _mm_loadu_si128(source + k));
#endif
}

void copy(const void* from_, void* to_, int64_t bytes) {
  auto from = static_cast<const char*>(from_);
  auto to = static_cast<char*>(to_);
  int64_t head = -reinterpret_cast<intptr_t>(to) & 63;
  if (head > bytes) head = bytes;
  __builtin_memcpy(to, from, head);
  int64_t at = head;
  for (; at + 64 <= bytes; at += 64) stream_line(from + at, to + at);
  __builtin_memcpy(to + at, from + at, bytes - at);
}

void fence() { _mm_sfence(); }

#else

void copy(const void* from, void* to, int64_t bytes) { __builtin_memcpy(to, from, bytes); }
void fence() {}

#endif

template <class T> struct Pairs {
  using V = Vector<T, vector_bytes>;
  static constexpr int width = vector_bytes / int(sizeof(T));

  template <int... k> __attribute__((always_inline)) static V every_second(V a, V b, Numbers<int, k...>) {
    return __builtin_shufflevector(a, b, (2 * k)...);
  }
  template <int... k> __attribute__((always_inline)) static V every_other(V a, V b, Numbers<int, k...>) {
    return __builtin_shufflevector(a, b, (2 * k + 1)...);
  }
  template <int from, int... k> __attribute__((always_inline)) static V zipped(V a, V b, Numbers<int, k...>) {
    return __builtin_shufflevector(a, b, (from + k / 2 + k % 2 * width)...);
  }

  static void split(const T* x, int64_t pairs, T* even, T* odd) {
    constexpr UpTo<width> lanes;
    int64_t i = 0;
    for (; i + width <= pairs; i += width) {
      V a = load<V>(x + 2 * i), b = load<V>(x + 2 * i + width);
      store(even + i, every_second(a, b, lanes));
      store(odd + i, every_other(a, b, lanes));
    }
    for (; i < pairs; i++) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
  }

  static void join(const T* even, const T* odd, int64_t pairs, T* x) {
    constexpr UpTo<width> lanes;
    int64_t i = 0;
    for (; i + width <= pairs; i += width) {
      V a = load<V>(even + i), b = load<V>(odd + i);
      store(x + 2 * i, zipped<0>(a, b, lanes));
      store(x + 2 * i + width, zipped<width / 2>(a, b, lanes));
    }
    for (; i < pairs; i++) x[2 * i] = even[i], x[2 * i + 1] = odd[i];
  }
};

template <class T> void split_as(const void* x, int64_t pairs, void* even, void* odd) {
  Pairs<T>::split(static_cast<const T*>(x), pairs, static_cast<T*>(even), static_cast<T*>(odd));
}
void split(int64_t size, const void* x, int64_t pairs, void* even, void* odd) {
  (size == 1 ? split_as<uint8_t> : size == 4 ? split_as<uint32_t> : split_as<uint64_t>)(x, pairs, even, odd);
}

template <class T> void join_as(const void* even, const void* odd, int64_t pairs, void* x) {
  Pairs<T>::join(static_cast<const T*>(even), static_cast<const T*>(odd), pairs, static_cast<T*>(x));
}
void join(int64_t size, const void* even, const void* odd, int64_t pairs, void* x) {
  (size == 1 ? join_as<uint8_t> : size == 4 ? join_as<uint32_t> : join_as<uint64_t>)(even, odd, pairs, x);
}

// Rows of 16 bytes, as many as elements in one.
template <class T> struct SmallSquare {
  using V = Vector<T, 16>;
  static constexpr int side = 16 / int(sizeof(T));

  __attribute__((always_inline)) static void transpose(const T* from, int64_t stride, T* to, int64_t to_stride) {
    if constexpr (side == 4) {
      const V a = load<V>(from), b = load<V>(from + stride), c = load<V>(from + 2 * stride), d = load<V>(from + 3 * stride);
      const V ac = __builtin_shufflevector(a, c, 0, 4, 1, 5), ac2 = __builtin_shufflevector(a, c, 2, 6, 3, 7);
      const V bd = __builtin_shufflevector(b, d, 0, 4, 1, 5), bd2 = __builtin_shufflevector(b, d, 2, 6, 3, 7);
      store(to, V(__builtin_shufflevector(ac, bd, 0, 4, 1, 5)));
      store(to + to_stride, V(__builtin_shufflevector(ac, bd, 2, 6, 3, 7)));
      store(to + 2 * to_stride, V(__builtin_shufflevector(ac2, bd2, 0, 4, 1, 5)));
      store(to + 3 * to_stride, V(__builtin_shufflevector(ac2, bd2, 2, 6, 3, 7)));
    } else {
      const V a = load<V>(from), b = load<V>(from + stride);
      store(to, V(__builtin_shufflevector(a, b, 0, 2)));
      store(to + to_stride, V(__builtin_shufflevector(a, b, 1, 3)));
    }
  }
};

// Squares of whole lines; the last one may overlap the one before it. The lines of the square after the next one are prefetched.
template <class T> void transpose_as(const T* from, int64_t stride, T* to, int64_t to_stride, int64_t columns, bool streams) {
  constexpr int64_t side = 64 / int64_t(sizeof(T)), small = SmallSquare<T>::side, ahead = 2 * side;
  const bool aligned = reinterpret_cast<intptr_t>(to) % 64 == 0 && to_stride % side == 0;
  for (int64_t next = 0; next < columns; next += side) {
    const int64_t column = next + side <= columns ? next : columns - side;
    alignas(64) T square[side][side];
    for (int64_t r = 0; r < side; r += small)
      for (int64_t c = 0; c < side; c += small) SmallSquare<T>::transpose(from + r * stride + column + c, stride, &square[c][r], side);
    for (int64_t r = 0; r < side; r++) __builtin_prefetch(from + r * stride + column + ahead);
    for (int64_t c = 0; c < side; c++) {
      T* const out = to + (column + c) * to_stride;
      if (streams && aligned) copy(square[c], out, sizeof square[c]);
      else __builtin_memcpy(out, square[c], sizeof square[c]);
    }
  }
}
void transpose(int64_t size, const void* from, int64_t stride, void* to, int64_t to_stride, int64_t columns, bool streams) {
  if (size == 4) transpose_as(static_cast<const uint32_t*>(from), stride, static_cast<uint32_t*>(to), to_stride, columns, streams);
  else transpose_as(static_cast<const uint64_t*>(from), stride, static_cast<uint64_t*>(to), to_stride, columns, streams);
}

}  // namespace

extern const StreamTable WF_JOIN(streams, WF_ISA);
constinit const StreamTable WF_JOIN(streams, WF_ISA) = {copy, fence, split, join, transpose};

}  // namespace wf::cpu::simd
