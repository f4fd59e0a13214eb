// CUB and Thrust implementations of the benchmarks' works, as a shared library:
//
//     nvcc -O3 -std=c++20 -arch=native -shared -Xcompiler -fPIC bench/cuda/*.cu -o build/bench/gpu_peers.so
//
// CUB is used at its best: fused iterators if they save a pass, scratch memory allocated once. Thrust is used as most programs are
// written, call by call.
#include <cstring>

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cub/cub.cuh>

#include "memory.cuh"
#include "programs.h"

namespace bench {
namespace {

struct Lift {
  __host__ __device__ int operator()(uint8_t c) const { return (c == '(') - (c == ')'); }
};
struct Even {
  __host__ __device__ bool operator()(int x) const { return (x & 1) == 0; }
};
struct Square {
  __host__ __device__ int operator()(int x) const { return int(unsigned(x) * unsigned(x)); }
};
struct ThreeTimesPlusOne {
  __host__ __device__ int operator()(int x) const { return int(3u * unsigned(x) + 1u); }
};
struct Step {
  __host__ __device__ float operator()(float x) const { return x * 1.0001f + 0.5f; }
};
struct EightSteps {
  __host__ __device__ float operator()(float x) const {
    for (int k = 0; k < 8; k++) x = Step()(x);
    return x;
  }
};
struct Plus {
  template <class T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Least {
  __host__ __device__ int operator()(int a, int b) const { return b < a ? b : a; }
};

constexpr auto on_gpu = thrust::device;

// ---- contestants with a scalar -------------------------------------------------------------------------------------------------

// A contestant whose run computes work(in, n), converted to double.
template <class T, class Work> class ScalarPeer : public GpuPeer {
 public:
  ScalarPeer(const void* input, int64_t n, Work work) : in_(input, n), n_(n), work_(std::move(work)) {}
  void run() override { value_ = double(work_(in_, n_)); }
  double value() override { return value_; }

 private:
  Memory<T> in_;
  int64_t n_;
  Work work_;
  double value_ = 0;
};
template <class T, class Work> GpuPeer* scalar_peer(const void* input, int64_t n, Work work) {
  return new ScalarPeer<T, Work>(input, n, std::move(work));
}

// A contestant whose run computes count = work(in, n, out); out has n elements.
template <class T, class In, class Work> class OutputPeer : public GpuPeer {
 public:
  OutputPeer(const void* input, int64_t n, Work work) : in_(input, n), out_(n), n_(n), work_(std::move(work)) {}
  void run() override {
    count_ = work_(in_, n_, out_);
    CHECK(cudaDeviceSynchronize());
  }
  int64_t output(void* host) override {
    CHECK(cudaMemcpy(host, out_, size_t(count_) * sizeof(T), cudaMemcpyDeviceToHost));
    return count_;
  }

 private:
  Memory<In> in_;
  Memory<T> out_;
  int64_t n_, count_ = 0;
  Work work_;
};
template <class T, class In = T, class Work> GpuPeer* output_peer(const void* input, int64_t n, Work work) {
  return new OutputPeer<T, In, Work>(input, n, std::move(work));
}

// Shared state for lambdas, which must be copyable.
template <class T> std::shared_ptr<Memory<T>> memory(int64_t n) { return std::make_shared<Memory<T>>(n); }
std::shared_ptr<Scratch> scratch() { return std::make_shared<Scratch>(); }

// ---- the works -----------------------------------------------------------------------------------------------------------------

using Made = GpuPeer*;

template <class T> Made cub_reduce(const void* input, int64_t n) {
  return scalar_peer<T>(input, n, [s = scratch(), out = memory<T>(1)](T* in, int64_t n) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, in, static_cast<T*>(*out), n); });
    return out->first();
  });
}
template <class T> Made thrust_reduce(const void* input, int64_t n) {
  return scalar_peer<T>(input, n, [](T* in, int64_t n) { return thrust::reduce(on_gpu, in, in + n); });
}

Made cub_parens(const void* input, int64_t n) {
  return scalar_peer<int>(input, n, [s = scratch(), r = scratch(), prefix = memory<int>(n), out = memory<int>(1)](int* in, int64_t n) {
    int* p = *prefix;
    (*s)([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, in, p, n); });
    (*r)([&](void* m, size_t& b) { return cub::DeviceReduce::Min(m, b, p, static_cast<int*>(*out), n); });
    int last;
    CHECK(cudaMemcpy(&last, p + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    return last == 0 && out->first() >= 0;
  });
}
Made thrust_parens(const void* input, int64_t n) {
  return scalar_peer<int>(input, n, [prefix = memory<int>(n)](int* in, int64_t n) {
    int *p = *prefix, last;
    thrust::inclusive_scan(on_gpu, in, in + n, p);
    CHECK(cudaMemcpy(&last, p + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    return last == 0 && thrust::reduce(on_gpu, p, p + n, 0, Least()) >= 0;
  });
}

Made cub_text(const void* input, int64_t n) {
  return scalar_peer<uint8_t>(
      input, n, [s = scratch(), r = scratch(), prefix = memory<int>(n), out = memory<int>(1)](uint8_t* in, int64_t n) {
        int* p = *prefix;
        (*s)([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, thrust::make_transform_iterator(in, Lift()), p, n); });
        (*r)([&](void* m, size_t& b) { return cub::DeviceReduce::Min(m, b, p, static_cast<int*>(*out), n); });
        int last;
        CHECK(cudaMemcpy(&last, p + n - 1, sizeof last, cudaMemcpyDeviceToHost));
        return last == 0 && out->first() >= 0;
      });
}
Made thrust_text(const void* input, int64_t n) {
  return scalar_peer<uint8_t>(input, n, [prefix = memory<int>(n)](uint8_t* in, int64_t n) {
    int *p = *prefix, last;
    thrust::transform(on_gpu, in, in + n, p, Lift());
    thrust::inclusive_scan(on_gpu, p, p + n, p);
    CHECK(cudaMemcpy(&last, p + n - 1, sizeof last, cudaMemcpyDeviceToHost));
    return last == 0 && thrust::reduce(on_gpu, p, p + n, 0, Least()) >= 0;
  });
}

template <class F> Made cub_map_reduce(const void* input, int64_t n) {
  return scalar_peer<float>(input, n, [s = scratch(), out = memory<float>(1)](float* in, int64_t n) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceReduce::TransformReduce(m, b, in, static_cast<float*>(*out), n, Plus(), F(), 0.0f); });
    return out->first();
  });
}
Made thrust_map8_reduce(const void* input, int64_t n) {
  return scalar_peer<float>(input, n, [mapped = memory<float>(n)](float* in, int64_t n) {
    float* x = *mapped;
    thrust::transform(on_gpu, in, in + n, x, Step());
    for (int k = 1; k < 8; k++) thrust::transform(on_gpu, x, x + n, x, Step());
    return thrust::reduce(on_gpu, x, x + n);
  });
}
Made thrust_small(const void* input, int64_t n) {
  return scalar_peer<float>(input, n,
                            [](float* in, int64_t n) { return thrust::transform_reduce(on_gpu, in, in + n, Step(), 0.0f, Plus()); });
}

template <class T> Made cub_scan(const void* input, int64_t n) {
  return output_peer<T>(input, n, [s = scratch()](T* in, int64_t n, T* out) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, in, out, n); });
    return n;
  });
}
template <class T> Made thrust_scan(const void* input, int64_t n) {
  return output_peer<T>(input, n, [](T* in, int64_t n, T* out) { return thrust::inclusive_scan(on_gpu, in, in + n, out) - out; });
}

Made cub_scan_square_reduce(const void* input, int64_t n) {
  return scalar_peer<int>(input, n, [s = scratch(), r = scratch(), prefix = memory<int>(n), out = memory<int>(1)](int* in, int64_t n) {
    int* p = *prefix;
    (*s)([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, in, p, n); });
    (*r)([&](void* m, size_t& b) { return cub::DeviceReduce::TransformReduce(m, b, p, static_cast<int*>(*out), n, Plus(), Square(), 0); });
    return out->first();
  });
}
Made thrust_scan_square_reduce(const void* input, int64_t n) {
  return scalar_peer<int>(input, n, [prefix = memory<int>(n)](int* in, int64_t n) {
    int* p = *prefix;
    thrust::inclusive_scan(on_gpu, in, in + n, p);
    return thrust::transform_reduce(on_gpu, p, p + n, Square(), 0, Plus());
  });
}

Made cub_filter(const void* input, int64_t n) {
  return output_peer<int>(input, n, [s = scratch(), count = memory<int64_t>(1)](int* in, int64_t n, int* out) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, in, out, static_cast<int64_t*>(*count), n, Even()); });
    return count->first();
  });
}
Made thrust_filter(const void* input, int64_t n) {
  return output_peer<int>(input, n, [](int* in, int64_t n, int* out) { return thrust::copy_if(on_gpu, in, in + n, out, Even()) - out; });
}

Made cub_filter_map_reduce(const void* input, int64_t n) {
  return scalar_peer<int>(
      input, n,
      [s = scratch(), r = scratch(), kept = memory<int>(n), count = memory<int64_t>(1), out = memory<int>(1)](int* in, int64_t n) {
        int* k = *kept;
        (*s)([&](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, in, k, static_cast<int64_t*>(*count), n, Even()); });
        const int64_t number = count->first();
        (*r)([&](void* m, size_t& b) {
          return cub::DeviceReduce::TransformReduce(m, b, k, static_cast<int*>(*out), m ? number : n, Plus(), ThreeTimesPlusOne(), 0);
        });
        return out->first();
      });
}
Made thrust_filter_map_reduce(const void* input, int64_t n) {
  return scalar_peer<int>(input, n, [kept = memory<int>(n)](int* in, int64_t n) {
    int *k = *kept, *end = thrust::copy_if(on_gpu, in, in + n, k, Even());
    return thrust::transform_reduce(on_gpu, k, end, ThreeTimesPlusOne(), 0, Plus());
  });
}

// ---- sorting and scattering -----------------------------------------------------------------------------------------------------

template <class T> Made cub_sort(const void* input, int64_t n) {
  return output_peer<T>(input, n, [s = scratch()](T* in, int64_t n, T* out) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceRadixSort::SortKeys(m, b, in, out, n); });
    return n;
  });
}

using Pair = uint2;  // a key and its position
struct ByKey {
  __host__ __device__ bool operator()(const Pair& a, const Pair& b) const { return a.x < b.x; }
};
struct ByQuotient {
  __host__ __device__ bool operator()(const Pair& a, const Pair& b) const {
    return uint64_t(a.x) * uint64_t(b.y + 1) < uint64_t(b.x) * uint64_t(a.y + 1);
  }
};
__global__ void set_positions(uint32_t* positions, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) positions[i] = uint32_t(i);
}
__global__ void set_pairs(const uint32_t* keys, Pair* pairs, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) pairs[i] = {keys[i], uint32_t(i)};
}
__global__ void get_positions(const Pair* pairs, uint32_t* positions, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) positions[i] = pairs[i].y;
}
unsigned blocks_of(int64_t n) { return unsigned((n + 255) / 256); }

// The output is the sorted positions.
Made cub_sort_pairs(const void* input, int64_t n) {
  auto positions = memory<uint32_t>(n), sorted = memory<uint32_t>(n);
  set_positions<<<blocks_of(n), 256>>>(*positions, n);
  return output_peer<uint32_t>(input, n, [s = scratch(), positions, sorted](uint32_t* in, int64_t n, uint32_t* out) {
    (*s)([&](void* m, size_t& b) {
      return cub::DeviceRadixSort::SortPairs(m, b, in, static_cast<uint32_t*>(*sorted), static_cast<uint32_t*>(*positions), out, n);
    });
    return n;
  });
}

// Structures of a key and a position, sorted by a functor; a copy of them, if in_place.
template <class Before> class PairSort : public GpuPeer {
 public:
  PairSort(const void* input, int64_t n, bool in_place) : pairs_(n), out_(n), n_(n), in_place_(in_place) {
    Memory<uint32_t> keys(input, n);
    set_pairs<<<blocks_of(n), 256>>>(keys, pairs_, n);
    CHECK(cudaDeviceSynchronize());
  }
  void run() override {
    if (in_place_) {
      CHECK(cudaMemcpyAsync(out_, pairs_, size_t(n_) * sizeof(Pair), cudaMemcpyDeviceToDevice));
      thrust::stable_sort(on_gpu, static_cast<Pair*>(out_), out_ + n_, Before());
    } else {
      scratch_([&](void* m, size_t& b) {
        return cub::DeviceMergeSort::StableSortKeysCopy(m, b, static_cast<Pair*>(pairs_), static_cast<Pair*>(out_), n_, Before());
      });
    }
    CHECK(cudaDeviceSynchronize());
  }
  int64_t output(void* host) override {
    Memory<uint32_t> positions(n_);
    get_positions<<<blocks_of(n_), 256>>>(out_, positions, n_);
    CHECK(cudaMemcpy(host, positions, size_t(n_) * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    return n_;
  }

 private:
  Memory<Pair> pairs_, out_;
  int64_t n_;
  bool in_place_;
  Scratch scratch_;
};
template <class Before, bool in_place> Made pair_sort(const void* input, int64_t n) { return new PairSort<Before>(input, n, in_place); }

Made cub_histogram(const void* input, int64_t n) {
  return output_peer<uint32_t, uint8_t>(input, n, [s = scratch()](uint8_t* in, int64_t n, uint32_t* out) {
    (*s)([&](void* m, size_t& b) { return cub::DeviceHistogram::HistogramEven(m, b, in, out, 257, 0, 256, n); });
    return int64_t(256);
  });
}

__global__ void add_by_atomics(const int4* indices, const int4* values, int* out, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int4 k = indices[i], x = values[i];
  atomicAdd(out + k.x, x.x);
  atomicAdd(out + k.y, x.y);
  atomicAdd(out + k.z, x.z);
  atomicAdd(out + k.w, x.w);
}
__global__ void set_values(int* values, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) values[i] = int(i & 1023);
}
// n is a multiple of 256; the sums are of n / 64 elements.
Made atomics_scatter_add(const void* input, int64_t n) {
  if (n % 256 != 0) return nullptr;
  auto values = memory<int>(n);
  set_values<<<blocks_of(n), 256>>>(*values, n);
  return output_peer<int>(input, n, [values](int* in, int64_t n, int* out) {
    CHECK(cudaMemsetAsync(out, 0, size_t(n / 64) * sizeof(int)));
    add_by_atomics<<<blocks_of(n / 4), 256>>>(reinterpret_cast<const int4*>(in), reinterpret_cast<const int4*>(static_cast<int*>(*values)),
                                              out, n / 4);
    return n / 64;
  });
}

// Copies n bytes from GPU memory to GPU memory.
class Copy : public GpuPeer {
 public:
  explicit Copy(int64_t n) : from_(n), to_(n), n_(n) { CHECK(cudaMemset(from_, 1, size_t(n))); }
  void run() override {
    CHECK(cudaMemcpyAsync(to_, from_, size_t(n_), cudaMemcpyDeviceToDevice));
    CHECK(cudaDeviceSynchronize());
  }

 private:
  Memory<char> from_, to_;
  int64_t n_;
};
Made device_copy(const void*, int64_t n) { return new Copy(n); }

struct Entry {
  const char *work, *type, *name;
  Made (*make)(const void* input, int64_t n);
};

constexpr Entry entries[] = {
    {"copy", "", "copy of GPU memory", device_copy},
    {"reduce", "i32", "cub reduce", cub_reduce<int>},
    {"reduce", "i32", "thrust reduce", thrust_reduce<int>},
    {"reduce", "f32", "cub reduce", cub_reduce<float>},
    {"reduce", "f32", "thrust reduce", thrust_reduce<float>},
    {"parens", "i32", "cub scan, cub reduce", cub_parens},
    {"parens", "i32", "thrust scan, thrust reduce", thrust_parens},
    {"parens_text", "u8", "cub scan of a fused iterator, reduce", cub_text},
    {"parens_text", "u8", "thrust transform, scan, reduce", thrust_text},
    {"map8_reduce", "f32", "cub, fused", cub_map_reduce<EightSteps>},
    {"map8_reduce", "f32", "thrust, call by call", thrust_map8_reduce},
    {"scan", "i32", "cub scan", cub_scan<int>},
    {"scan", "i32", "thrust scan", thrust_scan<int>},
    {"scan", "f32", "cub scan", cub_scan<float>},
    {"scan", "f32", "thrust scan", thrust_scan<float>},
    {"scan_square_reduce", "i32", "cub scan, cub transform_reduce", cub_scan_square_reduce},
    {"scan_square_reduce", "i32", "thrust scan, transform_reduce", thrust_scan_square_reduce},
    {"filter", "i32", "cub select", cub_filter},
    {"filter", "i32", "thrust copy_if", thrust_filter},
    {"filter_map_reduce", "i32", "cub select, cub transform_reduce", cub_filter_map_reduce},
    {"filter_map_reduce", "i32", "thrust copy_if, transform_reduce", thrust_filter_map_reduce},
    {"sort", "f32", "cub radix sort", cub_sort<float>},
    {"sort", "i32", "cub radix sort", cub_sort<int>},
    {"sort", "u64", "cub radix sort", cub_sort<uint64_t>},
    {"sort_pairs", "u32, u32", "cub radix sort", cub_sort_pairs},
    {"sort_pairs_by_function", "u32, u32", "thrust stable_sort of a copy", pair_sort<ByKey, true>},
    {"sort_pairs_by_function", "u32, u32", "cub merge sort", pair_sort<ByKey, false>},
    {"sort_pairs_by_quotient", "u32, u32", "thrust stable_sort of a copy", pair_sort<ByQuotient, true>},
    {"sort_pairs_by_quotient", "u32, u32", "cub merge sort", pair_sort<ByQuotient, false>},
    {"histogram", "u8", "cub histogram", cub_histogram},
    {"scatter_add", "i32", "atomics by hand", atomics_scatter_add},
    {"small", "f32", "cub, fused", cub_map_reduce<Step>},
    {"small", "f32", "thrust transform_reduce", thrust_small},
};

}  // namespace

extern "C" GpuPeer* open_gpu_peer(const char* work, const char* type, int k, const void* input, int64_t n, const char** name) {
  for (const Entry& entry : entries)
    if (std::strcmp(entry.work, work) == 0 && std::strcmp(entry.type, type) == 0 && k-- == 0) {
      *name = entry.name;
      return entry.make(input, n);
    }
  return open_program(work, k, input, n, name);
}

}  // namespace bench
