// Tiles of the streams on their way through shared memory, several tiles deep. On Hopper and later, aligned streams come by bulk
// copies that complete on a barrier, issued by one thread while all others compute; elsewhere the threads fetch element by
// element.
#pragma once

#include "memory.cuh"
#include "warp.cuh"

namespace wf {

WF_FN unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

#if __CUDA_ARCH__ >= 900

constexpr bool has_bulk_copies = true;
WF_FN void barrier_init(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
WF_FN void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// The phase is complete once that many bytes have arrived.
WF_FN void barrier_expect(uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}
WF_FN void barrier_wait(uint64_t* barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
}
// Shared memory that threads wrote or read before may be written by bulk copies after.
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

// The tiles that one block holds, number k of them in stage k % depth: one is walked for the last time, the next is folded. A third
// one would arrive meanwhile, but a tile that is claimed earlier is published later, and all behind it wait (on an H200 a scan
// that is summed took 503 us instead of 349 for 2^28 integers). A Program says how a tile is copied:
//   Stage                                one array a stream
//   bulk_bytes(count)                    of the first count elements of all streams, as far as they are multiples of 16
//   copy_bulk(a, i, count, stage, barrier)   bulk copies of these, from index i on
//   copy_rest(a, i, count, stage)        the others, by one warp
//   copy_one(a, i, stage, p)             the streams' elements at index i to place p
template <class Program>
struct Stages {
  static constexpr int depth = 2;
  static constexpr bool by_bulk = has_bulk_copies && Program::bulk;
  using Args = typename Program::Args;
  using Stage = typename Program::Stage;

  // In shared memory.
  struct Control {
    uint64_t full[depth];
    int64_t tile[4];  // of the tiles that the block holds and the one that it claims
  };

  const Args& a;
  Stage* stages;
  Control& control;
  const int tile_size;
  const int64_t tiles = (a.n + tile_size - 1) / tile_size;

  WF_MEMBER int64_t tile(int64_t k) const { return control.tile[k % 4]; }
  WF_MEMBER Stage& stage(int64_t k) const { return stages[k % depth]; }
  WF_MEMBER int elements(int64_t tile) const {
    const int64_t left = a.n - tile * tile_size;
    return left < tile_size ? int(left) : tile_size;
  }

  // By all threads.
  WF_MEMBER void start() const {
    if (threadIdx.x == 0) {
      for (int s = 0; s < depth; s++) barrier_init(&control.full[s]);
      barriers_ready();
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < depth; k++) next(k, claim());
    __syncthreads();
  }

  // Claims the next tile; known in thread 0. Tiles are claimed in order, so that every tile before one that is claimed is being worked
  // on: nobody waits for a block that has not started. A tile that is claimed early is published late, which others wait for: so
  // only as long before its stage is free as the answer takes (on an H200 a filter takes 2 percent less so than where it is claimed
  // when the stage is free, and 20 more where it is claimed before the look-back).
  WF_MEMBER int64_t claim() const { return threadIdx.x == 0 ? int64_t(atomicAdd(&a.counters->ticket, 1u)) : 0; }

  // Fetches the tile that was claimed as this block's k-th, by all threads, at a place where stage k is no longer read.
  WF_MEMBER void next(int64_t k, int64_t claimed) const {
    if (warp_of_thread() == 0) {
      if (lane_of_thread() == 0) control.tile[k % 4] = claimed;
      if (by_bulk) copy(int(k % depth), broadcast(claimed, 0));
    }
    __syncthreads();
    if (by_bulk) return;
    const int64_t tile = control.tile[k % 4];
    if (tile < tiles)
      for (int p = int(threadIdx.x); p < elements(tile); p += int(blockDim.x))
        Program::copy_one(a, tile * tile_size + p, stages[k % depth], p);
    __syncthreads();
  }

  // By one warp.
  WF_MEMBER void copy(int s, int64_t tile) const {
    const int count = tile < tiles ? elements(tile) : 0;
    if (count % 16 != 0) Program::copy_rest(a, tile * tile_size, count, stages[s]);
    __syncwarp();
    if (lane_of_thread() != 0) return;
    order_before_bulk_copies();
    barrier_expect(&control.full[s], Program::bulk_bytes(count));
    Program::copy_bulk(a, tile * tile_size, count, stages[s], &control.full[s]);
  }

  // Until the k-th tile has arrived.
  WF_MEMBER void wait(int64_t k) const {
    if (by_bulk) barrier_wait(&control.full[k % depth], unsigned(k / depth) & 1);
  }
};

}  // namespace wf
