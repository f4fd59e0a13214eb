// The interface of the shared library of these files: contestants on the GPU. The same host compiler compiles both sides.
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
  virtual void run() = 0;                               // returns when the scalar is on the host, or the output complete on the GPU
  virtual double value() { return 0; }                  // the scalar
  virtual int64_t output(void* /*host*/) { return 0; }  // copies the output to the host, and returns its number of elements
};

// The library's only function. Returns the k-th contestant for `work` over a copy of the n elements at `input`, and sets its name; returns
// null after the last contestant. Work "copy" is a copy of n bytes from GPU memory to GPU memory.
extern "C" GpuPeer* open_gpu_peer(const char* work, const char* type, int k, const void* input, int64_t n, const char** name);

// Returns all contestants for `work`. If the library was not built, returns none and prints a message once.
std::vector<std::pair<std::string, std::shared_ptr<GpuPeer>>> open_gpu_peers(const std::string& work, const std::string& type,
                                                                             const void* input, int64_t n);

}  // namespace bench
