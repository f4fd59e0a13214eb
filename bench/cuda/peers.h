// What the shared library of peers.cu gives: contestants on the GPU. Both sides are compiled by the same host compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bench {

class GpuPeer {
 public:
  virtual ~GpuPeer() = default;
  virtual void run() = 0;                               // returns when a scalar is on the host, or an output complete on the GPU
  virtual double value() { return 0; }                  // the scalar
  virtual int64_t output(void* /*host*/) { return 0; }  // copies the output to the host; its number of elements
};

// The library's one function: the k-th contestant of that work over a copy of the n elements at `input`, and its name; null behind the
// last one. Work "copy" is a copy of n bytes from GPU memory to GPU memory.
extern "C" GpuPeer* open_gpu_peer(const char* work, const char* type, int k, const void* input, int64_t n, const char** name);

// All contestants of that work; none, and a line that says so once, where the library was not built.
std::vector<std::pair<std::string, std::shared_ptr<GpuPeer>>> open_gpu_peers(const std::string& work, const std::string& type,
                                                                             const void* input, int64_t n);

}  // namespace bench
