#include "cpu/loops/compress.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "cpu/loops/vector.h"

namespace wf::cpu::simd {
namespace {

template <class T> int64_t one_by_one(const T* x, const uint8_t* mask, int64_t n, T* to) {
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    to[kept] = x[i];  // kept <= i: inside the output
    kept += mask[i];
  }
  return kept;
}

// Blocks are contiguous: if x is the input itself, x + n is the next block. Its prefetch overlaps with the compression of this
// block, which keeps the memory busy. (Otherwise x + n is in the cache already and the prefetch costs nothing.)
template <class T> void ask_for(const T* x) { __builtin_prefetch(x); }

#if defined(__AVX512F__)

// Returns a zero whose value the compiler does not know. A compress instruction that writes zeros where nothing is left waits for the former value of its
// target on Zen 5, 5 cycles. One that merges into a zero does not and takes 1; but compilers turn it into the first if they see the zero.
__attribute__((always_inline)) inline __m512i opaque_zero() {
  __m512i zero = _mm512_setzero_si512();
  asm("" : "+v"(zero));
  return zero;
}

// Compression into a register and a plain store: compressing stores to memory are many times slower on Zen 4. Several vectors are loaded before any is
// stored, since a load may wait until the addresses of all stores before it are known.
__attribute__((target("avx512vbmi2"))) int64_t compress_bytes(const uint8_t* x, const uint8_t* mask, int64_t n, uint8_t* to) {
  int64_t i = 0, kept = 0;
  const auto add = [&](__m512i bytes, __mmask64 chosen) __attribute__((target("avx512vbmi2"))) {
    _mm512_storeu_si512(to + kept, _mm512_mask_compress_epi8(opaque_zero(), chosen, bytes));
    kept += _mm_popcnt_u64(_cvtmask64_u64(chosen));
  };
  for (; i + 128 <= n; i += 128) {
    ask_for(x + n + i), ask_for(x + n + i + 64);
    const __m512i first = _mm512_loadu_si512(x + i), second = _mm512_loadu_si512(x + i + 64);
    const __m512i of_first = _mm512_loadu_si512(mask + i), of_second = _mm512_loadu_si512(mask + i + 64);
    add(first, _mm512_test_epi8_mask(of_first, of_first));
    add(second, _mm512_test_epi8_mask(of_second, of_second));
  }
  return kept + one_by_one(x + i, mask + i, n - i, to + kept);
}

template <class T> int64_t compress(const void* x_, const uint8_t* mask, int64_t n, void* to_) {
  auto x = static_cast<const T*>(x_);
  auto to = static_cast<T*>(to_);
  constexpr int per_vector = 64 / sizeof(T);
  int64_t i = 0, kept = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512i bytes = _mm512_loadu_si512(mask + i);
    const uint64_t bits = _mm512_test_epi8_mask(bytes, bytes);
    __m512i part[sizeof(T)];
    for (size_t k = 0; k < sizeof(T); k++) {
      ask_for(x + n + i + per_vector * k);
      part[k] = _mm512_loadu_si512(x + i + per_vector * k);
    }
    T* end = to + kept;
    for (size_t k = 0; k < sizeof(T); k++) {
      const uint64_t chosen = bits >> per_vector * k & ((uint64_t(1) << per_vector) - 1);
      if constexpr (sizeof(T) == 4) part[k] = _mm512_mask_compress_epi32(opaque_zero(), __mmask16(chosen), part[k]);
      else part[k] = _mm512_mask_compress_epi64(opaque_zero(), __mmask8(chosen), part[k]);
      _mm512_storeu_si512(end, part[k]);
      end += _mm_popcnt_u64(chosen);
    }
    kept += _mm_popcnt_u64(bits);
  }
  return kept + one_by_one(x + i, mask + i, n - i, to + kept);
}

// Bytes in 16 words, where there is no instruction for them.
template <> int64_t compress<uint8_t>(const void* x_, const uint8_t* mask, int64_t n, void* to_) {
  auto x = static_cast<const uint8_t*>(x_);
  auto to = static_cast<uint8_t*>(to_);
  static const bool has_instruction = __builtin_cpu_supports("avx512vbmi2");
  if (has_instruction) return compress_bytes(x, mask, n, to);
  int64_t i = 0, kept = 0;
  for (; i + 64 <= n; i += 64) {
    __m512i bytes = _mm512_loadu_si512(mask + i);
    uint64_t bits = _mm512_test_epi8_mask(bytes, bytes);
    ask_for(x + n + i);
    for (int k = 0; k < 64; k += 16, bits >>= 16) {
      __mmask16 chosen = __mmask16(bits);
      __m512i wide = _mm512_maskz_cvtepu8_epi32(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i + k)));
      __m128i packed = _mm512_maskz_cvtepi32_epi8(0xffff, _mm512_mask_compress_epi32(opaque_zero(), chosen, wide));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + kept), packed);
      kept += _mm_popcnt_u32(chosen);
    }
  }
  return kept + one_by_one(x + i, mask + i, n - i, to + kept);
}

#elif defined(__AVX2__)

// For each mask of 8 bits, the numbers of the lanes that are kept, then zeros.
struct LaneTable {
  uint64_t lanes[256];
  constexpr LaneTable() : lanes() {
    for (int mask = 0; mask < 256; mask++)
      for (int lane = 0, at = 0; lane < 8; lane++)
        if (mask >> lane & 1) lanes[mask] |= uint64_t(lane) << 8 * at++;
  }
};
constexpr LaneTable lane_table;
// The mask of 4-byte halves for a mask of four 8-byte lanes.
constexpr uint8_t doubled[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};

template <class T> int64_t compress(const void* x_, const uint8_t* mask, int64_t n, void* to_) {
  auto x = static_cast<const T*>(x_);
  auto to = static_cast<T*>(to_);
  auto lanes = [](unsigned bits) { return _mm_cvtsi64_si128(int64_t(lane_table.lanes[bits & 255])); };
  auto move = [&](const T* from, T* target, unsigned bits) {
    __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    v = _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(lanes(bits)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), v);
  };
  int64_t i = 0, kept = 0;
  for (; i + 32 <= n; i += 32) {
    __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask + i));
    unsigned bits = unsigned(_mm256_movemask_epi8(_mm256_slli_epi16(bytes, 7)));
    for (int k = 0; k < 32; k += 64 / sizeof(T)) ask_for(x + n + i + k);
    constexpr int step = sizeof(T) == 8 ? 4 : 8;
    for (int k = 0; k < 32; k += step, bits >>= step) {
      unsigned chosen = bits & ((1u << step) - 1);
      if constexpr (sizeof(T) == 1) {
        __m128i v = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + i + k));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(to + kept), _mm_shuffle_epi8(v, lanes(chosen)));
      } else {
        move(x + i + k, to + kept, sizeof(T) == 8 ? doubled[chosen] : chosen);
      }
      kept += _mm_popcnt_u32(chosen);
    }
  }
  return kept + one_by_one(x + i, mask + i, n - i, to + kept);
}

#else

template <class T> int64_t compress(const void* x, const uint8_t* mask, int64_t n, void* to) {
  return one_by_one(static_cast<const T*>(x), mask, n, static_cast<T*>(to));
}

#endif

int64_t count(const uint8_t* mask, int64_t n) {
  int64_t total = 0, i = 0;
  while (i + vector_bytes <= n) {
    Vector<uint8_t, vector_bytes> sums{};
    for (int k = 0; k < 255 && i + vector_bytes <= n; k++, i += vector_bytes) sums += load<decltype(sums)>(mask + i);
    for (int k = 0; k < vector_bytes; k++) total += sums[k];
  }
  for (; i < n; i++) total += mask[i];
  return total;
}

}  // namespace

extern const CompressTable WF_JOIN(compresses, WF_ISA);
constinit const CompressTable WF_JOIN(compresses, WF_ISA) = {compress<uint8_t>, compress<uint32_t>, compress<uint64_t>, count};

}  // namespace wf::cpu::simd
