#include "cuda/device/blocks.h"

#include <algorithm>
#include <bit>
#include <new>

namespace wf::cuda {

size_t FreeBlocks::size_for(size_t bytes) {
  constexpr size_t least = 256;
  const size_t step = bytes <= largest ? std::max(least, std::bit_floor(bytes) / 4) : least;
  return (std::max(bytes, least) + step - 1) / step * step;
}

CUdeviceptr FreeBlocks::take(size_t size) noexcept {
  std::lock_guard lock(mutex_);
  auto of_size = by_size_.find(size);
  if (of_size == by_size_.end() || of_size->second.empty()) return 0;
  const CUdeviceptr block = of_size->second.back();
  of_size->second.pop_back();
  bytes_ -= size;
  return block;
}

bool FreeBlocks::put(CUdeviceptr block, size_t size) noexcept {
  std::lock_guard lock(mutex_);
  if (size > largest || bytes_ + size > most_bytes) return false;
  try {
    by_size_[size].push_back(block);
  } catch (const std::bad_alloc&) { return false; }
  bytes_ += size;
  return true;
}

std::vector<CUdeviceptr> FreeBlocks::clear() {
  std::lock_guard lock(mutex_);
  std::vector<CUdeviceptr> all;
  for (const auto& [size, blocks] : by_size_) all.insert(all.end(), blocks.begin(), blocks.end());
  by_size_.clear();
  bytes_ = 0;
  return all;
}

size_t FreeBlocks::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace wf::cuda
