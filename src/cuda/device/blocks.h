// A queue's free list of small blocks. Later work in the same queue runs after the block's last use, so reuse needs neither the driver
// nor an event. Threads with different queues do not contend. Any thread may call.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/device/driver.h"

namespace wf::cuda {

class FreeBlocks {
 public:
  static constexpr size_t largest = size_t(1) << 20;
  // Returns the size of a block for that many bytes. There are four sizes per power of two: at most a quarter is wasted, and blocks of
  // similar lengths are interchangeable. Sizes above `largest` are multiples of 256.
  static size_t size_for(size_t bytes);

  // Removes a block of that size and returns it, or returns 0 if there is none.
  CUdeviceptr take(size_t size) noexcept;
  // Adds a block. Returns false if the block is too large or the list is full.
  bool put(CUdeviceptr block, size_t size) noexcept;
  // Removes and returns all blocks.
  std::vector<CUdeviceptr> clear();
  size_t bytes() const;

 private:
  static constexpr size_t most_bytes = size_t(32) << 20;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<CUdeviceptr>> by_size_;
  size_t bytes_ = 0;
};

}  // namespace wf::cuda
