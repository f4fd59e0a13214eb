// The words of Philox in vectors. If a tile has one key, one stream and neighbouring counters, each block is computed once for its words;
// otherwise each element computes a block of its own.
//
// Lanes have 64 bits, of which the multiplication reads the low half. The high halves contain the rest of products.
//
// Included only by files that are compiled for one instruction set; everything here is in an unnamed namespace.
#pragma once

#include <stdint.h>

#include "cpu/loops/loops.h"
#include "cpu/loops/vector.h"
#include "ops/random/philox.h"

namespace wf::cpu {
namespace {

using Lanes = simd::Vector<uint64_t, simd::vector_bytes>;
constexpr int lane_count = simd::vector_bytes / 8;

// The products of the lanes' low halves.
WF_FN Lanes low_product(Lanes a, Lanes b) {
#if defined(__clang__)
  return (a & 0xffffffffu) * (b & 0xffffffffu);
#elif defined(__AVX512F__)
  using Words = simd::Vector<int, 64>;
  return Lanes(__builtin_ia32_pmuludq512_mask(Words(a), Words(b), simd::Vector<long long, 64>{}, -1));
#elif defined(__AVX2__)
  return Lanes(__builtin_ia32_pmuludq256(simd::Vector<int, 32>(a), simd::Vector<int, 32>(b)));
#else
  return Lanes(__builtin_ia32_pmuludq128(simd::Vector<int, 16>(a), simd::Vector<int, 16>(b)));
#endif
}

struct BlockLanes {
  Lanes word[4];
};

// The keys of all rounds.
struct RoundKeys {
  Lanes key_0[meaning::philox_rounds], key_1[meaning::philox_rounds];
};
WF_FN RoundKeys round_keys(Lanes key) {
  RoundKeys keys;
  Lanes key_0 = key, key_1 = key >> 32;
#pragma GCC unroll 10
  for (int round = 0; round < meaning::philox_rounds; round++) {
    keys.key_0[round] = key_0, keys.key_1[round] = key_1;
    key_0 += meaning::philox_step[0], key_1 += meaning::philox_step[1];
  }
  return keys;
}

WF_FN BlockLanes block_lanes(const RoundKeys& keys, Lanes number, Lanes stream) {
  const Lanes factor_0 = Lanes{} + meaning::philox_factor[0], factor_1 = Lanes{} + meaning::philox_factor[1];
  Lanes x0 = number, x1 = number >> 32, x2 = stream, x3 = stream >> 32;
#pragma GCC unroll 10
  for (int round = 0; round < meaning::philox_rounds; round++) {
    const Lanes even = low_product(x0, factor_0), odd = low_product(x2, factor_1);
    x0 = (odd >> 32) ^ x1 ^ keys.key_0[round], x2 = (even >> 32) ^ x3 ^ keys.key_1[round], x1 = odd, x3 = even;
  }
  return {{x0, x1, x2, x3}};
}

// Words of 32 bits: four per block. Words of 64 bits: two per block, in streams of their own.
struct Narrow {
  static constexpr int per_block = 4, shift = 2;
  template <class V> WF_FN V stream(V s) { return s & ~meaning::philox_wide_streams; }
  WF_FN Lanes words(const BlockLanes& x, int k) { return x.word[k] & 0xffffffffu; }
  WF_FN Lanes chosen(const BlockLanes& x, Lanes counter) {
    const auto odd = (counter & 1) != 0, later = (counter & 2) != 0;
    const Lanes low = odd ? x.word[1] : x.word[0], high = odd ? x.word[3] : x.word[2];
    return (later ? high : low) & 0xffffffffu;
  }
};
struct Wide {
  static constexpr int per_block = 2, shift = 1;
  template <class V> WF_FN V stream(V s) { return s | meaning::philox_wide_streams; }
  WF_FN Lanes words(const BlockLanes& x, int k) { return (x.word[2 * k] & 0xffffffffu) | (x.word[2 * k + 1] << 32); }
  WF_FN Lanes chosen(const BlockLanes& x, Lanes counter) {
    const auto odd = (counter & 1) != 0;
    return odd ? words(x, 1) : words(x, 0);
  }
};

// Groups of `size` lanes, of a and b in turn: those of the lower halves, or of the upper halves.
template <int size, bool upper, int... lane> WF_FN Lanes interleaved_lanes(Lanes a, Lanes b, simd::Numbers<int, lane...>) {
  return __builtin_shufflevector(a, b,
                                 (lane / size % 2 * lane_count + lane / size / 2 * size + lane % size + (upper ? lane_count / 2 : 0))...);
}
template <int size> WF_FN void interleave(Lanes& a, Lanes& b) {
  if constexpr (size < lane_count) {
    const Lanes low = interleaved_lanes<size, false>(a, b, simd::UpTo<lane_count>());
    b = interleaved_lanes<size, true>(a, b, simd::UpTo<lane_count>());
    a = low;
  }
}
// Vectors of the words 0, 1, ... of several blocks become one list of all words, block by block.
WF_FN void transpose_words(Lanes (&x)[2]) { interleave<1>(x[0], x[1]); }
WF_FN void transpose_words(Lanes (&x)[4]) {
  interleave<1>(x[0], x[1]);
  interleave<1>(x[2], x[3]);
  interleave<2>(x[0], x[2]);
  interleave<2>(x[1], x[3]);
  const Lanes second = x[1];
  x[1] = x[2], x[2] = second;
}

// Element k of an operand's tile, or the only element of a tile that is read repeatedly.
struct TileOf {
  const uint64_t* at;
  bool is_one;
  WF_FN TileOf of(const Operand& operand, int64_t t) {
    return {reinterpret_cast<const uint64_t*>(static_cast<const char*>(operand.data) + t * operand.step), operand.step == 0};
  }
  // Returns true if all elements are equal.
  bool is_uniform() const {
    uint64_t differ = 0;
    if (!is_one)
      for (int k = 0; k < tile; k++) differ |= at[k] ^ at[0];
    return differ == 0;
  }
  // Element k less the first one, at most.
  uint64_t spread() const {
    uint64_t most = 0;
    for (int k = 0; k < tile; k++) most = at[k] - at[0] > most ? at[k] - at[0] : most;
    return most;
  }
  bool is_consecutive() const {
    uint64_t differ = 0;
    for (int k = 0; k < tile; k++) differ |= (at[k] - at[0]) ^ uint64_t(k);
    return differ == 0;
  }
};

template <int... lane> WF_FN Lanes first_lanes(simd::Numbers<int, lane...>) { return Lanes{uint64_t(lane)...}; }

// At least `count` words from `counter` on, which is the first of a block, in whole vectors of blocks.
template <class Width> WF_FN void words_of_blocks(uint64_t* to, const RoundKeys& keys, uint64_t counter, uint64_t stream, int count) {
  constexpr int per_block = Width::per_block;
  Lanes number = first_lanes(simd::UpTo<lane_count>()) * uint64_t(per_block) + counter;
  const Lanes streams = Lanes{} + Width::stream(stream);
  for (int b = 0; b * per_block < count; b += lane_count, number += uint64_t(lane_count * per_block)) {
    const BlockLanes x = block_lanes(keys, number >> Width::shift, streams);
    Lanes columns[per_block];
    for (int k = 0; k < per_block; k++) columns[k] = Width::words(x, k);
    transpose_words(columns);
    for (int k = 0; k < per_block; k++) simd::store(to + b * per_block + k * lane_count, columns[k]);
  }
}
template <class Width> WF_FN void consecutive_words(uint64_t* out, const RoundKeys& keys, uint64_t counter, uint64_t stream) {
  const uint64_t skipped = counter % Width::per_block;
  alignas(64) uint64_t words[tile + Width::per_block * lane_count];
  words_of_blocks<Width>(skipped ? words : out, keys, counter - skipped, stream, int(tile + skipped));
  if (skipped) __builtin_memcpy(out, words + skipped, tile * sizeof(uint64_t));
}

template <class Width> void philox_words(void* out, const Operand* in, int64_t tiles) {
  uint64_t last_key = *TileOf::of(in[0], 0).at;
  RoundKeys keys = round_keys(Lanes{} + last_key);
  for (int64_t t = 0; t < tiles; t++) {
    auto* r = static_cast<uint64_t*>(out) + t * tile;
    const TileOf key = TileOf::of(in[0], t), counter = TileOf::of(in[1], t), stream = TileOf::of(in[2], t);
    if (key.is_uniform() && stream.is_uniform()) {
      if (*key.at != last_key) last_key = *key.at, keys = round_keys(Lanes{} + last_key);
      if (counter.is_consecutive()) {
        consecutive_words<Width>(r, keys, *counter.at, *stream.at);
        continue;
      }
      if (const uint64_t spread = counter.spread(); spread < 2 * tile) {
        const uint64_t first = *counter.at - *counter.at % Width::per_block;  // r may be an operand's memory
        alignas(64) uint64_t words[2 * tile + (Width::per_block + 1) * lane_count];
        words_of_blocks<Width>(words, keys, first, *stream.at, int(spread + Width::per_block));
        for (int k = 0; k < tile; k++) r[k] = words[counter.at[k] - first];
        continue;
      }
    }
    for (int k = 0; k < tile; k += lane_count) {
      const Lanes number = simd::load<Lanes>(counter.at + k);
      const Lanes of_stream = Width::stream(simd::load<Lanes>(stream.at + k));
      const BlockLanes x = block_lanes(round_keys(simd::load<Lanes>(key.at + k)), number >> Width::shift, of_stream);
      simd::store(r + k, Width::chosen(x, number));
    }
  }
}

}  // namespace
}  // namespace wf::cpu
