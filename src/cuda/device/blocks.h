// A queue's free blocks: a list of small ones, and the latest large ones. Later work in the same queue runs after the block's last use, so reuse needs
// neither the driver nor an event. Threads with different queues do not contend. Any thread may call.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/device/driver.h"

namespace wf::cuda {

class FreeBlocks {
 public:
  static constexpr size_t largest_small = size_t(1) << 20, largest = size_t(64) << 20;
  struct Block {
    CUdeviceptr address = 0;
    size_t size = 0;
  };
  // Returns the size of a block for that many bytes. There are four sizes per power of two: at most a quarter is wasted, and blocks of
  // similar lengths are interchangeable. Sizes above `largest_small` are multiples of 256.
  static size_t size_for(size_t bytes);

  // Removes a block of that size and returns it, or returns 0 if there is none.
  CUdeviceptr take(size_t size) noexcept;
  // Adds a block. Calls drop(b) for each block that has no room: this one if it is too large or small blocks fill their list, or the large ones that
  // were added first.
  template <class Drop> void put(Block block, const Drop& drop) noexcept {
    std::lock_guard lock(mutex_);
    if (!add(block)) return drop(block);
    size_t old = 0;
    for (; large_bytes_ > most_large_bytes; old++) {
      large_bytes_ -= large_[old].size;
      drop(large_[old]);
    }
    large_.erase(large_.begin(), large_.begin() + std::ptrdiff_t(old));
  }
  // Removes and returns all blocks.
  std::vector<CUdeviceptr> clear();
  size_t bytes() const;

 private:
  bool add(const Block& block) noexcept;

  static constexpr size_t most_small_bytes = size_t(32) << 20, most_large_bytes = size_t(128) << 20;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<CUdeviceptr>> by_size_;  // the small ones
  std::vector<Block> large_;                            // in the order in which they were added
  size_t small_bytes_ = 0, large_bytes_ = 0;
};

}  // namespace wf::cuda
