// The interpreter for all kernels over few elements, and for maps and reductions over many.
#pragma once

#include "interpreter.cuh"
#include "small.cuh"

namespace wf::interpreter {

// Visits `count` elements from index i on, or as many as exist.
template <class Program> WF_FN void take(const Arguments& a, int64_t i, int64_t count, typename Program::Sums& sums) {
  const typename Program::Columns no_prefix{};
#pragma unroll 1
  for (int64_t k = i; k < i + count && k < a.n; k++) Program::late(a, k, no_prefix, no_prefix, sums);
}

// Visits all elements in the order of visit_strided, or of visit_strided_rolled.
template <class Program> WF_FN void take_strided(const Arguments& a, typename Program::Sums& sums) {
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, threads = int64_t(gridDim.x) * blockDim.x;
  const int64_t row_size = blockDim.x * a.pack, tile_size = row_size * a.rows, whole = a.rolled ? 0 : a.n / tile_size;
#pragma unroll 1
  for (int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x)
    for (unsigned r = 0; r < a.rows; r++) take<Program>(a, tile * tile_size + r * row_size + threadIdx.x * a.pack, a.pack, sums);
  const int64_t rest = a.rolled ? a.pack : 1;
#pragma unroll 1
  for (int64_t i = whole * tile_size + thread * rest; i < a.n; i += threads * rest) take<Program>(a, i, rest, sums);
}

// Visits all elements in the order of visit_in_order.
template <class Program> WF_FN void take_in_order(const Arguments& a, typename Program::Sums& sums) {
  const int64_t mine = a.pack * a.rows, tile_size = 32 * mine, tiles = (a.n + tile_size - 1) / tile_size;
  const int64_t warps = int64_t(gridDim.x) * (blockDim.x / 32), warp = int64_t(blockIdx.x) * (blockDim.x / 32) + warp_of_thread();
  const int64_t each = (tiles + warps - 1) / warps, begin = each * warp, end = begin + each < tiles ? begin + each : tiles;
#pragma unroll 1
  for (int64_t tile = begin; tile < end; tile++) {
    typename Program::Sums own = Program::none(a);
    take<Program>(a, tile * tile_size + lane_of_thread() * mine, mine, own);
    own = warp_reduce(own, Join<Program>{a});
    if (lane_of_thread() == 0) sums = Program::join(a, sums, own);
  }
}

// Runs a kernel over many elements, by many blocks.
template <class Program> WF_FN void many(const Arguments& a) {
  typename Program::Sums sums = Program::none(a);
  if (a.ordered) take_in_order<Program>(a, sums);
  else take_strided<Program>(a, sums);
  if (!a.has_finish || !grid_reduce<Program>(a, sums)) return;
  if (threadIdx.x == 0) Program::finish(a, sums, typename Program::Columns{});
}

template <class Program> WF_FN void interpret(const Arguments& a) {
  if (a.order == by_one_block) small<Program>(a);
  else many<Program>(a);
}

}  // namespace wf::interpreter

extern "C" __global__ void __launch_bounds__(wf::interpreter::most_threads, 2)
    warpfold(const __grid_constant__ wf::interpreter::Arguments a) {
  using namespace wf::interpreter;
  start(a);
  interpret<Interpreter<WF_COLUMNS>>(a);
}
