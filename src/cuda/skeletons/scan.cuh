// scan and filter: one pass over memory. Each tile is folded, finds its carry by looking back, and is walked again in shared
// memory with the carry known; what reads the prefixes happens there (stores, reductions, compactions).
//
// The total of tile k + 1 is computed and published before tile k looks back: a total that could be known is never waited for,
// and this is what brings the scan near the speed of a copy.
//
// A filter is a scan of counts: Local and Carry hold the scanned columns and, for each compaction, how many elements are kept.
//
//   early(a, i, row, p)          the Local of one element
//   late(a, i, row, p, before, after, within, kept, out, sums)
//                                the sinks of one element, given its exclusive and inclusive prefix, and the exclusive one
//                                within the tile
//   flush(a, kept, start, end)   writes what the tile's compactions kept
#pragma once

#include "grid.cuh"
#include "look_back.cuh"
#include "stage.cuh"

namespace wf {

template <class Program>
struct TileScan {
  static constexpr int threads = Program::threads, warps = threads / 32, rows = Program::rows, pack = Program::pack;
  using Args = typename Program::Args;
  using Local = typename Program::Local;
  using Carry = typename Program::Carry;
  using Sums = typename Program::Sums;
  using Row = typename Program::Row;
  using Combine = typename Chain<Program>::Combine;

  // In shared memory; what two tiles need at the same time twice.
  struct Shared {
    typename Stages<Program>::Control control;
    Local warp_total[2][warps];
    Local warp_before[warps];
    Carry before[2], after[2];
    Sums warp_sums[warps];
  };

  const Args& a;
  Shared& shared;
  Stages<Program> stages;
  Chain<Program> chain;
  typename Program::Kept& kept;
  Sums sums;

  __device__ TileScan(const Args& args, Shared& s, unsigned char* memory)
      : a(args),
        shared(s),
        stages{args, reinterpret_cast<typename Program::Stage*>(memory), s.control,
               (args.n + Stages<Program>::tile_size - 1) / Stages<Program>::tile_size},
        chain(args),
        kept(*reinterpret_cast<typename Program::Kept*>(memory + Program::stages * sizeof(typename Program::Stage))),
        sums(Program::none(args)) {}

  // Where this thread's elements of row r begin in a tile: a warp takes consecutive rows, in a row each lane one pack.
  WF_MEMBER static int place(int r) { return (warp_of_thread() * rows + r) * 32 * pack + lane_of_thread() * pack; }

  // Folds the k-th tile: the warp's total to shared memory, and before each of this thread's packs the warp's prefix.
  __device__ void fold(int64_t k, Local (&before)[rows]) {
    const int64_t tile = stages.tile(k);
    if (tile >= stages.tiles) return;
    stages.wait(k);
    const int64_t first = tile * Stages<Program>::tile_size;
    const int count = stages.elements(tile);
    Local prefix = Program::local_identity(a);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const int at = place(r);
      Row row;
      Program::fetch(stages.stage(k), at, row);
      Local mine = Program::local_identity(a);
#pragma unroll
      for (int p = 0; p < pack; p++)
        if (at + p < count) {
          Local x = Program::early(a, first + at + p, row, p);
          mine = p == 0 ? x : Program::combine(a, mine, x);
        }
      Local up_to = warp_scan(mine, Combine{a});
      Local left = shuffle_up(up_to, 1);
      if (lane_of_thread() == 0) left = Program::local_identity(a);
      before[r] = r == 0 ? left : Program::combine(a, prefix, left);
      prefix = r == 0 ? broadcast(up_to, 31) : Program::combine(a, prefix, broadcast(up_to, 31));
    }
    if (lane_of_thread() == 0) shared.warp_total[k & 1][warp_of_thread()] = prefix;
  }

  // By one warp, the totals of the k-th tile's warps being in shared memory: their prefixes, one a lane.
  WF_MEMBER Local scan_warps(int64_t k) const {
    Local x = lane_of_thread() < warps ? shared.warp_total[k & 1][lane_of_thread()] : Program::local_identity(a);
    return warp_scan(x, Combine{a});
  }

  // By one warp.
  __device__ void publish(int64_t k) const {
    const int64_t tile = stages.tile(k);
    if (tile < stages.tiles) chain.publish_total(tile, broadcast(scan_warps(k), warps - 1));
  }

  // By one warp.
  __device__ void look_back(int64_t k) const {
    const int64_t tile = stages.tile(k);
    const Local up_to = scan_warps(k), total = broadcast(up_to, warps - 1);
    Local left = shuffle_up(up_to, 1);
    if (lane_of_thread() == 0) left = Program::local_identity(a);
    if (lane_of_thread() < warps) shared.warp_before[lane_of_thread()] = left;
    const Carry before = chain.before_tile(tile, total);
    if (lane_of_thread() == 0) {
      const Carry after = Program::advance(a, before, total);
      shared.before[k & 1] = before;
      shared.after[k & 1] = after;
      if (tile == stages.tiles - 1) *static_cast<Carry*>(a.total) = after;
    }
  }

  // The k-th tile's elements once more, now with their prefixes.
  __device__ void sink(int64_t k, const Local (&before)[rows]) {
    const int64_t tile = stages.tile(k), first = tile * Stages<Program>::tile_size;
    const int count = stages.elements(tile);
    const Carry start = shared.before[k & 1];
    const Carry of_warp = Program::advance(a, start, shared.warp_before[warp_of_thread()]);
    Sums of_tile = Program::none(a);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const int at = place(r);
      Row row;
      Program::fetch(stages.stage(k), at, row);
      typename Program::Out out;
      Carry prefix = Program::advance(a, of_warp, before[r]);
      Local within = Program::combine(a, shared.warp_before[warp_of_thread()], before[r]);
      Sums own = Program::none(a);
      Sums& into = Program::ordered ? own : Program::per_tile ? of_tile : sums;
#pragma unroll
      for (int p = 0; p < pack; p++)
        if (at + p < count) {
          const Local x = Program::early(a, first + at + p, row, p);
          const Carry next = Program::advance(a, prefix, x);
          Program::late(a, first + at + p, row, p, prefix, next, within, kept, out, into);
          prefix = next;
          within = Program::combine(a, within, x);
        }
      if (at + pack <= count) {
        Program::store(a, first + at, out);
      } else {
        for (int p = 0; p < pack; p++)
          if (at + p < count) Program::store_one(a, first + at + p, out, p);
      }
      if (Program::ordered) {
        own = warp_reduce(own, Join<Program>{a});
        if (lane_of_thread() == 0) of_tile = Program::join(a, of_tile, own);
      }
    }
    if (Program::per_tile) {
      if (!Program::ordered) of_tile = warp_reduce(of_tile, Join<Program>{a});
      if (lane_of_thread() == 0) shared.warp_sums[warp_of_thread()] = of_tile;
    }
  }

  // After a barrier, by one warp: the sums of the whole tile.
  __device__ void leave_sums(int64_t tile) const {
    if (lane_of_thread() != 0) return;
    Sums of_tile = shared.warp_sums[0];
    for (int w = 1; w < warps; w++) of_tile = Program::join(a, of_tile, shared.warp_sums[w]);
    static_cast<Sums*>(a.partials)[tile] = of_tile;
  }

  __device__ void run() {
    Local before[rows], next[rows];
    stages.start();
    fold(0, before);
    __syncthreads();
    if (warp_of_thread() == 0) publish(0);
    for (int64_t k = 0; stages.tile(k) < stages.tiles; k++) {
      fold(k + 1, next);
      __syncthreads();
      if (warp_of_thread() == 0) {
        publish(k + 1);
        look_back(k);
      }
      __syncthreads();
      sink(k, before);
      __syncthreads();
      if (Program::per_tile && warp_of_thread() == 1 % warps) leave_sums(stages.tile(k));
      if (Program::compacts) Program::flush(a, kept, shared.before[k & 1], shared.after[k & 1]);
      stages.next(k + Stages<Program>::depth);
#pragma unroll
      for (int r = 0; r < rows; r++) before[r] = next[r];
    }
    __syncthreads();
  }
};

template <class Program>
__device__ void scan(const typename Program::Args& a) {
  using Scan = TileScan<Program>;
  using Sums = typename Program::Sums;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ typename Scan::Shared shared;
  Scan tiles(a, shared, memory);
  tiles.run();
  Sums* partials = static_cast<Sums*>(a.partials);
  if (!Program::per_tile && Program::has_sums) {
    Sums sums = block_reduce<Program>(a, tiles.sums);
    if (threadIdx.x == 0) partials[blockIdx.x] = sums;
  }
  if (!Program::has_finish || !is_last_block(a.counters)) return;
  Sums sums = Program::none(a);
  if (Program::has_sums) sums = fold_partials<Program>(a, partials, Program::per_tile ? tiles.stages.tiles : int64_t(gridDim.x));
  if (a.n == 0) sums = Program::none(a);
  if (threadIdx.x == 0)
    Program::finish(a, sums, tiles.stages.tiles > 0 ? load_fresh(static_cast<const typename Program::Carry*>(a.total))
                                                    : Program::carry_identity(a));
}

}  // namespace wf
