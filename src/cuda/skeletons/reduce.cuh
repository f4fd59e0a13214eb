// map and reduce: stores and reductions in one pass, without anything that passes from element to element.
//
// A Program says what one element does:
//   fetch(a, i, row)                 the streams' elements at i, ..., i + pack - 1, by packs
//   fetch_one(a, i, row)             the streams' elements at i, into place 0
//   visit(a, i, row, p, out, sums)   evaluates the body at index i for place p: sets out's place p and joins sums
//   store(a, i, out), store_one(a, i, out, p)
//   finish(a, sums, ...)             the scalars after the loop
#pragma once

#include "grid.cuh"

namespace wf {

template <class Program>
__device__ void visit_row(const typename Program::Args& a, int64_t i, const typename Program::Row& row, typename Program::Sums& sums) {
  typename Program::Out out;
#pragma unroll
  for (int p = 0; p < Program::pack; p++) Program::visit(a, i + p, row, p, out, sums);
  Program::store(a, i, out);
}

template <class Program>
__device__ void visit_one(const typename Program::Args& a, int64_t i, typename Program::Sums& sums) {
  typename Program::Row row;
  typename Program::Out out;
  Program::fetch_one(a, i, row);
  Program::visit(a, i, row, 0, out, sums);
  Program::store_one(a, i, out, 0);
}

// Blocks stride over tiles; neighbouring threads take neighbouring packs. For commutative reductions, and for none.
template <class Program>
__device__ void visit_strided(const typename Program::Args& a, typename Program::Sums& sums) {
  constexpr int64_t row_size = Program::threads * Program::pack, tile_size = row_size * Program::rows;
  const int64_t whole = a.n / tile_size;
  for (int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x) {
    const int64_t first = tile * tile_size + threadIdx.x * Program::pack;
    typename Program::Row rows[Program::rows];
#pragma unroll
    for (int r = 0; r < Program::rows; r++) Program::fetch(a, first + r * row_size, rows[r]);
#pragma unroll
    for (int r = 0; r < Program::rows; r++) visit_row<Program>(a, first + r * row_size, rows[r], sums);
  }
  const int64_t step = int64_t(gridDim.x) * Program::threads;
  for (int64_t i = whole * tile_size + int64_t(blockIdx.x) * Program::threads + threadIdx.x; i < a.n; i += step)
    visit_one<Program>(a, i, sums);
}

// Each warp takes a contiguous run of tiles, and in a tile each lane the elements of rows * pack consecutive indices: 64 bytes
// or so, whose sectors stay in L1 between its loads. One fold across the warp a tile keeps the order.
template <class Program>
__device__ void visit_in_order(const typename Program::Args& a, typename Program::Sums& sums) {
  constexpr int64_t mine = Program::pack * Program::rows, tile_size = 32 * mine;
  const int64_t tiles = (a.n + tile_size - 1) / tile_size, warps = int64_t(gridDim.x) * (Program::threads / 32);
  const int64_t warp = int64_t(blockIdx.x) * (Program::threads / 32) + warp_of_thread();
  const int64_t each = (tiles + warps - 1) / warps;
  const int64_t begin = each * warp, end = begin + each < tiles ? begin + each : tiles;
  for (int64_t tile = begin; tile < end; tile++) {
    const int64_t first = tile * tile_size + lane_of_thread() * mine;
    typename Program::Sums own = Program::none(a);
    if ((tile + 1) * tile_size <= a.n) {
      typename Program::Row rows[Program::rows];
#pragma unroll
      for (int r = 0; r < Program::rows; r++) Program::fetch(a, first + r * Program::pack, rows[r]);
#pragma unroll
      for (int r = 0; r < Program::rows; r++) visit_row<Program>(a, first + r * Program::pack, rows[r], own);
    } else {
      for (int64_t i = first; i < first + mine && i < a.n; i++) visit_one<Program>(a, i, own);
    }
    own = warp_reduce(own, Join<Program>{a});
    if (lane_of_thread() == 0) sums = Program::join(a, sums, own);
  }
}

template <class Program>
__device__ void map(const typename Program::Args& a) {
  typename Program::Sums sums = Program::none(a);
  visit_strided<Program>(a, sums);
}

template <class Program>
__device__ void reduce(const typename Program::Args& a) {
  using Sums = typename Program::Sums;
  Sums sums = Program::none(a);
  if constexpr (Program::ordered) visit_in_order<Program>(a, sums);
  else visit_strided<Program>(a, sums);
  sums = block_reduce<Program>(a, sums);
  if (gridDim.x > 1) {
    Sums* partials = static_cast<Sums*>(a.partials);
    if (threadIdx.x == 0) partials[blockIdx.x] = sums;
    if (!is_last_block(a.counters)) return;
    sums = fold_partials<Program>(a, partials, gridDim.x);
  }
  if (a.n == 0) sums = Program::none(a);  // once, and not joined: the identity need not be one for an empty sequence
  if (threadIdx.x == 0) Program::finish(a, sums);
}

}  // namespace wf
