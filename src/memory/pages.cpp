#include "memory/pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <iterator>
#include <new>

namespace wf {

std::byte* Pages::take(size_t size) noexcept {
  auto best = runs_.end();
  for (auto run = runs_.begin(); run != runs_.end(); ++run)
    if (run->second >= size && (best == runs_.end() || run->second < best->second)) best = run;
  if (best == runs_.end()) return nullptr;
  // Takes the end of the run, so that the rest keeps its key in the map.
  best->second -= size;
  std::byte* taken = best->first + best->second;
  if (best->second == 0) runs_.erase(best);
  cached_ -= size;
  return taken;
}

// The system aligns to 4 KiB: one extra huge page is requested, and both ends are unmapped.
std::byte* Pages::map(size_t size) noexcept {
  if (size > SIZE_MAX - page) return nullptr;
  void* mapped = mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(mapped);
  size_t before = (page - reinterpret_cast<uintptr_t>(begin) % page) % page;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, page - before);
  madvise(begin + before, size, MADV_HUGEPAGE);
  return begin + before;
}

void Pages::unmap(std::byte* run, size_t size) noexcept { munmap(run, size); }

void Pages::put(std::byte* run, size_t size) noexcept {
  auto after = runs_.lower_bound(run);
  bool joins_after = after != runs_.end() && run + size == after->first;
  if (after != runs_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == run) {
      before->second += size + (joins_after ? after->second : 0);
      if (joins_after) runs_.erase(after);
      cached_ += size;
      return;
    }
  }
  if (joins_after) {
    auto node = runs_.extract(after);
    node.key() = run;
    node.mapped() += size;
    runs_.insert(std::move(node));
    cached_ += size;
    return;
  }
  try {
    runs_.emplace(run, size);
    cached_ += size;
  } catch (const std::bad_alloc&) { unmap(run, size); }
}

size_t Pages::trim() noexcept {
  for (auto [run, size] : runs_) unmap(run, size);
  runs_.clear();
  size_t freed = cached_;
  cached_ = 0;
  return freed;
}

}  // namespace wf
