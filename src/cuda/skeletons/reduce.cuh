// map and reduce: stores and reductions in one pass, without prefixes.
//
// The body is written pack times for a pack, and once more for elements outside whole packs. A very long body (`rolled`) is written once, which
// compiles faster.
#pragma once

#include "grid.cuh"

namespace wf {

template <class Program>
WF_FN void visit_row(const typename Program::Args& a, int64_t i, const typename Program::Row& row, typename Program::Sums& sums,
                     Checks& checks) {
  typename Program::Out out;
  if constexpr (Program::by_bytes) {
    Program::visit_bytes(a, row, sums);
    return;
  }
  // i is a multiple of the pack. The compiler sees from i | p, unlike from i + p, that the places share blocks of random words.
#pragma unroll
  for (int p = 0; p < Program::pack; p++) Program::visit(a, Program::draws ? i | p : i + p, row, p, out, sums, checks);
  Program::store(a, i, out);
}

template <class Program> WF_FN void visit_one(const typename Program::Args& a, int64_t i, typename Program::Sums& sums) {
  typename Program::Row row;
  typename Program::Out out;
  Checks checks = Program::recorder(a);
  Program::fetch_one(a, i, row);
  Program::visit(a, i, row, 0, out, sums, checks);
  Program::store_one(a, i, out, 0);
}

// Visits a pack with the body written once. Only the first `count` elements exist; with `fetched`, `row` is already loaded.
template <class Program>
WF_FN void visit_rolled(const typename Program::Args& a, int64_t i, int64_t count, typename Program::Row row, bool fetched,
                        typename Program::Sums& sums) {
  constexpr int pack = Program::pack;
  typename Program::Out out;
  Checks checks = Program::recorder(a);
  const bool whole = count >= pack;
  if (!fetched && whole) Program::fetch(a, i, row);
#pragma unroll 1
  for (int p = 0; p < pack && p < count; p++) {
    if (!whole) Program::fetch_one(a, i + p, row);
    Program::visit(a, i + p, row, 0, out, sums, checks);
    if (!whole) Program::store_one(a, i + p, out, 0);
    Program::turn(row);
    Program::turn(out);
  }
  if (whole) Program::store(a, i, out);
}

// Blocks stride over tiles; consecutive threads read consecutive packs. For maps and commutative reductions. Of the packs of a thread that have a
// fault, the first is visited again, which records it: no other has one at a smaller index. If segments are numbered, each warp has a part of the tile.
template <class Program> WF_FN void visit_strided(const typename Program::Args& a, typename Program::Sums& sums) {
  constexpr int64_t tile_size = Program::threads * Program::pack * Program::rows;
  constexpr int64_t row_size = (Program::numbers ? 32 : Program::threads) * Program::pack, part_size = row_size * Program::rows;
  const int64_t begin = Program::numbers ? warp_of_thread() * part_size + lane_of_thread() * Program::pack : threadIdx.x * Program::pack;
  const int64_t whole = a.n / tile_size;
  int64_t again = 0;  // the first pack with a fault
  int count = 0;      // its elements, or 0
#pragma unroll 1
  for (int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x) {
    const int64_t first = tile * tile_size + begin;
    typename Program::Row rows[Program::rows];
    if constexpr (Program::numbers) Program::number(a, tile * tile_size + warp_of_thread() * part_size, rows);
#pragma unroll
    for (int r = 0; r < Program::rows; r++) Program::fetch(a, first + r * row_size, rows[r]);
#pragma unroll
    for (int r = 0; r < Program::rows; r++) {
      Checks checks;
      visit_row<Program>(a, first + r * row_size, rows[r], sums, checks);
      if (checks.any && count == 0) again = first + r * row_size, count = Program::pack;
    }
  }
  const int64_t step = int64_t(gridDim.x) * Program::threads;
#pragma unroll 1
  for (int64_t i = whole * tile_size + int64_t(blockIdx.x) * Program::threads + threadIdx.x; i < a.n || count > 0; i += step)
    visit_one<Program>(a, i < a.n ? i : again + --count, sums);
}

// Visits the elements in tiles over two axes of the output, of which neighbours along the second one are neighbours of an input. A warp has four
// packs along the first axis and eight elements along the second, so that it uses all of each 32 bytes that it reads or writes.
template <class Program> WF_FN void visit_tiles(const typename Program::Args& a, typename Program::Sums& sums) {
  constexpr int lanes = 4, warps = 2, wide = lanes * warps * Program::pack, high = Program::threads / (lanes * warps);
  constexpr int64_t across = (Program::inner + wide - 1) / wide;
  const int64_t extent = Program::extent > 0 ? Program::extent : a.n / Program::below;
  const int64_t down = (extent + high - 1) / high, lines = Program::below / Program::inner,
                tiles = a.n / (Program::inner * extent) * across * down;
  const int lane = lane_of_thread(), warp = warp_of_thread();
  const int x = (warp % warps * lanes + lane % lanes) * Program::pack, y = warp / warps * (32 / lanes) + lane / lanes;
#pragma unroll 1
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t along = tile % across * wide + x, rest = tile / across, second = rest % down * high + y, other = rest / down;
    if (along >= Program::inner || second >= extent) continue;
    const int64_t i = (other / lines * extent + second) * Program::below + other % lines * Program::inner + along;
    typename Program::Row row;
    Program::fetch(a, i, row);
    Checks checks = Program::recorder(a);
    visit_row<Program>(a, i, row, sums, checks);
  }
}

template <class Program> WF_FN void visit_strided_rolled(const typename Program::Args& a, typename Program::Sums& sums) {
  const int64_t step = int64_t(gridDim.x) * Program::threads * Program::pack;
#pragma unroll 1
  for (int64_t i = (int64_t(blockIdx.x) * Program::threads + threadIdx.x) * Program::pack; i < a.n; i += step)
    visit_rolled<Program>(a, i, a.n - i, {}, false, sums);
}

// A warp's traversal of a tile in order: lane l reads the `rows` packs from the (l * rows)-th on. The loads are coalesced: lane k mod 32
// copies pack k to shared memory, where a gap after each lane's run avoids bank conflicts. If the tile needs too much shared memory,
// each lane loads its own packs from global memory.
template <class Program> struct Runs {
  static constexpr int rows = Program::rows, pack = Program::pack;
  using Row = typename Program::Row;
  Row* run_of_lane_0;

  WF_MEMBER Row& place(int lane, int r) const { return run_of_lane_0[lane * (rows + 1) + r]; }
  // Loads a tile from index `first` on. Called by all lanes.
  WF_MEMBER void load(const typename Program::Args& a, int64_t first) const {
    __syncwarp();
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const int k = r * 32 + lane_of_thread();
      Program::fetch_shared(a, first + k * pack, place(k / rows, k % rows));
    }
    wait_for_copies();
    __syncwarp();
  }
};

// Each warp visits consecutive tiles. One fold across the warp per tile preserves the order.
template <class Program> WF_FN void visit_in_order(const typename Program::Args& a, typename Program::Sums& sums) {
  constexpr int64_t mine = Program::pack * Program::rows, tile_size = 32 * mine;
  __shared__ typename Program::Row memory[Program::staged ? Program::threads * (Program::rows + 1) : 1];
  const Runs<Program> runs{memory + (Program::staged ? warp_of_thread() * 32 * (Program::rows + 1) : 0)};
  const int64_t tiles = (a.n + tile_size - 1) / tile_size, warps = int64_t(gridDim.x) * (Program::threads / 32);
  const int64_t warp = int64_t(blockIdx.x) * (Program::threads / 32) + warp_of_thread();
  const int64_t each = (tiles + warps - 1) / warps;
  Checks checks = Program::recorder(a);
  const int64_t begin = each * warp, end = begin + each < tiles ? begin + each : tiles;
#pragma unroll 1
  for (int64_t tile = begin; tile < end; tile++) {
    const int64_t first = tile * tile_size + lane_of_thread() * mine;
    typename Program::Sums own = Program::none(a);
    const bool whole = (tile + 1) * tile_size <= a.n;
    if (whole && Program::staged) runs.load(a, tile * tile_size);
    if (whole || Program::rolled) {
#pragma unroll(Program::by_bytes ? Program::rows : Program::rolled || Program::pack > 4 ? 1 : 2)
      for (int r = 0; r < Program::rows; r++) {
        const int64_t i = first + r * Program::pack;
        typename Program::Row row;
        if (whole && Program::staged) Program::copy(runs.place(lane_of_thread(), r), row);
        else if (!Program::rolled) Program::fetch(a, i, row);
        if constexpr (Program::rolled) visit_rolled<Program>(a, i, a.n - i, row, whole && Program::staged, own);
        else visit_row<Program>(a, i, row, own, checks);
      }
    } else {
#pragma unroll 1
      for (int64_t i = first; i < first + mine && i < a.n; i++) visit_one<Program>(a, i, own);
    }
    if constexpr (Program::by_law) own = Program::fold_warp(a, own);
    else own = warp_reduce < sizeof(own) <= 16 ? 5 : 1 > (own, Join<Program>{a});
    if (lane_of_thread() == 0) sums = Program::join(a, sums, own);
  }
}

template <class Program> WF_FN void visit_all(const typename Program::Args& a, typename Program::Sums& sums) {
  if constexpr (Program::ordered) visit_in_order<Program>(a, sums);
  else if constexpr (Program::rolled) visit_strided_rolled<Program>(a, sums);
  else if constexpr (Program::inner > 0) visit_tiles<Program>(a, sums);
  else visit_strided<Program>(a, sums);
}

template <class Program> WF_FN void map(const typename Program::Args& a) {
  typename Program::Sums sums = Program::none(a);
  Program::check_segments(a);
  Program::prepare(a);
  visit_all<Program>(a, sums);
}

template <class Program> WF_FN void reduce(const typename Program::Args& a) {
  typename Program::Sums sums = Program::none(a);
  visit_all<Program>(a, sums);
  if (!grid_reduce<Program>(a, sums)) return;
  if (a.n == 0) sums = Program::none(a);  // not joined: the result over no elements is the given identity, even if it is not neutral
  if (threadIdx.x == 0) Program::finish(a, sums);
}

}  // namespace wf
