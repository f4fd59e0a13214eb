// filter without scans and reductions: one pass over memory. A thread evaluates the mask of packs of consecutive elements, whose neighbours it
// reads from its own registers, and keeps one bit per element:
//
//     bits of tile k + 1  ->  publish their number  ->  look back for tile k  ->  the places of tile k's bits, in shared memory  ->  its values
//
// So the mask is evaluated once. The values are computed of the kept elements alone, by consecutive threads for consecutive outputs. Inner tiles,
// whose reads are all in range, test no index; the first and the last tiles go element by element. Indices within a tile have 16 bits.
#pragma once

#include "grid.cuh"
#include "look_back.cuh"

namespace wf {

// The elements of an input at before, ..., before + P + after - 1 places, where places from `before` on belong to a thread's own pack.
template <class T, int P, int before, int after> struct Window { T all[before + P + after]; };

// Loads 16 bytes at any address, from the two aligned words of 16 bytes that contain them.
WF_FN uint4 load_unaligned(const void* from) {
  const uint64_t address = reinterpret_cast<uint64_t>(from);
  const unsigned shift = unsigned(address) & 15;
  const uint4* const words = reinterpret_cast<const uint4*>(address - shift);
  const uint4 low = __ldg(words), high = __ldg(words + 1);
  unsigned w[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int k = 0; k < 6; k++) w[k] = shift & 8 ? w[k + 2] : w[k];
#pragma unroll
  for (int k = 0; k < 5; k++) w[k] = shift & 4 ? w[k + 1] : w[k];
#pragma unroll
  for (int k = 0; k < 4; k++) w[k] = __funnelshift_r(w[k], w[k + 1], 8 * (shift & 3));
  return make_uint4(w[0], w[1], w[2], w[3]);
}

// Loads a window whose pack begins at `from`; `is_aligned` if the pack is. Otherwise it may read up to 15 bytes before and after the pack.
template <bool is_aligned, class T, int P, int before, int after> WF_FN void fetch_window(const T* from, Window<T, P, before, after>& to) {
  constexpr bool in_packs = is_aligned || sizeof(T) * P == 16;
  if constexpr (in_packs) {
    Pack<T, P> pack;
    if constexpr (is_aligned) load_pack(from, pack);
    else *reinterpret_cast<uint4*>(pack.at) = load_unaligned(from);
#pragma unroll
    for (int p = 0; p < P; p++) to.all[before + p] = pack.at[p];
  }
#pragma unroll
  for (int k = 0; k < before + P + after; k++)
    if (!in_packs || k < before || k >= before + P) to.all[k] = load(from + k - before);
}

template <class Program> struct TileFilter {
  static constexpr int threads = Program::threads, pack = Program::pack, rows = Program::rows;
  static constexpr int warps = threads / 32, of_row = 32 * pack, size = threads * pack * rows;
  static_assert(size <= 1 << 16 && pack <= 16, "a place in a tile has 16 bits");
  using Args = typename Program::Args;
  using Local = typename Program::Local;
  using Carry = typename Program::Carry;
  using Place = unsigned short;

  // In shared memory. Data that two tiles use at the same time is duplicated.
  struct Shared {
    int64_t tile[2];
    unsigned total[2][warps];
    Carry before;
  };

  const Args& a;
  Shared& shared;
  Place* const places;
  const int64_t tiles;
  const IndexRange inner;
  Chain<Program> chain;

  WF_MEMBER TileFilter(const Args& args, Shared& s, void* memory)
      : a(args), shared(s), places(static_cast<Place*>(memory)), tiles((a.n + size - 1) / size), inner(Program::inner(args)), chain(args) {}

  // The offset in a tile of this thread's pack in row r: a warp has consecutive rows of one pack per lane.
  WF_MEMBER static int place(int r) { return (warp_of_thread() * rows + r) * of_row + lane_of_thread() * pack; }

  // Returns true if a block's only tile has the block's number.
  WF_MEMBER bool each_has_one() const { return blocks_start_in_order && tiles <= gridDim.x; }
  // Claims the next tile, as in stage.cuh. Called by thread 0.
  WF_MEMBER int64_t claim() const { return each_has_one() ? tiles : int64_t(atomicAdd(&a.counters->ticket, 1u)); }

  // The bits of the tile's elements that are kept, and their number per warp in shared memory.
  WF_MEMBER void choose(int64_t k, unsigned (&bits)[rows]) const {
    const int64_t first = shared.tile[k & 1] * size;
    if (first >= inner.low && first + (size - 1) <= inner.high) choose_inner(first, bits);
    else choose_at_edge(first, bits);
    unsigned count = 0;
#pragma unroll
    for (int r = 0; r < rows; r++) count += __popc(bits[r]);
    count = warp_sum(count);
    if (lane_of_thread() == 0) shared.total[k & 1][warp_of_thread()] = count;
  }
  WF_MEMBER void choose_inner(int64_t first, unsigned (&bits)[rows]) const {
    typename Program::Row row[rows];
#pragma unroll
    for (int r = 0; r < rows; r++) Program::fetch(a, first + place(r), row[r]);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      bits[r] = 0;
#pragma unroll
      for (int p = 0; p < pack; p++) bits[r] |= Program::is_kept(a, first + place(r) + p, row[r], p) ? 1u << p : 0u;
    }
  }
  WF_MEMBER void choose_at_edge(int64_t first, unsigned (&bits)[rows]) const {
#pragma unroll
    for (int r = 0; r < rows; r++) bits[r] = 0;
#pragma unroll 1
    for (int q = 0; q < rows * pack; q++) {
      const int r = q / pack, p = q % pack;
      const int64_t i = first + place(r) + p;
      const unsigned bit = i < a.n && Program::is_kept_at_edge(a, i) ? 1u << p : 0u;
#pragma unroll
      for (int k = 0; k < rows; k++)
        if (k == r) bits[k] |= bit;
    }
  }

  // The number of kept elements in the warps before `warp`, of the block's k-th tile.
  WF_MEMBER unsigned count(int64_t k, int warp) const {
    return warp_sum(lane_of_thread() < warp ? shared.total[k & 1][lane_of_thread()] : 0u);
  }

  // Stores the places of a pack's bits, from place `at` of the tile's kept elements on.
  WF_MEMBER void put(unsigned at, unsigned bits, int first) const {
    if constexpr (pack <= 4) {
#pragma unroll
      for (int p = 0; p < pack; p++)
        if (bits >> p & 1) places[at++] = Place(first + p);
    } else {
#pragma unroll 1
      for (; bits != 0; bits &= bits - 1) places[at++] = Place(first + __ffs(int(bits)) - 1);
    }
  }
  // A row has at most 512 elements, so two rows' counts are scanned in one word.
  WF_MEMBER void compact(int64_t k, const unsigned (&bits)[rows]) const {
    unsigned before = count(k, warp_of_thread());
#pragma unroll
    for (int r = 0; r < rows; r += 2) {
      const unsigned low = __popc(bits[r]), high = r + 1 < rows ? __popc(bits[r + 1 < rows ? r + 1 : r]) : 0;
      const unsigned up_to = warp_scan(low | high << 16, [](unsigned x, unsigned y) { return x + y; }), all = broadcast(up_to, 31);
      put(before + (up_to & 0xffff) - low, bits[r], place(r));
      before += all & 0xffff;
      if (r + 1 < rows) put(before + (up_to >> 16) - high, bits[r + 1 < rows ? r + 1 : r], place(r + 1));
      before += all >> 16;
    }
  }

  WF_MEMBER static Local local(unsigned count) {
    Local x;
    x.n0 = count;
    return x;
  }
  // Called by one warp.
  WF_MEMBER void publish(int64_t k) const {
    const int64_t tile = shared.tile[k & 1];
    if (tile < tiles) chain.publish_total(tile, local(count(k, warps)));
  }
  WF_MEMBER void look_back(int64_t k) const {
    const int64_t tile = shared.tile[k & 1];
    const Local total = local(count(k, warps));
    const Carry before = chain.before_tile(tile, total);
    if (lane_of_thread() != 0) return;
    shared.before = before;
    if (tile == tiles - 1) *static_cast<Carry*>(a.total) = Program::advance(a, before, total);
  }

  // Stores the values of the tile's kept elements.
  WF_MEMBER void flush(int64_t first, int kept) const {
    const int64_t start = shared.before.n0;
#pragma unroll(Program::rolled ? 1 : 4)
    for (int k = int(threadIdx.x); k < kept; k += threads) Program::keep(a, first + places[k], start + k);
  }

  WF_MEMBER void run() {
    unsigned bits[rows], next[rows];
    if (threadIdx.x == 0) shared.tile[0] = each_has_one() ? blockIdx.x : claim();
#pragma unroll 1
    for (int64_t k = -1;; k++) {
      __syncthreads();
      const bool more = shared.tile[(k + 1) & 1] < tiles;
      if (more) choose(k + 1, next);
      __syncthreads();
      if (warp_of_thread() == 0) {
        if (more) publish(k + 1);
        if (k >= 0) look_back(k);
      }
      int64_t claimed = 0;
      if (k >= 0) {
        compact(k, bits);
        const int64_t first = shared.tile[k & 1] * size;
        const int kept = int(count(k, warps));
        __syncthreads();
        if (threadIdx.x == 0 && more) claimed = claim();
        flush(first, kept);
      } else if (threadIdx.x == 0 && more) {
        claimed = claim();
      }
      if (!more) break;
      if (threadIdx.x == 0) shared.tile[k & 1] = claimed;
#pragma unroll
      for (int r = 0; r < rows; r++) bits[r] = next[r];
    }
  }
};

template <class Program> WF_FN void filter(const typename Program::Args& a) {
  using Filter = TileFilter<Program>;
  WF_DYNAMIC_SHARED(128, memory);
  __shared__ typename Filter::Shared shared;
  Filter tiles(a, shared, memory);
  tiles.run();
  if (!is_last_block(a.counters)) return;
  if (threadIdx.x == 0) Program::finish(a, Program::none(a), load_fresh(static_cast<const typename Program::Carry*>(a.total)));
}

}  // namespace wf
