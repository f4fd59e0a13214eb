#include "cuda/executable.h"

#include <algorithm>

namespace wf::cuda {

Executable::Executable(const Device& device, CUfunction function, const Form& form, Signature signature, int threads, uint32_t shared_bytes)
    : device_(device), function_(function), form_(form), signature_(std::move(signature)), threads_(threads), shared_bytes_(shared_bytes) {
  check(device.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_multiprocessor_, function_, threads_, shared_bytes_),
        "querying a kernel's occupancy");
}

int64_t Executable::blocks(int64_t n, int64_t tiles) const {
  if (chained()) return std::clamp<int64_t>(tiles, 1, resident_blocks());
  if (form_.skeleton == Skeleton::Small) return 1;
  return independent_blocks(n, tiles);
}

int64_t Executable::reducing_blocks(int64_t tiles) const {
  const int64_t each = form_.blocks > 0 ? form_.blocks : device_.threads_per_multiprocessor() / form_.threads;
  return std::clamp<int64_t>(tiles, 1, device_.multiprocessors() * each);
}

void Executable::launch(CUfunction function, const Queue& queue, int64_t blocks, void* parameter) const {
  void* parameters[] = {parameter};
  check(queue.driver().cuLaunchKernel(function, unsigned(blocks), 1, 1, unsigned(threads_), 1, 1, shared_bytes_, queue.stream, parameters,
                                      nullptr),
        "launching a kernel");
}

CUmodule load_module(const Device& device, const void* code) {
  CUmodule module = nullptr;
  check(device.driver().cuModuleLoadData(&module, code), "loading a kernel");
  return module;
}

CUfunction function_of(const Device& device, CUmodule module, const char* name) {
  CUfunction function = nullptr;
  check(device.driver().cuModuleGetFunction(&function, module, name), "finding a kernel");
  return function;
}

void copy_words(const Queue& queue, CUdeviceptr to, std::span<const uint64_t> words) {
  check(queue.driver().cuMemcpyHtoDAsync(to, words.data(), words.size_bytes(), queue.stream), "copying a kernel's arguments");
}

}  // namespace wf::cuda
