// Small blocks that were released in a queue, for the same queue to use again: what is put into the queue later finds them free, so
// neither the driver nor an event is needed, and threads with queues of their own do not meet. Any thread may call.
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
  // The size that a block of so many bytes has: four sizes to each power of two, so that at most a quarter is lost, and blocks of
  // nearly one length can take each other's place. Larger ones are multiples of 256.
  static size_t size_for(size_t bytes);

  // 0 where there is none of that size.
  CUdeviceptr take(size_t size) noexcept;
  // False where enough is kept already.
  bool put(CUdeviceptr block, size_t size) noexcept;
  // All of them, which are no longer kept.
  std::vector<CUdeviceptr> clear();
  size_t bytes() const;

 private:
  static constexpr size_t most_bytes = size_t(32) << 20;
  mutable std::mutex mutex_;
  std::map<size_t, std::vector<CUdeviceptr>> by_size_;
  size_t bytes_ = 0;
};

}  // namespace wf::cuda
