// Shared by the programs that are written with Thrust. Memory is allocated once or comes from a pool, calls wait only for results that the host
// needs, and iterators and functors are fused where that saves a pass.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include "../programs/peers.h"
#include "memory.cuh"
#include "programs.h"

namespace bench {

// The device's pool of memory, which keeps what is freed.
class Pool {
 public:
  using value_type = char;
  Pool() {
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  }
  char* allocate(std::ptrdiff_t bytes) {
    void* data = nullptr;
    CHECK(cudaMallocAsync(&data, size_t(bytes), nullptr));
    return static_cast<char*>(data);
  }
  void deallocate(char* data, size_t) { CHECK(cudaFreeAsync(data, nullptr)); }
};

inline auto on_gpu() {
  static Pool pool;
  return thrust::cuda::par_nosync(pool);
}

template <class T> auto count_from(T first) { return thrust::make_counting_iterator(first); }

// A program whose output is `count` elements, in GPU memory or on the host.
template <class T> class Program : public GpuPeer {
 public:
  int64_t output(void* host) override {
    CHECK(cudaMemcpy(host, result_, size_t(count_) * sizeof(T), cudaMemcpyDefault));
    return count_;
  }

 protected:
  void finish(const T* result, int64_t count) {
    result_ = result;
    count_ = count;
    CHECK(cudaDeviceSynchronize());
  }

 private:
  const T* result_ = nullptr;
  int64_t count_ = 0;
};

template <class Peer> GpuPeer* make(const void* input, int64_t n) { return new Peer(input, n); }

GpuPeer* make_hull(const void* points, int64_t n);
// The points of clusters are added by a pass per dimension, or sorted by cluster first.
GpuPeer* make_clusters(const void* input, int64_t n);
GpuPeer* make_sorted_clusters(const void* input, int64_t n);

}  // namespace bench
