// Counts of bytes by parities of their bits, on processors with AVX-512 and GFNI.
//
// For a set S of bits, the parity P_S of a byte is the sum, modulo 2, of its bits in S. The numbers of bytes whose parity is 1, for all 256 sets,
// determine the counts of the bytes: these are the Walsh-Hadamard transform of those.
//
// Three bytes are added as in carry-save addition: P_S(x) + P_S(a) + P_S(b) = P_S(x ^ a ^ b) + 2 C_S, where the carry C_S is the majority of the
// three parities. Parities are linear, so only the exclusive or of all bytes is carried on as the next x, and its parities are counted once, at the
// end. The carry is a quadratic form in the bits of S, P_S(x ^ a) P_S(x ^ b) ^ P_S(x), with 8 coefficients of bits and 28 of pairs of bits. From
// these, each of its 256 values takes little more than one exclusive or. In planes (bit p of a vector belongs to byte p of a block), two blocks of
// 512 bytes take about 1000 instructions, no table and no branch, so that the time does not depend on the bytes.
#include <immintrin.h>

#include <algorithm>

#include "cpu/loops/isa.h"
#include "cpu/routines/scatter/tables.h"

#define WF_BY_PARITY __attribute__((target("avx512f,avx512bw,avx512vpopcntdq,gfni")))

namespace wf::cpu {
namespace {

constexpr int64_t values = 256, line = 64;  // bytes
constexpr int64_t block = 512;              // bytes of a plane
constexpr int64_t pair = 2 * block;
constexpr int64_t most_pairs = 6;             // whose forms are in the L1 cache together with the sums
constexpr int64_t ahead = 4 * pair;           // bytes between the next blocks and those that are fetched
constexpr int high_sets = 16, low_sets = 16;  // sets of the high four bits, and of the low four
// The variants of instructions with a mask are the same if it has all bits, and gcc warns of an undefined operand of those without one.
constexpr __mmask8 all_8 = 0xff;
constexpr __mmask16 all_16 = 0xffff;
constexpr __mmask32 all_32 = ~__mmask32(0);
constexpr __mmask64 all_64 = ~__mmask64(0);

// A worker's counts.
struct ByteCounts {
  int64_t carries[values][8];  // for each set, in eight parts
  int64_t odd[8][8];           // the planes of x, the exclusive or of all blocks
  int64_t bytes;               // in pairs of blocks
  int64_t others[values];      // of the bytes outside of pairs of blocks
};

// The carries of two blocks as a quadratic form in the bits of the set. A set's low four bits are named 0 to 3 here, its high four bits 4 to 7.
struct alignas(line) Form {
  __m512i of_high[high_sets];  // the value for a set of high bits
  __m512i low[4];              // what bit l adds to that value, for the high bits of the current tile
  __m512i change[4][4];        // change[h][l]: what bit 4 + h adds to low[l]
  __m512i pair_01, pair_23;    // what both bits add to the sum of what each adds
  __m512i across[3][3];        // across[j - 1][i - 1]: what the set i of bits 0 and 1 adds to what the set j of bits 2 and 3 adds
};

struct Planes {
  __m512i bits[8];
};

WF_BY_PARITY inline __m512i sum(__m512i a, __m512i b) { return _mm512_xor_si512(a, b); }
WF_BY_PARITY inline __m512i sum(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
WF_BY_PARITY inline __m512i majority(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }
// a ^ (b & c)
WF_BY_PARITY inline __m512i sum_and_product(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x78); }

// Plane b has bit b of each byte of a block, in an order that is the same for all blocks.
WF_BY_PARITY inline Planes planes_of(const uint8_t* bytes) {
  const __m512i rows = _mm512_set1_epi64(0x8040201008040201);
  __m512i x[8], y[8];
  Planes planes;
  // The product of the unit matrix and eight bytes is their transpose: byte b has their bits b.
  for (int k = 0; k < 8; k++) x[k] = _mm512_gf2p8affine_epi64_epi8(rows, _mm512_loadu_si512(bytes + line * k), 0);
  // Bytes b of each half of 16 bytes become neighbours: of two vectors, of four, of eight; then those of both halves.
  for (int k = 0; k < 4; k++) {
    y[k] = _mm512_maskz_unpacklo_epi8(all_64, x[2 * k], x[2 * k + 1]);
    y[k + 4] = _mm512_maskz_unpackhi_epi8(all_64, x[2 * k], x[2 * k + 1]);
  }
  for (int half = 0; half < 8; half += 4)
    for (int k = 0; k < 2; k++) {
      x[half + k] = _mm512_maskz_unpacklo_epi16(all_32, y[half + 2 * k], y[half + 2 * k + 1]);
      x[half + k + 2] = _mm512_maskz_unpackhi_epi16(all_32, y[half + 2 * k], y[half + 2 * k + 1]);
    }
  for (int k = 0; k < 8; k += 2) {
    y[k] = _mm512_maskz_unpacklo_epi32(all_16, x[k], x[k + 1]);
    y[k + 1] = _mm512_maskz_unpackhi_epi32(all_16, x[k], x[k + 1]);
  }
  for (int k = 0; k < 4; k++) {
    planes.bits[2 * k] = _mm512_maskz_unpacklo_epi64(all_8, y[k], y[k + 4]);
    planes.bits[2 * k + 1] = _mm512_maskz_unpackhi_epi64(all_8, y[k], y[k + 4]);
  }
  return planes;
}

// Computes the forms of pairs of blocks, and adds the blocks to `odd`. Stores limit the time, so the next blocks' planes are computed between them.
WF_BY_PARITY void compute_forms(const uint8_t* bytes, int64_t pairs, int64_t (*odd)[8], Form* forms) {
  Planes a = planes_of(bytes), b = planes_of(bytes + block);
  for (int64_t p = 0; p < pairs; p++) {
    const uint8_t* const next = bytes + pair * std::min(p + 1, pairs - 1);
    Form& form = forms[p];
    __m512i u[8], v[8], one[8];
    for (int k = 0; k < 8; k++) {
      const __m512i x = _mm512_loadu_si512(odd[k]);
      u[k] = sum(x, a.bits[k]), v[k] = sum(x, b.bits[k]), one[k] = majority(x, a.bits[k], b.bits[k]);
      _mm512_storeu_si512(odd[k], sum(u[k], b.bits[k]));
    }
    const auto two = [&](int i, int j) WF_BY_PARITY { return sum_and_product(_mm512_and_si512(u[i], v[j]), u[j], v[i]); };
    for (int l = 0; l < 4; l++) form.low[l] = one[l];
    form.pair_01 = two(0, 1), form.pair_23 = two(2, 3);
    const __m512i two_02 = two(0, 2), two_12 = two(1, 2), two_03 = two(0, 3), two_13 = two(1, 3);
    const __m512i with_0 = sum(two_02, two_03), with_1 = sum(two_12, two_13);
    form.across[0][0] = two_02, form.across[0][1] = two_12, form.across[0][2] = sum(two_02, two_12);
    form.across[1][0] = two_03, form.across[1][1] = two_13, form.across[1][2] = sum(two_03, two_13);
    form.across[2][0] = with_0, form.across[2][1] = with_1, form.across[2][2] = sum(with_0, with_1);
    for (int l = 0; l < 4; l++)
      for (int h = 0; h < 4; h++) form.change[h][l] = two(l, 4 + h);
    a = planes_of(next);

    const __m512i two_45 = two(4, 5), two_46 = two(4, 6), two_56 = two(5, 6), two_67 = two(6, 7);
    const __m512i two_47 = two(4, 7), two_57 = two(5, 7);
    // Bit 6, and bit 7, add these to the sets of bits 4 and 5.
    const __m512i six[4] = {one[6], sum(one[6], two_46), sum(one[6], two_56), sum(one[6], two_46, two_56)};
    const __m512i seven[4] = {one[7], sum(one[7], two_47), sum(one[7], two_57), sum(one[7], two_47, two_57)};
    __m512i* const of = form.of_high;
    const __m512i of_3 = sum(one[4], one[5], two_45);
    const __m512i of_67[4] = {one[6], sum(one[4], six[1]), sum(one[5], six[2]), sum(of_3, six[3])};
    of[0] = _mm512_setzero_si512(), of[1] = one[4], of[2] = one[5], of[3] = of_3;
    for (int k = 0; k < 4; k++) of[4 + k] = of_67[k];
    of[8] = one[7], of[9] = sum(one[4], seven[1]), of[10] = sum(one[5], seven[2]), of[11] = sum(of_3, seven[3]);
    for (int k = 0; k < 4; k++) of[12 + k] = sum(of_67[k], seven[k], two_67);
    b = planes_of(next + block);
  }
}

WF_BY_PARITY inline void count(__m512i bits, __m512i& to) { to = _mm512_add_epi64(to, _mm512_popcnt_epi64(bits)); }

// Adds up the carries of the sets of tile t, whose high bits are the Gray code of t; so one high bit changes from tile to tile. The sums of a tile are
// in registers. Later blocks are prefetched here, since this is most of the work.
WF_BY_PARITY __attribute__((noinline)) void count_tile(int t, Form* forms, int64_t pairs, const uint8_t* later, int64_t (*carries)[8]) {
  const int high = t ^ (t >> 1), changed = __builtin_ctz(unsigned(t + 1)) & 3;
  int64_t(*const to)[8] = carries + low_sets * high;
  __m512i n[low_sets];
#pragma GCC unroll 16
  for (int k = 0; k < low_sets; k++) n[k] = _mm512_loadu_si512(to[k]);
  later += line * pairs * t;
  for (int64_t p = 0; p < pairs; p++) {
    Form& form = forms[p];
    _mm_prefetch(later + line * p, _MM_HINT_T0);
    const __m512i z = form.of_high[high], c0 = form.low[0], c1 = form.low[1], c2 = form.low[2], c3 = form.low[3];
    for (int l = 0; l < 4; l++) form.low[l] = sum(form.low[l], form.change[changed][l]);
    const __m512i z1 = sum(z, c0), z2 = sum(z, c1), z3 = sum(z1, c1, form.pair_01), c23 = sum(c2, c3, form.pair_23);
    count(z, n[0]), count(z1, n[1]), count(z2, n[2]), count(z3, n[3]);
    count(sum(z, c2), n[4]), count(sum(z1, c2, form.across[0][0]), n[5]);
    count(sum(z2, c2, form.across[0][1]), n[6]), count(sum(z3, c2, form.across[0][2]), n[7]);
    count(sum(z, c3), n[8]), count(sum(z1, c3, form.across[1][0]), n[9]);
    count(sum(z2, c3, form.across[1][1]), n[10]), count(sum(z3, c3, form.across[1][2]), n[11]);
    count(sum(z, c23), n[12]), count(sum(z1, c23, form.across[2][0]), n[13]);
    count(sum(z2, c23, form.across[2][1]), n[14]), count(sum(z3, c23, form.across[2][2]), n[15]);
  }
#pragma GCC unroll 16
  for (int k = 0; k < low_sets; k++) _mm512_storeu_si512(to[k], n[k]);
}

void count(const uint8_t* bytes, int64_t n, ByteCounts& to) {
  Form forms[most_pairs];
  to.bytes += n / pair * pair;
  while (n >= pair) {
    const int64_t pairs = std::min(most_pairs, n / pair);
    compute_forms(bytes, pairs, to.odd, forms);
    bytes += pair * pairs, n -= pair * pairs;
    for (int t = 0; t < high_sets; t++) count_tile(t, forms, pairs, bytes + ahead, to.carries);
  }
  for (int64_t k = 0; k < n; k++) to.others[bytes[k]]++;
}

// Adds the counts of the bytes.
void add(const ByteCounts& from, int64_t* to) {
  int64_t counts[values];
  // The bytes whose parity is 0 less those whose parity is 1.
  for (int64_t set = 0; set < values; set++) {
    int64_t ones = 0;
    for (int64_t part = 0; part < 8; part++) {
      uint64_t parity = 0;
      for (int64_t b = 0; b < 8; b++) parity ^= set >> b & 1 ? uint64_t(from.odd[b][part]) : 0;
      ones += 2 * from.carries[set][part] + __builtin_popcountll(parity);
    }
    counts[set] = from.bytes - 2 * ones;
  }
  for (int64_t bit = 1; bit < values; bit *= 2)
    for (int64_t k = 0; k < values; k++)
      if (!(k & bit)) {
        const int64_t a = counts[k], b = counts[k | bit];
        counts[k] = a + b, counts[k | bit] = a - b;
      }
  for (int64_t k = 0; k < values; k++) to[k] += counts[k] / values + from.others[k];
}

bool has_instructions() {
  static const bool has = isa() == Isa::avx512 && __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni");
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
