// CUB and Thrust implementations of the benchmarks' works, as a shared library:
//
//     nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC bench/cuda/peers.cu -o build/bench/gpu_peers.so
//
// CUB is used at its best: fused iterators if they save a pass, scratch memory allocated once. Thrust is used as most programs are
// written, call by call.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <cub/cub.cuh>

#include "peers.h"

namespace bench {
namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "peers.cu, line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

// n elements on the GPU.
template <class T> class Memory {
 public:
  explicit Memory(int64_t n) { CHECK(cudaMalloc(&data_, size_t(n) * sizeof(T))); }
  Memory(const void* from, int64_t n) : Memory(n) { CHECK(cudaMemcpy(data_, from, size_t(n) * sizeof(T), cudaMemcpyHostToDevice)); }
  Memory(const Memory&) = delete;
  ~Memory() { cudaFree(data_); }
  operator T*() const { return data_; }
  T first() const {
    T x;
    CHECK(cudaMemcpy(&x, data_, sizeof x, cudaMemcpyDeviceToHost));
    return x;
  }

 private:
  T* data_ = nullptr;
};

// CUB's scratch memory.
class Scratch {
 public:
  ~Scratch() { cudaFree(memory_); }
  template <class Call> void operator()(Call call) {
    if (!memory_) {
      CHECK(call(nullptr, bytes_));
      CHECK(cudaMalloc(&memory_, bytes_));
    }
    CHECK(call(memory_, bytes_));
  }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
};

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
template <class T, class Work> class OutputPeer : public GpuPeer {
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
  Memory<T> in_, out_;
  int64_t n_, count_ = 0;
  Work work_;
};
template <class T, class Work> GpuPeer* output_peer(const void* input, int64_t n, Work work) {
  return new OutputPeer<T, Work>(input, n, std::move(work));
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
  return nullptr;
}

}  // namespace bench
