// The carry of each tile, in one pass over memory (after Merrill and Garland's decoupled look-back).
//
// Blocks publish each tile's total as soon as it is known, one tile ahead of their look-back (see scan.cuh). Thirty-two
// tiles are a group. The carry before tile t of group g is
//
//     (prefix before g)  f  (totals of the tiles of g before t, folded by one warp)
//
// and the prefix before g is the left fold of the group totals T(0), ..., T(g - 1). One warp folds each group total from 32 tile
// totals. A reader continues that left fold from the nearest published prefix, so the bits do not depend on which prefix that is.
// Results depend on position, never on timing. If the fold is associative to the last bit (`exact`), a warp folds group totals as a tree.
#pragma once

#include "memory.cuh"
#include "warp.cuh"

namespace wf {

constexpr int group_size = 32;
enum : unsigned { nothing = 0, has_total = 1, has_prefix = 2 };

// Published values of type T, each with a number and a state. Each 4 bytes of a value share a word with its state, or a count shares one, so that a
// value is read without waiting for writes before it. A value of more than 16 bytes is in a separate array, written before its state (release)
// and read after it (acquire).
enum class WordLayout { beside, below, apart };
constexpr size_t most_bytes_beside = 16;  // as in signature.h
template <class T, WordLayout = sizeof(T) <= most_bytes_beside ? WordLayout::beside : WordLayout::apart> struct Board {
  static constexpr int of_value = (sizeof(T) + 3) / 4;
  uint64_t* words;
  T* values;  // unused

  WF_MEMBER void publish(int64_t k, unsigned state, const T& value) const {
    unsigned bits[of_value] = {};
    memcpy(bits, &value, sizeof(T));
#pragma unroll
    for (int w = 0; w < of_value; w++) store_relaxed(words + k * of_value + w, uint64_t(state) << 32 | bits[w]);
  }
  // Words with different states are those of a value that is being published.
  WF_MEMBER unsigned read(int64_t k, T& value) const {
    uint64_t all[of_value];
    unsigned bits[of_value];
    bool same = true;
#pragma unroll
    for (int w = 0; w < of_value; w++) all[w] = load_relaxed(words + k * of_value + w);
#pragma unroll
    for (int w = 0; w < of_value; w++) bits[w] = unsigned(all[w]), same &= (all[w] >> 32) == (all[0] >> 32);
    memcpy(&value, bits, sizeof(T));
    return same ? unsigned(all[0] >> 32) : unsigned(nothing);
  }
};

// A count of 8 bytes, less than 2^62, in the word's low bits.
template <class T> struct Board<T, WordLayout::below> {
  uint64_t* words;
  T* values;  // unused

  WF_MEMBER void publish(int64_t k, unsigned state, const T& value) const {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(T));
    store_relaxed(words + k, uint64_t(state) << 62 | bits);
  }
  WF_MEMBER unsigned read(int64_t k, T& value) const {
    const uint64_t word = load_relaxed(words + k), bits = word & ~(uint64_t(3) << 62);
    memcpy(&value, &bits, sizeof(T));
    return unsigned(word >> 62);
  }
};

template <class T> struct Board<T, WordLayout::apart> {
  uint64_t* words;
  T* values;

  WF_MEMBER T* place(int64_t k, unsigned state) const { return values + 2 * k + (state == has_prefix); }
  WF_MEMBER void publish(int64_t k, unsigned state, const T& value) const {
    *place(k, state) = value;
    store_release(words + k, state);
  }
  WF_MEMBER unsigned read(int64_t k, T& value) const {
    const unsigned state = unsigned(load_acquire(words + k));
    if (state != nothing) value = load_fresh(place(k, state));
    return state;
  }
};

// Waits until the value of number k is published.
template <class B, class T> WF_FN unsigned wait_for(const B& board, int64_t k, T& value) {
  unsigned state;
  while ((state = board.read(k, value)) == nothing) {}
  return state;
}

// The look-back of a Program. Local is the fold of a tile's elements, Carry the fold of all elements before a tile.
template <class Program> struct Chain {
  using Args = typename Program::Args;
  using Local = typename Program::Local;
  using Carry = typename Program::Carry;

  const Args& a;
  Board<Local> tiles;
  static constexpr WordLayout of_groups = sizeof(Carry) > most_bytes_beside      ? WordLayout::apart
                                          : sizeof(Carry) > 4 && Program::counts ? WordLayout::below
                                                                                 : WordLayout::beside;
  using Groups = Board<Carry, of_groups>;
  Groups groups;

  WF_MEMBER explicit Chain(const Args& args)
      : a(args),
        tiles{args.tile_words, static_cast<Local*>(args.tile_values)},
        groups{args.group_words, static_cast<Carry*>(args.group_values)} {}

  struct Append {
    const Args& a;
    WF_MEMBER Carry operator()(const Carry& x, const Carry& y) const { return Program::append(a, x, y); }
  };

  // The totals of the first `count` tiles of group g, one per lane. ask_tiles reads them; fold_tiles waits for the missing ones and
  // returns their fold in lane 0.
  struct Totals {
    Local value;
    unsigned state;
  };
  WF_MEMBER Totals ask_tiles(int64_t g, int count) const {
    Totals t{Program::local_identity(a), has_total};
    if (lane_of_thread() < count) t.state = tiles.read(g * group_size + lane_of_thread(), t.value);
    return t;
  }
  WF_MEMBER Local fold_tiles(Totals t, int64_t g, int count) const {
    if (t.state == nothing) wait_for(tiles, g * group_size + lane_of_thread(), t.value);
    __syncwarp();
    return warp_reduce(t.value, Combine<Program>{a}, count);
  }

  // Called by one warp with `total` in lane 0. The last tile of a group also publishes the group's total: it waits only for the group's
  // earlier tiles.
  WF_MEMBER void publish_total(int64_t tile, const Local& total) const {
    if (lane_of_thread() == 0) tiles.publish(tile, has_total, total);
    if (tile % group_size != group_size - 1) return;
    const int64_t g = tile / group_size;
    Local before = fold_tiles(ask_tiles(g, group_size - 1), g, group_size - 1);
    if (lane_of_thread() == 0) {
      Carry of_group = Program::advance(a, Program::carry_identity(a), Program::combine(a, before, total));
      if (g == 0) groups.publish(g, has_prefix, of_group);
      else groups.publish(g, has_total, of_group);
    }
  }

  // Returns the left fold of the totals of groups 0 .. g - 1, in all lanes.
  WF_MEMBER Carry before_group(int64_t g) const {
    Carry prefix = Program::carry_identity(a);
    if (g == 0) return prefix;
    // Read windows of 32 groups, newest first, until one of them has a prefix; group 0 publishes one eventually.
    int64_t end = g;
    int first = 0;
    Carry value;
    unsigned state;
    while (true) {
      const int64_t mine = end - 32 + lane_of_thread();
      value = prefix;
      state = mine >= 0 ? groups.read(mine, value) : unsigned(has_total);
      const unsigned prefixes = __ballot_sync(all_lanes, state == has_prefix);
      if (prefixes != 0) {
        first = 31 - __clz(prefixes);
        break;
      }
      if (end > 32) end -= 32;
    }
    // Fold the totals between the newest prefix and g in order. Restart from a prefix that is published meanwhile.
    prefix = broadcast(value, first);
    while (true) {
      if (lane_of_thread() > first && state == nothing) state = wait_for(groups, end - 32 + lane_of_thread(), value);
      const unsigned newer = __ballot_sync(all_lanes, lane_of_thread() > first && state == has_prefix);
      if (newer != 0) {
        first = 31 - __clz(newer);
        prefix = broadcast(value, first);
      }
      if (Program::exact) {
        if (lane_of_thread() <= first) value = Program::carry_identity(a);
        prefix = Program::append(a, prefix, broadcast(warp_reduce(value, Append{a}), 0));
      } else {
#pragma unroll 1
        for (int k = first + 1; k < 32; k++) prefix = Program::append(a, prefix, broadcast(value, k));
      }
      if (end == g) return prefix;
      end += 32;
      first = -1;
      state = groups.read(end - 32 + lane_of_thread(), value);
    }
  }

  // Returns the carry before the tile, in all lanes; `total` is in lane 0. The last tile of a group publishes the prefix after the group.
  WF_MEMBER Carry before_tile(int64_t tile, const Local& total) const {
    const int64_t g = tile / group_size;
    const int r = int(tile % group_size);
    const Totals asked = ask_tiles(g, r);
    const Carry prefix = before_group(g);
    const Local between = fold_tiles(asked, g, r);
    if (r == group_size - 1 && g > 0 && lane_of_thread() == 0) {
      Carry of_group = Program::advance(a, Program::carry_identity(a), Program::combine(a, between, total));
      groups.publish(g, has_prefix, Program::append(a, prefix, of_group));
    }
    return broadcast(r == 0 ? prefix : Program::advance(a, prefix, between), 0);
  }
};

}  // namespace wf
