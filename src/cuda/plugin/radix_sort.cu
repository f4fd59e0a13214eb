// The plugin for code that nvcc compiles ahead of time: sorting by keys with CUB's radix sort.
//
// A column of 4 bytes beside one key is sorted with it. Otherwise the positions are, and each column is read in their order. Several keys are
// sorted one after another, the last one first: every sort is stable.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (2022), which CUB implements.
#include "cuda/routines/radix_sort.h"

#include <cstring>

#include "cuda/device/plugin.h"
#include "cuda/plugin/leading_bits.cuh"

namespace wf::cuda {
namespace {

__global__ void set_positions(Position* positions, Position n) {
  const Position i = blockIdx.x * threads + threadIdx.x;
  if (i < n) positions[i] = i;
}

template <class T> __global__ void gather(const T* from, const Position* positions, T* to, Position n) {
  const Position i = blockIdx.x * threads + threadIdx.x;
  if (i < n) to[i] = __ldg(from + positions[i]);
}

// The pieces of the working memory, each aligned; only their sizes are added up if there is no memory yet.
class Memory {
 public:
  explicit Memory(void* begin) : begin_(static_cast<char*>(begin)) {}
  template <class T> T* take(size_t count) {
    char* const piece = begin_ ? begin_ + used_ : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  size_t used() const { return used_; }

 private:
  char* const begin_;
  size_t used_ = 0;
};

// One sort. Without memory its steps only find the bytes that CUB needs.
class Steps {
 public:
  Steps(const RadixSort& sort, void* memory)
      : sort_(sort), n_(Position(sort.n)), measures_(!memory), stream_(static_cast<cudaStream_t>(sort.stream)), memory_(memory) {
    carries_ = sort.keys == 1 && sort.count == 2 && sort.columns[1].bytes == 4;
    if (sort.count == 1 || carries_) return;
    for (Position*& positions : positions_) positions = memory_.take<Position>(n_);
    if (sort.keys > 1)
      for (void*& key : keys_) key = memory_.take<uint64_t>(n_);
  }

  size_t run() {
    for (int32_t k = sort_.keys; k-- > 0;) {
      const RadixSort::Column& key = sort_.columns[k];
      const bool is_first = k == sort_.keys - 1, is_last = k == 0;
      if (!is_first) gather_column(key, keys_[0]);
      sort_by(key, is_first ? key.in : keys_[0], is_last ? key.out : keys_[1], is_first);
    }
    if (!carries_)
      for (int32_t k = 1; k < sort_.count; k++) gather_column(sort_.columns[k], sort_.columns[k].out);
    return memory_.used() + cub_bytes_;
  }

  cudaError_t error() const { return error_; }

 private:
  void sort_by(const RadixSort::Column& key, const void* from, void* to, bool is_first) {
    const Position* values = nullptr;
    Position* sorted_values = nullptr;
    if (carries_) {
      values = static_cast<const Position*>(sort_.columns[1].in);
      sorted_values = static_cast<Position*>(sort_.columns[1].out);
    } else if (sort_.count > 1) {
      if (is_first) launch([&](unsigned blocks) { set_positions<<<blocks, threads, 0, stream_>>>(positions_[0], n_); });
      values = positions_[0];
      sorted_values = positions_[1];
      swap();
    }
    with_type(key, [&](auto example) {
      if (sort_.descending) sort_words<Key<decltype(example), true>>(from, to, values, sorted_values);
      else sort_words<Key<decltype(example), false>>(from, to, values, sorted_values);
    });
  }

  void swap() {
    Position* const positions = positions_[0];
    positions_[0] = positions_[1];
    positions_[1] = positions;
  }

  template <class K> void sort_words(const void* from, void* to, const Position* values, Position* sorted_values) {
    const KeySort<K> sort{static_cast<const K*>(from), static_cast<K*>(to), sort_.count > 1, values, sorted_values, n_, stream_};
    size_t bytes = 0;
    keep(sort.run(nullptr, bytes, 0, 8 * sizeof(K)));
    if (bytes > cub_bytes_) cub_bytes_ = bytes;
    if (measures_ || error_ != cudaSuccess) return;
    void* const memory = Memory(memory_).template take<char>(bytes);
    if constexpr (sizeof(K) >= 4) {
      if (n_ >= fewest_to_sample<K>) {
        LeadingBitsSort<K> by_leading_bits(sort, memory, bytes);
        if (by_leading_bits.run()) return;
        keep(by_leading_bits.error());
        if (error_ != cudaSuccess) return;
      }
    }
    keep(sort.run(memory, bytes, 0, 8 * sizeof(K)));
  }

  void gather_column(const RadixSort::Column& column, void* to) {
    if (column.bytes == 1) gather_words<uint8_t>(column.in, to);
    else if (column.bytes == 4) gather_words<uint32_t>(column.in, to);
    else gather_words<uint64_t>(column.in, to);
  }
  template <class T> void gather_words(const void* from, void* to) {
    launch([&](unsigned blocks) {
      gather<<<blocks, threads, 0, stream_>>>(static_cast<const T*>(from), positions_[0], static_cast<T*>(to), n_);
    });
  }

  template <class Use> static void with_type(const RadixSort::Column& key, Use use) {
    if (key.bytes == 1) use(uint8_t());
    else if (key.bytes == 4 && key.kind == RadixSort::Unsigned) use(uint32_t());
    else if (key.bytes == 4 && key.kind == RadixSort::Signed) use(int32_t());
    else if (key.bytes == 4) use(float());
    else if (key.kind == RadixSort::Unsigned) use((unsigned long long)0);
    else if (key.kind == RadixSort::Signed) use((long long)0);
    else use(double());
  }

  template <class Launch> void launch(Launch launch) {
    if (measures_ || error_ != cudaSuccess) return;
    launch(unsigned((sort_.n + threads - 1) / threads));
    keep(cudaGetLastError());
  }
  void keep(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }

  const RadixSort& sort_;
  const Position n_;
  const bool measures_;
  const cudaStream_t stream_;
  Memory memory_;
  Position* positions_[2] = {};  // the current ones first
  void* keys_[2] = {};
  bool carries_;
  size_t cub_bytes_ = 0;
  cudaError_t error_ = cudaSuccess;
};

const char* radix_sort(const RadixSort& sort, void* memory, size_t& bytes) {
  Steps steps(sort, memory);
  const size_t needed = steps.run();
  if (!memory) bytes = needed;
  if (steps.error() == cudaSuccess) return nullptr;
  cudaGetLastError();  // CUB's next call would find the error again
  return cudaGetErrorString(steps.error());
}

void* find(const char* name) { return std::strcmp(name, RadixSort::name) == 0 ? reinterpret_cast<void*>(&radix_sort) : nullptr; }

}  // namespace
}  // namespace wf::cuda

extern "C" __attribute__((visibility("default"))) const wf::cuda::Plugin* warpfold_cuda_plugin() {
  static const wf::cuda::Plugin plugin{wf::cuda::Plugin::current_version, wf::cuda::find};
  return &plugin;
}
