// A pipeline of the streams' tiles through shared memory, several tiles deep. On Hopper and later, one thread loads aligned streams by
// bulk copies, which complete on a barrier, while all others compute. Otherwise the threads load element by element.
#pragma once

#include "memory.cuh"
#include "program.cuh"
#include "warp.cuh"

namespace wf {

#if __CUDA_ARCH__ >= 900

constexpr bool has_bulk_copies = true;
WF_FN unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
WF_FN void barrier_init(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
WF_FN void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// The barrier's phase completes when that many bytes have been copied.
WF_FN void barrier_expect(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
WF_FN void barrier_wait(uint64_t* barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(shared_address(barrier)), "r"(parity)
                 : "memory");
}
// Orders earlier accesses to shared memory by threads before later bulk copies to it.
WF_FN void order_before_bulk_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
// bytes is a multiple of 16, both addresses are aligned to 16.
WF_FN void bulk_copy(void* to, const void* from, unsigned bytes, uint64_t* barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
               "l"(from), "r"(bytes), "r"(shared_address(barrier))
               : "memory");
}

#else

constexpr bool has_bulk_copies = false;
WF_FN void barrier_init(uint64_t*) {}
WF_FN void barriers_ready() {}
WF_FN void barrier_expect(uint64_t*, unsigned) {}
WF_FN void barrier_wait(uint64_t*, unsigned) {}
WF_FN void order_before_bulk_copies() {}
WF_FN void bulk_copy(void*, const void*, unsigned, uint64_t*) {}

#endif

// A block's tiles: its k-th tile is in stage k % depth. One tile is read for the last time while the next is folded. A third stage would
// hide more latency, but a tile that is claimed earlier is published later, and all tiles after it wait: the scan is slower.
template <class Program> struct Stages {
  static constexpr int depth = 2;
  static constexpr bool by_bulk = has_bulk_copies && Program::bulk;
  using Args = typename Program::Args;
  using Stage = typename Program::Stage;

  // In shared memory.
  struct Control {
    uint64_t full[depth];
    int64_t tile[4];  // numbers of the block's tiles and of the tile that it claims
  };

  const Args& a;
  Stage* stages;
  Control& control;
  const int tile_size;
  const int64_t tiles = (a.n + tile_size - 1) / tile_size;

  // Returns true if a block's only tile has the block's number.
  WF_MEMBER bool each_has_one() const { return blocks_start_in_order && tiles <= gridDim.x; }
  WF_MEMBER int64_t tile(int64_t k) const { return control.tile[k % 4]; }
  WF_MEMBER Stage& stage(int64_t k) const { return stages[k % depth]; }
  WF_MEMBER int elements(int64_t tile) const {
    const int64_t left = a.n - tile * tile_size;
    return left < tile_size ? int(left) : tile_size;
  }

  // Called by all threads.
  WF_MEMBER void start() const {
    if (threadIdx.x == 0) {
      for (int s = 0; s < depth; s++) barrier_init(&control.full[s]);
      barriers_ready();
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < depth; k++) next(k, k == 0 && each_has_one() ? blockIdx.x : claim());
    __syncthreads();
  }

  // Claims the next tile; thread 0 receives its number. Tiles are claimed in order, so every tile before a claimed tile is claimed too: no
  // block waits for a block that has not started. Other blocks wait for a tile that is claimed early and published late. So the claim is
  // issued before its stage is free, but by no more than the latency of the atomic operation. A claim before the look-back costs more than it
  // hides (bench/results/gpu.md).
  WF_MEMBER int64_t claim() const {
    if (threadIdx.x != 0 || each_has_one()) return tiles;
    return int64_t(atomicAdd(&a.counters->ticket, 1u));
  }

  // Loads the tile that was claimed as this block's k-th. Called by all threads, when its stage is no longer read.
  WF_MEMBER void next(int64_t k, int64_t claimed) const {
    if (warp_of_thread() == 0) {
      if (lane_of_thread() == 0) control.tile[k % 4] = claimed;
      if (by_bulk) copy(int(k % depth), broadcast(claimed, 0));
    }
    __syncthreads();
    if (by_bulk) return;
    const int64_t tile = control.tile[k % 4];
    if (tile < tiles) {
      for (int p = int(threadIdx.x); p < elements(tile); p += int(blockDim.x))
        Program::copy_one(a, tile * tile_size + p, stages[k % depth], p);
      fill(tile, stages[k % depth], int(threadIdx.x), int(blockDim.x));
    }
    __syncthreads();
  }

  // Copies the last element to the places after it, if a kernel gathers (scan.cuh).
  WF_MEMBER void fill(int64_t tile, Stage& stage, int first, int step) const {
    if (!Program::gathers) return;
    for (int p = elements(tile) + first; p < tile_size; p += step) Program::copy_one(a, a.n - 1, stage, p);
  }

  // Called by one warp.
  WF_MEMBER void copy(int s, int64_t tile) const {
    const int count = tile < tiles ? elements(tile) : 0;
    if (count % 16 != 0) Program::copy_rest(a, tile * tile_size, count, stages[s]);
    if (count > 0) fill(tile, stages[s], lane_of_thread(), 32);
    __syncwarp();
    if (lane_of_thread() != 0) return;
    order_before_bulk_copies();
    barrier_expect(&control.full[s], Program::bulk_bytes(count));
    Program::copy_bulk(a, tile * tile_size, count, stages[s], &control.full[s]);
  }

  // Waits until the k-th tile is in shared memory.
  WF_MEMBER void wait(int64_t k) const {
    if (by_bulk) barrier_wait(&control.full[k % depth], unsigned(k / depth) & 1);
  }
};

}  // namespace wf
