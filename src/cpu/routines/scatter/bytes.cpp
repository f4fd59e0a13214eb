// Counts of bytes by their bits, on processors with AVX-512 and GFNI.
//
// Plane b of 512 bytes has bit b of each, in any order. The intersection of the planes of a set of bits has the bytes in which all of these are 1, and
// its bits are counted. In the end, the counts of all 256 sets give those of the bytes, by inclusion and exclusion. So a byte costs no load or store
// of a counter, and no time depends on the bytes.
#include <immintrin.h>

#include <algorithm>
#include <utility>

#include "cpu/loops/isa.h"
#include "cpu/routines/scatter/tables.h"

#define WF_BY_BITS __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vpopcntdq,gfni")))

namespace wf::cpu {
namespace {

constexpr int64_t values = 256, block = 512, line = 64;  // bytes
constexpr int64_t most_blocks = 32;                      // whose planes are in the L1 cache
// The variants of instructions with a mask are the same if it has all bits, and gcc warns of an undefined operand of those without one.
constexpr __mmask8 all_words = 0xff;
constexpr __mmask64 all_bytes = ~__mmask64(0);

// A worker's counts: of the intersections, in eight parts, and of the bytes outside of whole blocks.
struct ByteCounts {
  int64_t of_sets[values][8];
  int64_t others[values];
};

struct Planes {
  __m512i bits[8];
};

WF_BY_BITS Planes planes_of(const uint8_t* bytes) {
  // Byte 8 j + b of a vector goes to place 8 b + j.
  alignas(64) static constexpr uint8_t places[64] = {0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
                                                     50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
                                                     37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};
  const __m512i order = _mm512_load_si512(places), rows = _mm512_set1_epi64(0x8040201008040201);
  __m512i x[8], y[8];
  Planes planes;
  // The product of the unit matrix and eight bytes is their transpose: byte b has their bits b.
  for (int k = 0; k < 8; k++)
    x[k] = _mm512_maskz_permutexvar_epi8(all_bytes, order, _mm512_gf2p8affine_epi64_epi8(rows, _mm512_loadu_si512(bytes + 64 * k), 0));
  // Word b of each vector is part of plane b: an 8 x 8 transpose of words.
  for (int k = 0; k < 8; k += 2) {
    y[k] = _mm512_maskz_unpacklo_epi64(all_words, x[k], x[k + 1]);
    y[k + 1] = _mm512_maskz_unpackhi_epi64(all_words, x[k], x[k + 1]);
  }
  for (int k = 0; k < 8; k += 4)
    for (int odd = 0; odd < 2; odd++) {
      x[k + odd] = _mm512_maskz_shuffle_i64x2(all_words, y[k + odd], y[k + 2 + odd], 0x88);
      x[k + 2 + odd] = _mm512_maskz_shuffle_i64x2(all_words, y[k + odd], y[k + 2 + odd], 0xdd);
    }
  for (int k = 0; k < 4; k++) {
    planes.bits[k] = _mm512_maskz_shuffle_i64x2(all_words, x[k], x[k + 4], 0x88);
    planes.bits[k + 4] = _mm512_maskz_shuffle_i64x2(all_words, x[k], x[k + 4], 0xdd);
  }
  return planes;
}

// Counts the intersections for the sets with these high four bits, whose sums are in registers. The counting asks for the
// next blocks: otherwise these come from memory while nothing is counted, which takes half as long as the counting.
template <int high> WF_BY_BITS void count_sets(const Planes* planes, int64_t count, const uint8_t* next, ByteCounts& to) {
  constexpr int sets = 16;
  constexpr int64_t lines = block / line;
  __m512i sums[sets];
  for (int k = 0; k < sets; k++) sums[k] = _mm512_setzero_si512();
  int64_t p = 0;
  do {
    const __m512i* const bits = planes[p].bits;
    if (high < lines) _mm_prefetch(next + block * p + line * high, _MM_HINT_T0);
    __m512i both[sets];
    both[0] = _mm512_set1_epi64(-1);
    for (int b = 0; b < 4; b++)
      if (high >> b & 1) both[0] = _mm512_and_si512(both[0], bits[4 + b]);
    for (int k = 0; k < sets; k++) {
      if (k > 0) both[k] = _mm512_and_si512(both[k & (k - 1)], bits[__builtin_ctz(unsigned(k))]);
      sums[k] = _mm512_add_epi64(sums[k], _mm512_popcnt_epi64(both[k]));
    }
  } while (++p < count);
  for (int k = 0; k < sets; k++) {
    int64_t* const sum = to.of_sets[sets * high + k];
    _mm512_storeu_si512(sum, _mm512_add_epi64(sums[k], _mm512_loadu_si512(sum)));
  }
}

template <int... high>
void count_all_sets(const Planes* planes, int64_t count, const uint8_t* next, ByteCounts& to, std::integer_sequence<int, high...>) {
  (count_sets<high>(planes, count, next, to), ...);
}

void count(const uint8_t* bytes, int64_t n, ByteCounts& to) {
  Planes planes[most_blocks];
  while (n >= block) {
    const int64_t blocks = std::min(most_blocks, n / block);
    for (int64_t k = 0; k < blocks; k++) planes[k] = planes_of(bytes + block * k);
    bytes += block * blocks, n -= block * blocks;
    count_all_sets(planes, blocks, bytes, to, std::make_integer_sequence<int, 16>());
  }
  for (int64_t k = 0; k < n; k++) to.others[bytes[k]]++;
}

// Adds the counts of the bytes.
void add(const ByteCounts& from, int64_t* to) {
  int64_t counts[values];
  for (int64_t k = 0; k < values; k++) {
    counts[k] = 0;
    for (int64_t part : from.of_sets[k]) counts[k] += part;
  }
  for (int64_t bit = 1; bit < values; bit *= 2)
    for (int64_t k = 0; k < values; k++)
      if (!(k & bit)) counts[k] -= counts[k | bit];
  for (int64_t k = 0; k < values; k++) to[k] += counts[k] + from.others[k];
}

bool has_instructions() {
  static const bool has = isa() == Isa::avx512 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vpopcntdq") &&
                          __builtin_cpu_supports("gfni");
  return has;
}

}  // namespace

bool count_bytes(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  constexpr int64_t fewest = int64_t(1) << 16;
  if (c.index_type != Type::U8 || c.m > values || c.n < fewest || !has_instructions()) return false;
  const auto of = [](std::byte* table) -> ByteCounts& { return *reinterpret_cast<ByteCounts*>(table); };
  const auto* const bytes = reinterpret_cast<const uint8_t*>(c.indices);
  const Tables tables = filled_tables(
      c, sizeof(ByteCounts), pool, [&](std::byte* table) { of(table) = ByteCounts(); },
      [&](std::byte* table, int64_t begin, int64_t end) { count(bytes + begin, end - begin, of(table)); });
  int64_t counts[values] = {};
  for (int64_t w = 0; w < tables.count(); w++) add(of(tables[w]), counts);
  c.begin_with_base(0, c.m);
  for (int64_t k = 0; k < c.m; k++) reinterpret_cast<int64_t*>(c.out)[k] += counts[k];
  return true;
}

}  // namespace wf::cpu
