// What CUB and Thrust take for the works of this folder's neighbours, on the GPU at hand. Not part of the build:
//
//     nvcc -O3 -std=c++17 -arch=native bench/cuda/peers.cu -o peers && ./peers [LOG2 ...]
//
// CUB is at its best: fused iterators where they save a pass. GB/s count the fewest bytes that the work must move.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cub/cub.cuh>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, __LINE__)

double median_seconds(const std::function<void()>& work, int runs = 15) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int k = 0; k < 3; k++) work();
  std::vector<float> times(runs);
  for (float& ms : times) {
    CHECK(cudaEventRecord(begin));
    work();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[runs / 2] * 1e-3;
}

void row(const char* name, int64_t n, double bytes, const std::function<void()>& work) {
  const double seconds = median_seconds(work);
  std::printf("%-32s n=2^%-4.1f %9.4f ms %8.1f GB/s\n", name, std::log2(double(n)), seconds * 1e3, bytes / seconds * 1e-9);
}

// Scratch memory that CUB asks for once.
struct Scratch {
  void* memory = nullptr;
  size_t bytes = 0;
  ~Scratch() { cudaFree(memory); }
  template <class Call>
  void operator()(Call call) {
    if (!memory) {
      CHECK(call(nullptr, bytes));
      CHECK(cudaMalloc(&memory, bytes));
    }
    CHECK(call(memory, bytes));
  }
};

struct Sign { __host__ __device__ int operator()(int64_t i) const { return ((i * 2654435761ll >> 17) & 1) ? -1 : 1; } };
struct Text { __host__ __device__ uint8_t operator()(int64_t i) const { return uint8_t((i * 2654435761ll >> 17) % 7); } };
struct Lift { __host__ __device__ int operator()(uint8_t c) const { return (c == 1) - (c == 2); } };
struct Ramp { __host__ __device__ float operator()(int64_t i) const { return float(i * 7919 % 1000) - 499.0f; } };
struct Positive { __host__ __device__ bool operator()(int x) const { return x > 0; } };
struct Square { template <class T> __host__ __device__ T operator()(T x) const { return x * x; } };
struct HalfPlusOne { __host__ __device__ float operator()(float x) const { return x * 0.5f + 1.0f; } };
struct EightTimes {
  __host__ __device__ float operator()(float x) const {
    for (int k = 0; k < 8; k++) x = x * 0.5f + 1.0f;
    return x;
  }
};
struct Smaller { template <class T> __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; } };

template <class T, class F>
T* filled(int64_t n, F f) {
  T* x;
  CHECK(cudaMalloc(&x, n * sizeof(T)));
  thrust::transform(thrust::device, thrust::counting_iterator<int64_t>(0), thrust::counting_iterator<int64_t>(n), x, f);
  return x;
}

void run(int64_t n) {
  int *x = filled<int>(n, Sign()), *y;
  int* out;
  int64_t* count;
  CHECK(cudaMalloc(&y, n * sizeof(int)));
  CHECK(cudaMalloc(&out, 64));
  CHECK(cudaMalloc(&count, 64));
  row("copy", n, 8.0 * n, [&] { CHECK(cudaMemcpyAsync(y, x, n * 4, cudaMemcpyDeviceToDevice)); });
  { Scratch s; row("cub reduce i32", n, 4.0 * n, [&] { s([&](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, x, out, n); }); }); }
  Scratch scan, least;
  auto cub_scan = [&] { scan([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, x, y, n); }); };
  row("cub scan i32", n, 8.0 * n, cub_scan);
  row("cub scan + reduce (parens)", n, 4.0 * n, [&] {
    cub_scan();
    least([&](void* m, size_t& b) { return cub::DeviceReduce::Min(m, b, y, out, n); });
  });
  { Scratch s; row("cub scan + transform_reduce", n, 4.0 * n, [&] {
    cub_scan();
    s([&](void* m, size_t& b) { return cub::DeviceReduce::TransformReduce(m, b, y, out, n, cuda::std::plus<int>(), Square(), 0); });
  }); }
  { Scratch s; row("cub select i32, half kept", n, 6.0 * n, [&] { s([&](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, x, y, count, n, Positive()); }); }); }
  { Scratch s, r; row("cub select + transform_reduce", n, 4.0 * n, [&] {
    s([&](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, x, y, count, n, Positive()); });
    r([&](void* m, size_t& b) { return cub::DeviceReduce::TransformReduce(m, b, y, out, n / 2, cuda::std::plus<int>(), Square(), 0); });
  }); }
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  float *f = filled<float>(n, Ramp()), *g;
  CHECK(cudaMalloc(&g, n * sizeof(float)));
  float* total = reinterpret_cast<float*>(out);
  { Scratch s; row("cub reduce f32", n, 4.0 * n, [&] { s([&](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, f, total, n); }); }); }
  { Scratch s; row("cub scan f32", n, 8.0 * n, [&] { s([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, f, g, n); }); }); }
  { Scratch s; row("cub transform_reduce (map8)", n, 4.0 * n, [&] {
    s([&](void* m, size_t& b) { return cub::DeviceReduce::TransformReduce(m, b, f, total, n, cuda::std::plus<float>(), EightTimes(), 0.0f); });
  }); }
  row("thrust, eight transforms + reduce", n, 4.0 * n, [&] {
    thrust::transform(thrust::device, f, f + n, g, HalfPlusOne());
    for (int k = 1; k < 8; k++) thrust::transform(thrust::device, g, g + n, g, HalfPlusOne());
    volatile float sum = thrust::reduce(thrust::device, g, g + n);
    (void)sum;
  });
  CHECK(cudaFree(f));
  CHECK(cudaFree(g));
  uint8_t* text = filled<uint8_t>(n, Text());
  int* depth;
  CHECK(cudaMalloc(&depth, n * sizeof(int)));
  { Scratch s, r; auto lifted = thrust::make_transform_iterator(text, Lift()); row("cub scan + reduce (text)", n, 1.0 * n, [&] {
    s([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, lifted, depth, n); });
    r([&](void* m, size_t& b) { return cub::DeviceReduce::Min(m, b, depth, out, n); });
  }); }
  CHECK(cudaFree(text));
  CHECK(cudaFree(depth));
  CHECK(cudaFree(out));
  CHECK(cudaFree(count));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int k = 1; k < argc; k++) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {28, 30};
  for (int size : sizes) run(int64_t(1) << size);
}
