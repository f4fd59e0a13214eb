// GPU memory of the contestants.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace bench {

inline void check(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s, line %d: %s\n", file, line, cudaGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) ::bench::check(call, __FILE__, __LINE__)

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

}  // namespace bench
