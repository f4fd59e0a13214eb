// Tiles of the streams on their way through shared memory, several tiles deep. On Hopper and later, whole tiles of aligned
// streams come by bulk copies that complete on a barrier, issued by one thread while all others compute; elsewhere the
// threads fetch element by element.
#pragma once

#include "memory.cuh"

namespace wf {

WF_FN unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

#if __CUDA_ARCH__ >= 900

constexpr bool has_bulk_copies = true;
WF_FN void barrier_init(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
WF_FN void barriers_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
WF_FN void barrier_arrive(uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
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
WF_FN void barrier_arrive(uint64_t*) {}
WF_FN void barrier_expect(uint64_t*, unsigned) {}
WF_FN void barrier_wait(uint64_t*, unsigned) {}
WF_FN void order_before_bulk_copies() {}
WF_FN void bulk_copy(void*, const void*, unsigned, uint64_t*) {}

#endif

// The tiles that one block holds, number k of them in stage k % depth. A Program says how a tile is copied:
//   Stage                       one array a stream
//   stage_bytes                 of a whole tile of all streams
//   copy_tile(a, i, stage, barrier)   bulk copies of the tile from index i on
//   copy_one(a, i, stage, p)    the streams' elements at index i to place p
template <class Program>
struct Stages {
  static constexpr int depth = Program::stages;
  static constexpr int64_t tile_size = int64_t(Program::threads) * Program::pack * Program::rows;
  static constexpr bool by_bulk = has_bulk_copies && Program::bulk;
  using Args = typename Program::Args;
  using Stage = typename Program::Stage;

  // In shared memory.
  struct Control {
    uint64_t full[depth];
    int64_t tile[depth];
  };

  const Args& a;
  Stage* stages;
  Control& control;
  const int64_t tiles;

  WF_MEMBER int64_t tile(int64_t k) const { return control.tile[k % depth]; }
  WF_MEMBER const Stage& stage(int64_t k) const { return stages[k % depth]; }
  WF_MEMBER bool is_whole(int64_t tile) const { return (tile + 1) * tile_size <= a.n; }

  // By all threads, with a __syncthreads before and after.
  WF_MEMBER void start() const {
    if (threadIdx.x == 0) {
      for (int s = 0; s < depth; s++) barrier_init(&control.full[s]);
      barriers_ready();
    }
    __syncthreads();
    for (int s = 0; s < depth; s++) next(s);
  }

  // Claims a tile as this block's k-th and begins to fetch it. Tiles are claimed in order, so that every tile before one that
  // is claimed is being worked on: nobody waits for a block that has not started. By all threads, at a place where stage k
  // is no longer read.
  WF_MEMBER void next(int64_t k) const {
    const int s = int(k % depth);
    if (threadIdx.x == 0) {
      const int64_t tile = atomicAdd(&a.counters->ticket, 1u);
      control.tile[s] = tile;
      if (by_bulk) {
        order_before_bulk_copies();
        if (tile < tiles && is_whole(tile)) {
          barrier_expect(&control.full[s], Program::stage_bytes);
          Program::copy_tile(a, tile * tile_size, stages[s], &control.full[s]);
        } else {
          barrier_arrive(&control.full[s]);
        }
      }
    }
    __syncthreads();
    const int64_t tile = control.tile[s];
    if (tile < tiles && !(by_bulk && is_whole(tile))) {
      const int64_t first = tile * tile_size;
      for (int64_t p = threadIdx.x; p < tile_size && first + p < a.n; p += Program::threads)
        Program::copy_one(a, first + p, stages[s], int(p));
      __syncthreads();
    }
  }

  // Until the k-th tile has arrived.
  WF_MEMBER void wait(int64_t k) const {
    if (by_bulk) barrier_wait(&control.full[k % depth], unsigned(k / depth) & 1);
  }
};

}  // namespace wf
