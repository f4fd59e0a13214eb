#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/routines/scatter/tables.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

// The number of words that hold m bits.
int64_t words_of_bits(int64_t m) { return (m + 63) / 64; }

// Sets bit indices[k] of a table whose bits are numbered from the lowest one of byte 0 on, if values[k] == decides. Bytes rather than longer words:
// an update waits for earlier ones of its word.
template <class I> void set_bits(const ScatterColumn& c, uint8_t* table, int64_t begin, int64_t end, uint8_t decides) {
  static_assert(std::endian::native == std::endian::little);  // the tables are read as words
  for (int64_t first = begin; first < end; first += indices_at_once) {
    const int64_t count = std::min(indices_at_once, end - first);
    const I* indices = reinterpret_cast<const I*>(c.indices) + first;
    const auto* values = c.values_from<uint8_t>(first);
    const bool all_decide = !std::memchr(values, !decides, size_t(count));
    for (int64_t k = 0; k < count; k++) {
      const auto index = std::make_unsigned_t<I>(indices[k]);
      table[index / 8] |= uint8_t((all_decide || values[k] == decides) << (index % 8));
    }
  }
}

// Bit k as byte k.
uint64_t spread_bits(uint8_t bits) {
  constexpr uint64_t one_each = 0x0101010101010101;
  const uint64_t lone = bits * one_each & 0x8040201008040201;  // in byte k bit k alone
  return ((lone + 0x7f * one_each) >> 7) & one_each;           // a byte with a bit reaches its highest one
}

template <Op op> uint64_t decide_bits(uint64_t x, uint64_t decided) { return op == Op::or_ ? x | decided : x & ~decided; }

// Bools for `or` and `and`: bit k of a table is true if one of the worker's values decides element k: true for `or`, false for `and`.
template <Op op> void by_bits(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  constexpr uint8_t decides = op == Op::or_;
  const int64_t words = words_of_bits(c.m);
  auto clear = [&](std::byte* table) { std::fill_n(reinterpret_cast<uint64_t*>(table), words, 0); };
  auto combine = [&](std::byte* table, int64_t begin, int64_t end) {
    visit(c.index_type, [&](auto tag) {
      using I = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<I> && !std::is_same_v<I, bool>)
        set_bits<I>(c, reinterpret_cast<uint8_t*>(table), begin, end, decides);
    });
  };
  const Tables tables = filled_tables(c, words * 8, pool, clear, combine);
  for_pieces(words, scatter_grain / 64, [&](int64_t begin, int64_t end) {
    c.begin_with_base(64 * begin, std::min(c.m, 64 * end));
    for (int64_t w = begin; w < end; w++) {
      uint64_t decided = 0;
      for (int64_t k = 0; k < tables.count(); k++) decided |= reinterpret_cast<const uint64_t*>(tables[k])[w];
      if (decided == 0) continue;
      std::byte* const out = c.out + 64 * w;
      const int64_t count = std::min<int64_t>(64, c.m - 64 * w);
      int64_t k = 0;
      for (; k + 8 <= count; k += 8) {
        uint64_t eight;
        std::memcpy(&eight, out + k, 8);
        eight = decide_bits<op>(eight, spread_bits(uint8_t(decided >> k)));
        std::memcpy(out + k, &eight, 8);
      }
      for (; k < count; k++) out[k] = std::byte(decide_bits<op>(uint64_t(out[k]), decided >> k & 1));
    }
  });
}

}  // namespace

void scatter_by_bits(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (op == Op::or_) by_bits<Op::or_>(c, pool);
  else by_bits<Op::and_>(c, pool);
}

}  // namespace wf::cpu
