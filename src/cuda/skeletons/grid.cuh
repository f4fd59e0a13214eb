// Reduction from threads to the grid: each block stores a partial result, and the last block to finish folds them in order and computes
// the kernel's scalars. No float atomics, no second launch.
#pragma once

#include "memory.cuh"
#include "program.cuh"
#include "warp.cuh"

namespace wf {

// Counters that are zero when a kernel starts and when it ends.
struct Counters {
  unsigned ticket, done;
};

// The fold of Sums.
template <class Program> struct Join {
  const typename Program::Args& a;
  WF_MEMBER typename Program::Sums operator()(const typename Program::Sums& x, const typename Program::Sums& y) const {
    return Program::join(a, x, y);
  }
};

// Returns the fold of the block's values in order, in thread 0. The loop body folds each warp's lanes, then the warps' results: it is
// written once, so that it is compiled once.
template <class Program> WF_FN typename Program::Sums block_reduce(const typename Program::Args& a, typename Program::Sums x) {
  constexpr int most_warps = Program::threads / 32;
  __shared__ typename Program::Sums slots[most_warps];
  const int warps = int(blockDim.x) / 32;
#pragma unroll 1
  for (bool of_warps = false;; of_warps = true) {
    if (!of_warps || warp_of_thread() == 0) x = warp_reduce(x, Join<Program>{a}, of_warps ? warps : 32);
    if (of_warps) return x;
    if (lane_of_thread() == 0) slots[warp_of_thread()] = x;
    __syncthreads();
    if (lane_of_thread() < warps) x = slots[lane_of_thread()];
    __syncthreads();
  }
}

// Returns true in all threads of the last block that calls it; earlier writes of the other blocks are visible to that block.
WF_FN bool is_last_block(Counters* counters) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&counters->done, 1u) == gridDim.x - 1;
    if (last) counters->done = counters->ticket = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

// Returns the fold of this thread's part of partials[0 .. count). The threads' parts are consecutive, in thread order.
template <class Program> WF_FN typename Program::Sums fold_partials(const typename Program::Args& a, unsigned count) {
  const auto* partials = static_cast<const typename Program::Sums*>(a.partials);
  typename Program::Sums mine = Program::none(a);
  const unsigned each = (count + blockDim.x - 1) / blockDim.x, begin = each * threadIdx.x;
#pragma unroll 1
  for (unsigned k = begin; k < begin + each && k < count; k++) mine = Program::join(a, mine, load_fresh(partials + k));
  return mine;
}

// Folds the grid's values in order. Returns true in the last block, with the result in `sums` of thread 0.
template <class Program> WF_FN bool grid_reduce(const typename Program::Args& a, typename Program::Sums& sums) {
#pragma unroll 1
  for (bool of_blocks = gridDim.x == 1;; of_blocks = true) {
    sums = block_reduce<Program>(a, sums);
    if (of_blocks) return true;
    if (threadIdx.x == 0) static_cast<typename Program::Sums*>(a.partials)[blockIdx.x] = sums;
    if (!is_last_block(a.counters)) return false;
    sums = fold_partials<Program>(a, gridDim.x);
  }
}

}  // namespace wf
