// Counts of bytes by parities of their bits, on processors with AVX-512, VBMI2 and GFNI.
//
// Bytes are split by their high bit into two halves, whose bytes differ in seven bits only. For a set S of these, the parity P_S of a byte is the sum,
// modulo 2, of its bits in S. The numbers of bytes whose parity is 1, for all 128 sets, determine the counts of a half's bytes: these are the
// Walsh-Hadamard transform of those.
//
// Three bytes are added as in carry-save addition: P_S(x) + P_S(a) + P_S(b) = P_S(x ^ a ^ b) + 2 C_S, where the carry C_S is the majority of the
// three parities. Parities are linear, so only the exclusive or of all bytes is carried on as the next x, and its parities are counted once, at the
// end. The carry is a quadratic form in the bits of S, P_S(x ^ a) P_S(x ^ b) ^ P_S(x), with 7 coefficients of bits and 21 of pairs of bits. From
// these, each of its 128 values takes little more than one exclusive or. In planes (bit p of a vector belongs to byte p of a block), two blocks of
// 512 bytes take about 720 instructions, no table and no branch, so that the time does not depend on the bytes. 110 of them split 1024 bytes; they
// wait for stores and addresses, the others for arithmetic, so they are done together.
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/loops/isa.h"
#include "cpu/loops/opaque_zero.h"
#include "cpu/routines/scatter/tables.h"

#define WF_BY_PARITY __attribute__((target("avx512f,avx512bw,avx512vbmi2,avx512vpopcntdq,gfni,popcnt")))

namespace wf::cpu {
namespace {

constexpr int64_t values = 128, line = 64;  // bytes
constexpr int64_t block = 512;              // bytes of a plane
constexpr int64_t pair = 2 * block;
constexpr int64_t pairs = 6;                 // that are counted together; their forms are in the L1 cache, as is all that they meet there
constexpr int64_t room = pairs * pair;       // bytes
constexpr int64_t ahead = 6 << 10;           // bytes between the next line and the one that is fetched
constexpr int high_sets = 8, low_sets = 16;  // sets of the high three bits of seven, and of the low four
constexpr int64_t flushes = 0xffff / (64 * pairs);  // whose carries 16 bits contain, in 8 parts
// The variants of instructions with a mask are the same if it has all bits, and gcc warns of an undefined operand of those without one.
constexpr __mmask8 all_8 = 0xff;
constexpr __mmask16 all_16 = 0xffff;
constexpr __mmask32 all_32 = ~__mmask32(0);
constexpr __mmask64 all_64 = ~__mmask64(0);

// The bytes with one high bit: those counted, and those held until there are enough. A flush takes `room` bytes and is fed as many at most, so that
// both halves together have at most two rooms and a line; a line is stored whole, whatever belongs to the half.
struct Half {
  alignas(line) uint16_t recent[values / 4][8][4];  // carries of at most `flushes` flushes, of four sets, in eight parts
  int64_t carries[values];                          // of the flushes before, for each set
  int64_t odd[7][8];                                // the planes of x, the exclusive or of all blocks
  int64_t counted;                                  // bytes
  int64_t held;                                     // bytes
  alignas(line) uint8_t bytes[2 * room + 2 * line];
};

// A worker's counts.
struct ByteCounts {
  Half halves[2];
  int64_t others[2 * values];  // of the last bytes of a piece
};

// The places where the next line is read and where the next byte of each half is written.
struct Cursor {
  const uint8_t* from;
  uint8_t* to[2];
};

// The carries of two blocks as a quadratic form in the bits of the set. A set's low four bits are named 0 to 3 here, its high three bits 4 to 6.
struct alignas(line) Form {
  __m512i of_high[high_sets];  // the value for a set of high bits
  __m512i low[4];              // what bit l adds to that value, if no high bit is in the set
  __m512i change[3][4];        // change[h][l]: what bit 4 + h adds to low[l]
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

// Computes the forms of `room` bytes, and adds these to `odd`. Stores limit the time, so the next blocks' planes are computed between them.
WF_BY_PARITY void compute_forms(const uint8_t* bytes, int64_t (*odd)[8], Form* forms) {
  Planes a = planes_of(bytes), b = planes_of(bytes + block);
  for (int64_t p = 0; p < pairs; p++) {
    const uint8_t* const next = bytes + pair * std::min(p + 1, pairs - 1);
    Form& form = forms[p];
    __m512i u[7], v[7], one[7];
    for (int k = 0; k < 7; k++) {
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
      for (int h = 0; h < 3; h++) form.change[h][l] = two(l, 4 + h);
    a = planes_of(next);

    const __m512i two_45 = two(4, 5), two_46 = two(4, 6), two_56 = two(5, 6);
    __m512i* const of = form.of_high;
    of[0] = _mm512_setzero_si512(), of[1] = one[4], of[2] = one[5], of[3] = sum(one[4], one[5], two_45), of[4] = one[6];
    of[5] = sum(one[4], one[6], two_46), of[6] = sum(one[5], one[6], two_56), of[7] = sum(sum(of[3], one[6], two_46), two_56);
    b = planes_of(next + block);
  }
}

WF_BY_PARITY inline int64_t high_bits(__m512i bytes) { return _mm_popcnt_u64(_cvtmask64_u64(_mm512_movepi8_mask(bytes))); }

// Writes a line's bytes to their halves. `high` of them have the high bit.
WF_BY_PARITY inline void split(__m512i bytes, int64_t high, uint8_t*& low_to, uint8_t*& high_to) {
  const __mmask64 is_high = _mm512_movepi8_mask(bytes);
  _mm512_storeu_si512(low_to, _mm512_mask_compress_epi8(opaque_zero(), _knot_mask64(is_high), bytes));
  _mm512_storeu_si512(high_to, _mm512_mask_compress_epi8(opaque_zero(), is_high, bytes));
  low_to += line - high, high_to += high;
}

WF_BY_PARITY inline void count(__m512i bits, __m512i& to) { to = _mm512_add_epi64(to, _mm512_popcnt_epi64(bits)); }

// Adds the numbers of four sets, from `first` on, to those in 16 bits.
WF_BY_PARITY inline void add_to_recent(const __m512i (&n)[low_sets], int first, uint16_t (&to)[8][4]) {
  constexpr __mmask16 odd_words = 0xaaaa;               // of 32 bits
  constexpr __mmask64 odd_halves = 0xcccccccccccccccc;  // of these
  const __m512i low_half_to_odd = _mm512_set4_epi64(0x0d0c000009080000, 0x0504000001000000, 0x0d0c000009080000, 0x0504000001000000);
  const __m512i even = _mm512_mask_shuffle_epi32(n[first], odd_words, n[first + 2], _MM_PERM_CCAA);
  const __m512i odd = _mm512_mask_shuffle_epi32(n[first + 1], odd_words, n[first + 3], _MM_PERM_CCAA);
  _mm512_store_si512(to, _mm512_add_epi16(_mm512_load_si512(to), _mm512_mask_shuffle_epi8(even, odd_halves, odd, low_half_to_odd)));
}

// Adds up the carries of the sets with these high bits. Their sums are in registers. If `feeds`, splits two lines for each pair of blocks. Lines are
// loaded one pair before they are split, so that no load waits for the address of a store before it.
template <bool feeds, int high>
WF_BY_PARITY __attribute__((noinline)) void count_tile(const Form* forms, Cursor& cursor, uint16_t (*recent)[8][4]) {
  __m512i n[low_sets];
#pragma GCC unroll 16
  for (__m512i& sum : n) sum = _mm512_setzero_si512();
  const uint8_t* from = cursor.from;
  uint8_t *low_to = cursor.to[0], *high_to = cursor.to[1];
  __m512i next[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
  int64_t high_of_next[2] = {};
  const auto load_lines = [&]() WF_BY_PARITY {
    for (int k = 0; k < 2; k++) next[k] = _mm512_loadu_si512(from + line * k), high_of_next[k] = high_bits(next[k]);
  };
  if constexpr (feeds) load_lines();
  for (int64_t p = 0; p < pairs; p++) {
    const Form& form = forms[p];
    const auto low = [&](int l) WF_BY_PARITY {
      __m512i c = form.low[l];
      for (int h = 0; h < 3; h++)
        if (high >> h & 1) c = sum(c, form.change[h][l]);
      return c;
    };
    const __m512i z = form.of_high[high], c0 = low(0), c1 = low(1), c2 = low(2), c3 = low(3);
    const __m512i first = next[0], second = next[1];
    const int64_t high_of_first = high_of_next[0], high_of_second = high_of_next[1];
    if constexpr (feeds) {
      from += 2 * line;
      load_lines();
    }
    const __m512i z1 = sum(z, c0), z2 = sum(z, c1), z3 = sum(z1, c1, form.pair_01), c23 = sum(c2, c3, form.pair_23);
    count(z, n[0]), count(z1, n[1]), count(z2, n[2]), count(z3, n[3]);
    count(sum(z, c2), n[4]), count(sum(z1, c2, form.across[0][0]), n[5]);
    count(sum(z2, c2, form.across[0][1]), n[6]), count(sum(z3, c2, form.across[0][2]), n[7]);
    if constexpr (feeds) split(first, high_of_first, low_to, high_to);
    count(sum(z, c3), n[8]), count(sum(z1, c3, form.across[1][0]), n[9]);
    count(sum(z2, c3, form.across[1][1]), n[10]), count(sum(z3, c3, form.across[1][2]), n[11]);
    count(sum(z, c23), n[12]), count(sum(z1, c23, form.across[2][0]), n[13]);
    count(sum(z2, c23, form.across[2][1]), n[14]), count(sum(z3, c23, form.across[2][2]), n[15]);
    if constexpr (feeds) split(second, high_of_second, low_to, high_to);
  }
  cursor = {from, {low_to, high_to}};
#pragma GCC unroll 4
  for (int k = 0; k < low_sets; k += 4) add_to_recent(n, k, recent[(low_sets * high + k) / 4]);
}

// Fetches the lines that a tile will split. A processor's prefetchers follow the addresses of one instruction, so all lines are fetched by this one.
template <int64_t lines> __attribute__((noinline)) void fetch_lines(const uint8_t* from) {
#pragma GCC unroll 1
  for (int64_t k = 0; k < lines; k++) asm volatile("prefetcht0 %0" : : "m"(from[line * k]));
}

// Adds the recent carries to those before, and begins anew.
void settle_recent(Half& half) {
  for (int64_t set = 0; set < values; set++)
    for (int part = 0; part < 8; part++) half.carries[set] += half.recent[set / 4][part][set % 4];
  std::memset(half.recent, 0, sizeof half.recent);
}

// Counts the last `room` bytes of a half, up to a line's end, and feeds as many to both if `feeds`.
template <bool feeds> WF_BY_PARITY void flush(Half& half, uint8_t*& end, Cursor& cursor) {
  Form forms[pairs];
  const int64_t held = end - half.bytes, begin = (held - room) / line * line;
  compute_forms(half.bytes + begin, half.odd, forms);
  _mm512_storeu_si512(half.bytes + begin, _mm512_loadu_si512(half.bytes + begin + room));  // the rest of a line
  end -= room;
  half.counted += room;
  const auto count_tile_of = [&]<size_t high>(std::integral_constant<size_t, high>) {
    if constexpr (feeds) fetch_lines<2 * pairs>(cursor.from + ahead);
    count_tile<feeds, int(high)>(forms, cursor, half.recent);
  };
  [&]<size_t... high>(std::index_sequence<high...>) { (count_tile_of(std::integral_constant<size_t, high>()), ...); }
  (std::make_index_sequence<high_sets>());
  if (half.counted % (flushes * room) == 0) settle_recent(half);
}

WF_BY_PARITY void count(const uint8_t* bytes, int64_t n, ByteCounts& to) {
  const uint8_t* const end = bytes + n;
  Half* const halves = to.halves;
  Cursor cursor{bytes, {halves[0].bytes + halves[0].held, halves[1].bytes + halves[1].held}};
  while (true) {
    const int64_t held[2] = {cursor.to[0] - halves[0].bytes, cursor.to[1] - halves[1].bytes}, left = end - cursor.from;
    const int longer = held[1] > held[0];
    if (held[longer] >= room) {
      if (left >= room + 2 * line) flush<true>(halves[longer], cursor.to[longer], cursor);
      else flush<false>(halves[longer], cursor.to[longer], cursor);
    } else if (left >= line) {
      const __m512i next = _mm512_loadu_si512(cursor.from);
      split(next, high_bits(next), cursor.to[0], cursor.to[1]);
      cursor.from += line;
    } else {
      break;
    }
  }
  for (int k = 0; k < 2; k++) halves[k].held = cursor.to[k] - halves[k].bytes;
  for (const uint8_t* byte = cursor.from; byte < end; byte++) to.others[*byte]++;
}

// Adds the counts of a half's bytes to those of the bytes with this high bit.
WF_BY_PARITY void add(const Half& from, int64_t* to) {
  int64_t counts[values];
  __m512i parities[values];  // of x
  for (int64_t set = 0; set < values; set++) {
    parities[set] =
        set == 0 ? _mm512_setzero_si512() : sum(parities[set & (set - 1)], _mm512_loadu_si512(from.odd[__builtin_ctzll(uint64_t(set))]));
    const int64_t ones = 2 * from.carries[set] + _mm512_reduce_add_epi64(_mm512_popcnt_epi64(parities[set]));
    counts[set] = from.counted - 2 * ones;  // the bytes whose parity is 0 less those whose parity is 1
  }
  for (int64_t bit = 1; bit < values; bit *= 2)
    for (int64_t k = 0; k < values; k++)
      if (!(k & bit)) {
        const int64_t a = counts[k], b = counts[k | bit];
        counts[k] = a + b, counts[k | bit] = a - b;
      }
  for (int64_t k = 0; k < values; k++) to[k] += counts[k] / values;
  for (int64_t k = 0; k < from.held; k++) to[from.bytes[k] % values]++;
}

bool has_instructions() {
  static const bool has = isa() == Isa::avx512 && __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
                          __builtin_cpu_supports("gfni");
  return has;
}

}  // namespace

bool count_bytes(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  constexpr int64_t fewest = int64_t(1) << 14;
  if (c.index_type != Type::U8 || c.m > 2 * values || c.n < fewest || !has_instructions()) return false;
  const auto of = [](std::byte* table) -> ByteCounts& { return *reinterpret_cast<ByteCounts*>(table); };
  const auto* const bytes = reinterpret_cast<const uint8_t*>(c.indices);
  const Tables tables = filled_tables(
      c, sizeof(ByteCounts), pool, [&](std::byte* table) { std::memset(table, 0, sizeof(ByteCounts)); },
      [&](std::byte* table, int64_t begin, int64_t end) { count(bytes + begin, end - begin, of(table)); });
  int64_t counts[2 * values] = {};
  for (int64_t w = 0; w < tables.count(); w++) {
    ByteCounts& of_worker = of(tables[w]);
    for (int64_t k = 0; k < 2; k++) {
      settle_recent(of_worker.halves[k]);
      add(of_worker.halves[k], counts + values * k);
    }
    for (int64_t k = 0; k < 2 * values; k++) counts[k] += of_worker.others[k];
  }
  c.begin_with_base(0, c.m);
  for (int64_t k = 0; k < c.m; k++) reinterpret_cast<int64_t*>(c.out)[k] += counts[k];
  return true;
}

}  // namespace wf::cpu
