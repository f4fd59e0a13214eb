// The interpreter for few elements, whatever a kernel does with them, and for maps and commutative reductions of many.
#pragma once

#include "interpreter.cuh"
#include "small.cuh"

namespace wf::interpreter {

// Many elements, by many blocks, in the order of visit_strided, or of visit_strided_rolled.
template <class Program>
WF_FN void strided(const Arguments& a) {
  const typename Program::Columns no_prefix{};
  typename Program::Sums sums = Program::none(a);
  const int64_t thread = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, threads = int64_t(gridDim.x) * blockDim.x;
  const int64_t row_size = blockDim.x * a.pack, tile_size = row_size * a.rows, whole = a.rolled ? 0 : a.n / tile_size;
  auto take = [&](int64_t i, int64_t count) {
#pragma unroll 1
    for (int64_t k = i; k < i + count && k < a.n; k++) Program::late(a, k, no_prefix, no_prefix, sums);
  };
#pragma unroll 1
  for (int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x)
    for (unsigned r = 0; r < a.rows; r++) take(tile * tile_size + r * row_size + threadIdx.x * a.pack, a.pack);
  const int64_t rest = a.rolled ? a.pack : 1;
#pragma unroll 1
  for (int64_t i = whole * tile_size + thread * rest; i < a.n; i += threads * rest) take(i, rest);
  if (!a.has_finish || !grid_reduce<Program>(a, sums)) return;
  if (threadIdx.x == 0) Program::finish(a, sums, no_prefix);
}

template <class Program>
WF_FN void interpret(const Arguments& a) {
  if (a.order == by_one_block) small<Program>(a);
  else strided<Program>(a);
}

}  // namespace wf::interpreter

extern "C" __global__ void __launch_bounds__(wf::interpreter::most_threads, 2) warpfold(const __grid_constant__ wf::interpreter::Arguments a) {
  using namespace wf::interpreter;
  start(a);
  if (a.sums <= 1 && a.locals <= 1) interpret<Program<1>>(a);
  else interpret<Program<most_columns>>(a);
}
