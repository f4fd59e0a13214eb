// Kernels over few elements, by one block: each thread processes a run of consecutive elements. Tiles, packs and look-back save no time
// at this size, and a kernel without them compiles faster.
//
// The order of folds depends only on n and the number of threads, so interpreted and compiled kernels have the same bits.
#pragma once

#include "grid.cuh"

namespace wf {

// Returns the exclusive prefix of this thread; `total` is the fold of all threads. The loop body scans each warp, then the warps'
// results in the first warp. It is written once, as in block_reduce.
template <class Program>
WF_FN typename Program::Local block_scan(const typename Program::Args& a, typename Program::Local x, typename Program::Local& total) {
  using Local = typename Program::Local;
  constexpr int most_warps = Program::threads / 32;
  __shared__ Local up_to_warp[most_warps];
  const int warps = int(blockDim.x) / 32;
  Local before = Program::local_identity(a);
#pragma unroll 1
  for (bool of_warps = false;; of_warps = true) {
    if (!of_warps || warp_of_thread() == 0) x = warp_scan(x, Combine<Program>{a});
    if (of_warps) break;
    const Local left = shuffle_up(x, 1);
    if (lane_of_thread() > 0) before = left;
    if (lane_of_thread() == 31) up_to_warp[warp_of_thread()] = x;
    __syncthreads();
    x = lane_of_thread() < warps ? up_to_warp[lane_of_thread()] : Program::local_identity(a);
    __syncthreads();
  }
  if (warp_of_thread() == 0 && lane_of_thread() < warps) up_to_warp[lane_of_thread()] = x;
  __syncthreads();
  total = up_to_warp[warps - 1];
  return warp_of_thread() == 0 ? before : Program::combine(a, up_to_warp[warp_of_thread() - 1], before);
}

template <class Program> WF_FN void small(const typename Program::Args& a) {
  using Local = typename Program::Local;
  const int64_t each = (a.n + blockDim.x - 1) / blockDim.x, begin = each * threadIdx.x;
  const int64_t end = begin + each < a.n ? begin + each : a.n;
  Program::check_segments(a);
  Local before = Program::local_identity(a), total = before;
  Checks checks = Program::recorder(a), recorded;
  if (Program::has_locals(a)) {
#pragma unroll 1
    for (int64_t i = begin; i < end; i++) before = Program::combine(a, before, Program::early(a, i, checks));
    before = block_scan<Program>(a, before, total);
  }
  typename Program::Sums sums = Program::none(a);
#pragma unroll 1
  for (int64_t i = begin; i < end; i++) {
    Local after = before;
    if (Program::has_locals(a)) after = Program::combine(a, before, Program::early(a, i, recorded));
    Program::late(a, i, before, after, sums);
    before = after;
  }
  if (!Program::has_finish(a)) return;
  __syncthreads();
  if (Program::has_sums(a)) sums = block_reduce<Program>(a, sums);
  // Not joined: results over no elements are the given identities, even if they are not neutral.
  if (a.n == 0) sums = Program::none(a), total = Program::local_identity(a);
  if (threadIdx.x == 0) Program::finish(a, sums, total);
}

}  // namespace wf
