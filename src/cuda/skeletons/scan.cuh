// scan and filter: one pass over memory. Each tile is folded, computes its carry by look-back, and is read again from shared
// memory with the carry known. This second pass evaluates the consumers of prefixes: stores, reductions and compactions.
//
// The total of tile k + 1 is computed and published before tile k looks back. So no look-back waits for a total that could already be
// known, and the scan runs at nearly the speed of a copy.
//
// A filter is a scan of counts: Local and Carry contain the scanned columns and, for each compaction, the number of kept elements. A
// warp's kept elements are packed in place in its part of the tile in shared memory, and stored from there as one run.
#pragma once

#include "grid.cuh"
#include "look_back.cuh"
#include "stage.cuh"

namespace wf {

template <class Program> struct TileScan {
  static constexpr int most_warps = Program::threads / 32, most_rows = Program::rows;
  using Args = typename Program::Args;
  using Local = typename Program::Local;
  using Carry = typename Program::Carry;
  using Sums = typename Program::Sums;
  using Row = typename Program::Row;
  using Stage = typename Program::Stage;

  // In shared memory. Data that two tiles use at the same time is duplicated.
  struct Shared {
    typename Stages<Program>::Control control;
    Local warp_total[2][most_warps];
    Local warp_before[most_warps];
    Carry before;
    Sums warp_sums[most_warps];
  };

  const Args& a;
  Shared& shared;
  const typename Program::Form form;
  Stages<Program> stages;
  Chain<Program> chain;
  typename Program::Kept& kept;
  Sums sums;

  WF_MEMBER TileScan(const Args& args, Shared& s, unsigned char* memory)
      : a(args),
        shared(s),
        form(args),
        stages{args, reinterpret_cast<Stage*>(memory), s.control, form.threads * form.pack * form.rows},
        chain(args),
        kept(*reinterpret_cast<typename Program::Kept*>(memory + Stages<Program>::depth * sizeof(Stage))),
        sums(Program::none(args)) {}

  // The offsets in a tile of this warp's part, and of this thread's pack in row r of that part: a row has one pack per lane.
  WF_MEMBER int first_of_warp() const { return warp_of_thread() * form.rows * 32 * form.pack; }
  WF_MEMBER int place(int r) const { return first_of_warp() + r * 32 * form.pack + lane_of_thread() * form.pack; }
  WF_MEMBER int warps() const { return form.threads / 32; }

  // A full tile has its own code, without a test per element. The last tile, which is rarely full, uses loops that are not unrolled. A long
  // body is written once per pack in both, and without packs one copy of the code serves both. If elements are gathered, a thread of the last tile
  // waits for all its elements at once, too: it computes copies of the last one in the places after it.
  static constexpr bool one_text = Program::rolled && Program::pack == 1;
  template <bool full> struct Walk {
    static constexpr bool copies = !full && Program::gathers;
    static constexpr bool rolled = Program::rolled || !(full || copies);
    static constexpr int rows = full || copies ? Program::rows : 1, pack = rolled ? 1 : Program::pack;  // how many copies of the code
  };
  // The index of place `at` of a tile with `count` elements, or that of its last element.
  template <bool full> WF_MEMBER static int64_t index(int64_t first, int at, int count) {
    return first + (Walk<full>::copies && at >= count ? count - 1 : at);
  }

  // Returns all[r]. The indices are constants after unrolling, so the array stays in registers.
  WF_MEMBER static Local chosen(const Local (&all)[most_rows], int r) {
    Local x = all[0];
#pragma unroll
    for (int q = 1; q < most_rows; q++)
      if (q == r) x = all[q];
    return x;
  }
  WF_MEMBER static void choose(Local (&all)[most_rows], int r, const Local& x) {
#pragma unroll
    for (int q = 0; q < most_rows; q++)
      if (q == r) all[q] = x;
  }

  // Returns the fold of the pack at place `at`; only the first `count` places of the tile have elements.
  template <bool full> WF_MEMBER Local fold_pack(int64_t first, int at, int count, Row row, Checks& checks) const {
    Local mine = Program::local_identity(a);
#pragma unroll(Walk <full>::pack)
    for (int p = 0; p < form.pack; p++) {
      if (full || Walk<full>::copies || at + p < count) {
        const Local x = Program::early(a, index<full>(first, at + p, count), row, Walk<full>::rolled ? 0 : p, checks);
        if (full || at + p < count) mine = p == 0 ? x : Program::combine(a, mine, x);
      }
      if (Walk<full>::rolled) Program::turn(row);
    }
    return mine;
  }

  // Folds the pack in row r, whose checks record.
  template <bool full> WF_MEMBER Local fold_row(int64_t k, int64_t first, int r, int count) const {
    Row row;
    Checks recorder = Program::recorder(a);
    Program::fetch(stages.stage(k), place(r), row);
    return fold_pack<full>(first, place(r), count, row, recorder);
  }
  // Folds the packs of all rows, so that what they read is waited for at once.
  template <bool full> WF_MEMBER void fold_at_once(int64_t k, int64_t first, int count, Local (&folds)[most_rows]) const {
    Checks checks;
#pragma unroll
    for (int r = 0; r < most_rows; r++) {
      Row row;
      Program::fetch(stages.stage(k), place(r), row);
      folds[r] = fold_pack<full>(first, place(r), count, row, checks);
    }
    if (!checks.any) return;
#pragma unroll 1
    for (int r = 0; r < form.rows; r++) fold_row<false>(k, first, r, count);
  }

  // Folds the k-th tile: stores the warp's total to shared memory, and the warp's prefix before each of this thread's packs to `before`.
  WF_MEMBER void fold(int64_t k, Local (&before)[most_rows]) {
    const int64_t tile = stages.tile(k);
    if (tile >= stages.tiles) return;
    stages.wait(k);
    const int count = stages.elements(tile);
    if (!one_text && count == stages.tile_size) fold_rows<true>(k, count, before);
    else fold_rows<false>(k, count, before);
  }
  template <bool full> WF_MEMBER void fold_rows(int64_t k, int count, Local (&before)[most_rows]) {
    const int64_t first = stages.tile(k) * stages.tile_size;
    Local prefix = Program::local_identity(a), folds[most_rows];
    if constexpr (!Walk<full>::rolled) fold_at_once<full>(k, first, count, folds);
#pragma unroll(Walk <full>::rows)
    for (int r = 0; r < form.rows; r++) {
      Local up_to;
      if constexpr (Walk<full>::rolled) up_to = fold_row<full>(k, first, r, count);
      else up_to = folds[r];
      up_to = warp_scan(up_to, Combine<Program>{a});
      Local left = shuffle_up(up_to, 1);
      if (lane_of_thread() == 0) left = Program::local_identity(a);
      choose(before, r, r == 0 ? left : Program::combine(a, prefix, left));
      prefix = r == 0 ? broadcast(up_to, 31) : Program::combine(a, prefix, broadcast(up_to, 31));
    }
    if (lane_of_thread() == 0) shared.warp_total[k & 1][warp_of_thread()] = prefix;
  }

  // Called by one warp when the totals of the k-th tile's warps are in shared memory. Returns their inclusive prefixes, one per lane.
  WF_MEMBER Local scan_warps(int64_t k) const {
    Local x = lane_of_thread() < warps() ? shared.warp_total[k & 1][lane_of_thread()] : Program::local_identity(a);
    return warp_scan(x, Combine<Program>{a});
  }

  // Called by one warp.
  WF_MEMBER void publish(int64_t k) const {
    const int64_t tile = stages.tile(k);
    if (tile < stages.tiles) chain.publish_total(tile, broadcast(scan_warps(k), warps() - 1));
  }

  // Called by one warp.
  WF_MEMBER void look_back(int64_t k) const {
    const int64_t tile = stages.tile(k);
    const Local up_to = scan_warps(k), total = broadcast(up_to, warps() - 1);
    Local left = shuffle_up(up_to, 1);
    if (lane_of_thread() == 0) left = Program::local_identity(a);
    if (lane_of_thread() < warps()) shared.warp_before[lane_of_thread()] = left;
    const Carry before = chain.before_tile(tile, total);
    if (lane_of_thread() == 0) {
      shared.before = before;
      if (tile == stages.tiles - 1) *static_cast<Carry*>(a.total) = Program::advance(a, before, total);
    }
  }

  // Visits the k-th tile's elements a second time, with their prefixes.
  WF_MEMBER void sink(int64_t k, const Local (&before_row)[most_rows]) {
    const int count = stages.elements(stages.tile(k));
    if (!one_text && count == stages.tile_size) sink_rows<true>(k, count, before_row);
    else sink_rows<false>(k, count, before_row);
  }
  template <bool full> WF_MEMBER void sink_rows(int64_t k, int count, const Local (&before_row)[most_rows]) {
    const int64_t first = stages.tile(k) * stages.tile_size;
    Stage& stage = stages.stage(k);
    const Carry of_warp = Program::advance(a, shared.before, shared.warp_before[warp_of_thread()]);
    Sums of_tile = Program::none(a);
    Local within;
    Checks recorded;  // by fold
#pragma unroll(Walk <full>::rows)
    for (int r = 0; r < form.rows; r++) {
      const int at = place(r);
      Row row;
      Program::fetch(stage, at, row);
      within = chosen(before_row, r);
      Carry before = Program::advance(a, of_warp, within);
      Sums own = Program::none(a);
      Sums& into = form.ordered ? own : Program::per_tile ? of_tile : sums;
      typename Program::Out out;
      if (Program::compacts) __syncwarp();  // all lanes have read their packs: places up to here may be overwritten
#pragma unroll(Walk <full>::pack)
      for (int p = 0; p < form.pack; p++) {
        if (full || Walk<full>::copies || at + p < count) {
          const int64_t i = index<full>(first, at + p, count);
          const int in_pack = Walk<full>::rolled ? 0 : p;
          const Local x = Program::early(a, i, row, in_pack, recorded);
          const Carry after = Program::advance(a, before, x);
          Program::late(a, i, row, in_pack, before, after, first_of_warp(), within, stage, kept, out, into);
          before = after;
          within = Program::combine(a, within, x);
          if (!full && at + p < count) Program::store_one(a, i, out, in_pack);
        }
        if (Walk<full>::rolled) {
          Program::turn(row);
          Program::turn(out);
        }
      }
      if (full) Program::store(a, first + at, out);
      if (form.ordered) {
        own = warp_reduce(own, Join<Program>{a});
        if (lane_of_thread() == 0) of_tile = Program::join(a, of_tile, own);
      }
    }
    if (Program::compacts) {
      __syncwarp();
      Program::flush(a, stage, kept, first_of_warp(), of_warp, broadcast(within, 31));
      order_before_bulk_copies();
    }
    if (Program::per_tile) {
      if (!form.ordered) of_tile = warp_reduce(of_tile, Join<Program>{a});
      if (lane_of_thread() == 0) shared.warp_sums[warp_of_thread()] = of_tile;
    }
  }

  // Called after a barrier. One thread folds the warps' sums of the k-th tile and stores the tile's partial result.
  WF_MEMBER void leave_sums(int64_t k) const {
    if (!Program::per_tile || threadIdx.x != 32 % form.threads) return;
    Sums of_tile = shared.warp_sums[0];
#pragma unroll 1
    for (int w = 1; w < warps(); w++) of_tile = Program::join(a, of_tile, shared.warp_sums[w]);
    static_cast<Sums*>(a.partials)[stages.tile(k)] = of_tile;
  }

  WF_MEMBER void run() {
    Local before[most_rows], next[most_rows];
    stages.start();
#pragma unroll 1
    for (int64_t k = -1; k < 0 || stages.tile(k) < stages.tiles; k++) {
      fold(k + 1, next);
      __syncthreads();
      if (warp_of_thread() == 0) {
        publish(k + 1);
        if (k >= 0) look_back(k);
      }
      __syncthreads();
      if (k >= 0) {
        const int64_t claimed = stages.claim();
        sink(k, before);
        __syncthreads();
        leave_sums(k);
        stages.next(k + Stages<Program>::depth, claimed);
      }
#pragma unroll
      for (int r = 0; r < most_rows; r++) before[r] = next[r];
    }
    __syncthreads();
  }
};

template <class Program> WF_FN void scan(const typename Program::Args& a) {
  using Scan = TileScan<Program>;
  WF_DYNAMIC_SHARED(128, memory);
  __shared__ typename Scan::Shared shared;
  Scan tiles(a, shared, memory);
  tiles.run();
  typename Program::Sums sums = tiles.sums;
  if (Program::has_sums(a) && !Program::per_tile) {
    if (!grid_reduce<Program>(a, sums)) return;
  } else {
    if (!Program::has_finish(a) || !is_last_block(a.counters)) return;
    if (Program::has_sums(a)) sums = block_reduce<Program>(a, fold_partials<Program>(a, unsigned(tiles.stages.tiles)));
  }
  if (a.n == 0) sums = Program::none(a);
  if (threadIdx.x == 0)
    Program::finish(a, sums,
                    tiles.stages.tiles > 0 ? load_fresh(static_cast<const typename Program::Carry*>(a.total)) : Program::carry_identity(a));
}

// Scans along an axis: each vector on its own, so that no block waits for another one. Vectors are rows, of neighbouring elements, or columns,
// whose neighbours are neighbours in memory. `down` warps go along a vector together, tile after tile:
//
//     fold the warp's part of the tile; the carry of a part is  (carry of the tile) f (parts before);  visit the part again, from its carry on
//
// The elements of a part stay in registers. One barrier a tile suffices, since the parts' folds of two tiles lie in two places.
template <class Program> struct VectorScan {
  using Args = typename Program::Args;
  using Local = typename Program::Local;
  static constexpr int pack = Program::pack, rows = Program::rows, down = Program::down, groups = Program::threads / 32 / down;

  const Args& a;
  Local (*const folds)[Program::threads];  // two, in shared memory
  int place = 0;

  // Returns the carry of this part of a tile from that of the tile, which becomes the next tile's. mine: the fold of the part. In `folds`,
  // parts are `distance` apart.
  WF_MEMBER Local carry_of_part(int part, const Local& mine, int first, int distance, Local& carry) {
    if (down == 1) {
      const Local before = carry;
      carry = Program::combine(a, carry, mine);
      return before;
    }
    folds[place][first + part * distance] = mine;
    __syncthreads();
    Local before = carry;
#pragma unroll
    for (int k = 0; k < down; k++) {
      if (k == part) before = carry;
      carry = Program::combine(a, carry, folds[place][first + k * distance]);
    }
    place ^= 1;
    return before;
  }

  // Visits the pack from index i on, whose scanned values are x.
  WF_MEMBER void visit(int64_t i, const typename Program::Row& row, const Local (&x)[pack], Local before) const {
    typename Program::Out out;
#pragma unroll
    for (int p = 0; p < pack; p++) {
      const Local after = Program::combine(a, before, x[p]);
      Program::late(a, i + p, row, p, before, after, out);
      before = after;
    }
    Program::store(a, i, out);
  }

  // A block's groups of warps have a row each. A part of a tile is `rows` times a pack per lane.
  WF_MEMBER void scan_rows() {
    constexpr int run = 32 * pack, tile = down * rows * run;
    const int group = warp_of_thread() / down, part = warp_of_thread() % down;
    const int64_t length = Program::length(a), vectors = a.n / length;
    Checks checks = Program::recorder(a);
#pragma unroll 1
    for (int64_t first = int64_t(blockIdx.x) * groups; first < vectors; first += int64_t(gridDim.x) * groups) {
      const int64_t vector = first + group, end = vector < vectors ? length : 0, base = vector * length;
      Local carry = Program::local_identity(a);
#pragma unroll 1
      for (int64_t begin = 0; begin < length; begin += tile) {
        const int64_t at = begin + part * rows * run + lane_of_thread() * pack;
        typename Program::Row row[rows];
        Local x[rows][pack], before[rows], mine = Program::local_identity(a);
#pragma unroll
        for (int r = 0; r < rows; r++)
          if (at + r * run < end) Program::fetch(a, base + at + r * run, row[r]);
#pragma unroll
        for (int r = 0; r < rows; r++) {
          Local up_to = Program::local_identity(a);
          if (at + r * run < end) {
#pragma unroll
            for (int p = 0; p < pack; p++) {
              x[r][p] = Program::early(a, base + at + r * run + p, row[r], p, checks);
              up_to = p == 0 ? x[r][p] : Program::combine(a, up_to, x[r][p]);
            }
          }
          up_to = warp_scan(up_to, Combine<Program>{a});
          Local left = shuffle_up(up_to, 1);
          if (lane_of_thread() == 0) left = Program::local_identity(a);
          before[r] = r == 0 ? left : Program::combine(a, mine, left);
          mine = r == 0 ? broadcast(up_to, 31) : Program::combine(a, mine, broadcast(up_to, 31));
        }
        const Local of_part = carry_of_part(part, mine, group * down, 1, carry);
#pragma unroll
        for (int r = 0; r < rows; r++)
          if (at + r * run < end) visit(base + at + r * run, row[r], x[r], Program::combine(a, of_part, before[r]));
      }
    }
  }

  // A lane has a column, whose elements are `inner` apart. A part of a tile is `rows` elements.
  WF_MEMBER void scan_columns() {
    constexpr int width = 32 * groups;
    const int part = warp_of_thread() / groups, lane = int(threadIdx.x) % width;
    const int64_t length = Program::length(a), inner = Program::inner(a), strips = (inner + width - 1) / width;
    const int64_t all = a.n / (length * inner) * strips;
    Checks checks = Program::recorder(a);
#pragma unroll 1
    for (int64_t strip = blockIdx.x; strip < all; strip += gridDim.x) {
      const int64_t column = strip % strips * width + lane, end = column < inner ? length : 0;
      const int64_t base = strip / strips * length * inner + column;
      Local carry = Program::local_identity(a);
#pragma unroll 1
      for (int64_t begin = 0; begin < length; begin += down * rows) {
        const int64_t at = begin + part * rows;
        typename Program::Row row[rows];
        Local x[rows][1], mine = Program::local_identity(a);
#pragma unroll
        for (int r = 0; r < rows; r++)
          if (at + r < end) Program::fetch(a, base + (at + r) * inner, row[r]);
#pragma unroll
        for (int r = 0; r < rows; r++) {
          if (at + r >= end) continue;
          x[r][0] = Program::early(a, base + (at + r) * inner, row[r], 0, checks);
          mine = r == 0 ? x[r][0] : Program::combine(a, mine, x[r][0]);
        }
        Local before = carry_of_part(part, mine, lane, width, carry);
#pragma unroll
        for (int r = 0; r < rows; r++) {
          if (at + r >= end) continue;
          visit(base + (at + r) * inner, row[r], x[r], before);
          before = Program::combine(a, before, x[r][0]);
        }
      }
    }
  }
};

template <class Program> WF_FN void scan_along(const typename Program::Args& a) {
  __shared__ typename Program::Local folds[2][Program::threads];
  VectorScan<Program> vectors{a, folds};
  if constexpr (Program::columns) vectors.scan_columns();
  else vectors.scan_rows();
}

}  // namespace wf
