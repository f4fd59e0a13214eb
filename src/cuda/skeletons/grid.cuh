// From threads to the grid: each block leaves a partial result, and the last block to finish folds them in order and computes
// the kernel's scalars. No float atomics, no second launch.
#pragma once

#include "memory.cuh"
#include "warp.cuh"

namespace wf {

// Counters that are zero when a kernel starts and that it leaves as zero.
struct Counters {
  unsigned ticket, done;
};

// Program::Sums is what all reductions of a kernel carry; join is their fold, none its identity.
template <class Program>
struct Join {
  const typename Program::Args& a;
  WF_MEMBER typename Program::Sums operator()(const typename Program::Sums& x, const typename Program::Sums& y) const {
    return Program::join(a, x, y);
  }
};

// The block's values in order; in thread 0. The same fold twice, of each warp's lanes and of the warps' results: written once, so
// that it is compiled once.
template <class Program>
WF_FN typename Program::Sums block_reduce(const typename Program::Args& a, typename Program::Sums x) {
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

// True in all threads of the block that comes here last; what the others wrote before is visible to it.
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

// This thread's part of partials[0 .. count): all threads' parts in order are all of them.
template <class Program>
WF_FN typename Program::Sums fold_partials(const typename Program::Args& a, unsigned count) {
  const auto* partials = static_cast<const typename Program::Sums*>(a.partials);
  typename Program::Sums mine = Program::none(a);
  const unsigned each = (count + blockDim.x - 1) / blockDim.x, begin = each * threadIdx.x;
#pragma unroll 1
  for (unsigned k = begin; k < begin + each && k < count; k++) mine = Program::join(a, mine, load_fresh(partials + k));
  return mine;
}

// The grid's values in order: true, and they in `sums` of thread 0, in the block that comes last.
template <class Program>
WF_FN bool grid_reduce(const typename Program::Args& a, typename Program::Sums& sums) {
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
