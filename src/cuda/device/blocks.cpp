#include "cuda/device/blocks.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

namespace wf::cuda {

size_t FreeBlocks::size_for(size_t bytes) {
  constexpr size_t least = 256;
  const size_t step = bytes <= largest_small ? std::max(least, std::bit_floor(bytes) / 4) : least;
  return (std::max(bytes, least) + step - 1) / step * step;
}

CUdeviceptr FreeBlocks::take(size_t size) noexcept {
  std::lock_guard lock(mutex_);
  if (size > largest_small) {
    const auto latest = std::ranges::find(large_.rbegin(), large_.rend(), size, &Block::size);
    if (latest == large_.rend()) return 0;
    const CUdeviceptr address = latest->address;
    large_.erase(std::prev(latest.base()));
    large_bytes_ -= size;
    return address;
  }
  auto of_size = by_size_.find(size);
  if (of_size == by_size_.end() || of_size->second.empty()) return 0;
  const CUdeviceptr block = of_size->second.back();
  of_size->second.pop_back();
  small_bytes_ -= size;
  return block;
}

bool FreeBlocks::add(const Block& block) noexcept {
  try {
    if (block.size > largest) return false;
    if (block.size > largest_small) {
      large_.push_back(block);
      large_bytes_ += block.size;
      return true;
    }
    if (small_bytes_ + block.size > most_small_bytes) return false;
    by_size_[block.size].push_back(block.address);
    small_bytes_ += block.size;
    return true;
  } catch (const std::bad_alloc&) { return false; }
}

std::vector<CUdeviceptr> FreeBlocks::clear() {
  std::lock_guard lock(mutex_);
  std::vector<CUdeviceptr> all;
  for (const auto& [size, blocks] : by_size_) all.insert(all.end(), blocks.begin(), blocks.end());
  for (const Block& block : large_) all.push_back(block.address);
  by_size_.clear();
  large_.clear();
  small_bytes_ = large_bytes_ = 0;
  return all;
}

size_t FreeBlocks::bytes() const {
  std::lock_guard lock(mutex_);
  return small_bytes_ + large_bytes_;
}

}  // namespace wf::cuda
