// A pool allocates blocks of 2 MiB and more as runs of huge pages (pages.h), smaller ones from free lists by size class.
// live + cached never exceeds the limit; the cache never exceeds half of the limit or of the machine's memory.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "expr/mutex.h"
#include "memory/buffer.h"
#include "memory/pages.h"

namespace wf {

namespace {

// Size classes below 2 MiB: multiples of 64 up to 512, then four to each power of two, so that at most a quarter is lost.
constexpr int linear_classes = 8;
constexpr int class_count = linear_classes + 4 * 12;

constexpr int class_of(size_t bytes) {
  if (bytes <= 64 * linear_classes) return bytes == 0 ? 0 : int((bytes - 1) / 64);
  int octave = std::bit_width(bytes - 1) - 1;  // 2^octave < bytes <= 2^(octave + 1)
  int quarter = int((bytes - 1) >> (octave - 2)) & 3;
  return linear_classes + 4 * (octave - 9) + quarter;
}
constexpr size_t class_size(int k) {
  if (k < linear_classes) return 64 * size_t(k + 1);
  int octave = 9 + (k - linear_classes) / 4, quarter = (k - linear_classes) % 4;
  return (size_t(1) << octave) + (size_t(quarter + 1) << (octave - 2));
}
static_assert(class_size(class_of(513)) == 640 && class_size(class_of(640)) == 640 && class_size(class_of(641)) == 768);
static_assert(class_of(Pages::page - 1) == class_count - 1 && class_size(class_count - 1) == Pages::page);

constexpr bool is_large(size_t bytes) { return bytes >= Pages::page; }
constexpr size_t block_size(size_t bytes) { return is_large(bytes) ? Pages::round_up(bytes) : class_size(class_of(bytes)); }

size_t physical_memory() { return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGE_SIZE)); }

}  // namespace

struct Pool::State {
  struct FreeBlock {
    FreeBlock* next;
  };

  Mutex mutex;
  int64_t limit = -1, live = 0, peak = 0;
  int64_t until_failure = 0;  // 0: never
  std::array<FreeBlock*, class_count> free{};
  size_t small_cached = 0;
  Pages pages;
  const size_t physical = physical_memory();
  std::shared_ptr<DeviceMemory> device;
  std::set<Buffer*> evictable;
  std::atomic<size_t> idle{0};  // bytes of shrunk blocks

  size_t cached() const { return small_cached + pages.cached(); }

  // Returns true if the limit allows `size` more bytes, live or cached, in addition to the live bytes and `cached`.
  bool fits(size_t size, size_t cached) const {
    if (limit < 0) return true;
    size_t used = size_t(live) + cached;
    return used <= size_t(limit) && size <= size_t(limit) - used;
  }
  bool may_cache(size_t size) const {
    size_t most = (limit >= 0 ? std::min(physical, size_t(limit)) : physical) / 2;
    return cached() + size <= most && fits(size, cached());
  }

  size_t trim() noexcept {
    size_t freed = small_cached + pages.trim();
    for (FreeBlock*& list : free)
      while (list) std::free(std::exchange(list, list->next));
    small_cached = 0;
    return freed;
  }

  void* from_cache(size_t size) noexcept {
    if (is_large(size)) return pages.take(size);
    FreeBlock*& list = free[class_of(size)];
    if (!list) return nullptr;
    small_cached -= size;
    return std::exchange(list, list->next);
  }
  void to_cache(void* block, size_t size) noexcept {
    if (is_large(size)) return pages.put(static_cast<std::byte*>(block), size);
    FreeBlock*& list = free[class_of(size)];
    list = new (block) FreeBlock{list};
    small_cached += size;
  }
  static void* from_system(size_t size) noexcept { return is_large(size) ? Pages::map(size) : std::aligned_alloc(alignment, size); }
  static void to_system(void* block, size_t size) noexcept {
    if (is_large(size)) return Pages::unmap(static_cast<std::byte*>(block), size);
    std::free(block);
  }

  // Trims the cache first if the limit or the system has no more.
  void* take(size_t size) noexcept {
    if (void* block = from_cache(size)) return block;
    if (!fits(size, cached())) trim();
    if (!fits(size, 0)) return nullptr;
    if (void* block = from_system(size)) return block;
    return trim() > 0 ? from_system(size) : nullptr;
  }
  // A block of the device. If it has no more, trims the device's own cache, then evicts device copies that the host has too.
  DeviceMemory::Block take_on_device(size_t bytes, DeviceMemory::For purpose) {
    auto attempt = [&]() -> DeviceMemory::Block {
      if (!fits(bytes, cached())) trim();
      return fits(bytes, 0) ? device->allocate(bytes, purpose) : DeviceMemory::Block{};
    };
    DeviceMemory::Block block = attempt();
    if (!block.address && device->trim() > 0) block = attempt();
    while (!block.address && evict_one()) {
      device->trim();
      block = attempt();
    }
    return block;
  }
  bool evict_one() noexcept {
    for (Buffer* buffer : evictable) {
      const int64_t bytes = int64_t(buffer->block_.bytes);
      if (!buffer->evict(*device)) continue;
      live -= bytes;
      evictable.erase(buffer);
      return true;
    }
    return false;
  }

  void put(void* block, size_t size) noexcept { may_cache(size) ? to_cache(block, size) : to_system(block, size); }

  [[noreturn]] void fail(size_t bytes, bool on_request, bool on_device = false) const {
    std::string text = (on_device ? "GPU memory is exhausted: " : "memory is exhausted: ") + std::to_string(bytes) +
                       " bytes were asked for, " + std::to_string(live) + " are live, the limit is ";
    text += limit >= 0 ? std::to_string(limit) : on_device ? "the GPU's" : "the system's";
    if (on_request) text += " (this allocation was set to fail)";
    throw MemoryError(text);
  }
};

Pool::Pool(int64_t limit, std::shared_ptr<DeviceMemory> device) : state_(std::make_unique<State>()) {
  state_->limit = limit;
  state_->device = std::move(device);
}
Pool::~Pool() { state_->trim(); }

size_t Pool::usable_bytes(size_t bytes) { return block_size(bytes); }

void* Pool::allocate(size_t bytes) {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  if (s.until_failure > 0 && --s.until_failure == 0) s.fail(bytes, true);
  if (bytes > size_t(INT64_MAX) - Pages::page) s.fail(bytes, false);
  size_t size = block_size(bytes);
  void* block = s.take(size);
  if (!block) s.fail(bytes, false);
  s.live += int64_t(size);
  s.peak = std::max(s.peak, s.live);
  return block;
}

void Pool::release(void* block, size_t bytes) noexcept {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  size_t size = block_size(bytes);
  s.live -= int64_t(size);
  s.put(block, size);
}

size_t Pool::shrink(void* block, size_t bytes, size_t kept) noexcept {
  size_t size = block_size(bytes);
  if (!is_large(size)) return bytes;
  size_t rest = std::max(Pages::round_up(kept), Pages::page);
  if (rest >= size) return bytes;
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  s.live -= int64_t(size - rest);
  s.put(static_cast<std::byte*>(block) + rest, size - rest);
  return rest;
}

int64_t Pool::trim() noexcept {
  std::lock_guard lock(state_->mutex);
  return int64_t(state_->trim() + (state_->device ? state_->device->trim() : 0));
}

DeviceMemory* Pool::device() const { return state_->device.get(); }

DeviceMemory::Block Pool::allocate_device(size_t bytes, DeviceMemory::For purpose) {
  State& s = *state_;
  std::lock_guard lock(s.mutex);
  if (s.until_failure > 0 && --s.until_failure == 0) s.fail(bytes, true, true);
  DeviceMemory::Block block = s.take_on_device(bytes, purpose);
  if (!block.address) s.fail(bytes, false, true);
  s.live += int64_t(block.bytes);
  s.peak = std::max(s.peak, s.live);
  return block;
}

DeviceMemory::Block Pool::spare_device(size_t bytes, DeviceMemory::For purpose) noexcept {
  State& s = *state_;
  try {
    std::lock_guard lock(s.mutex);
    if (!s.fits(bytes, s.cached())) return {};
    DeviceMemory::Block block = s.device->allocate(bytes, purpose);
    if (block.address) s.live += int64_t(block.bytes);
    s.peak = std::max(s.peak, s.live);
    return block;
  } catch (const std::exception&) { return {}; }
}

void Pool::release_device(const DeviceMemory::Block& block) noexcept {
  std::lock_guard lock(state_->mutex);
  state_->live -= int64_t(block.bytes);
  state_->device->release(block);
}

bool Pool::keep_idle(size_t bytes) noexcept {
  constexpr size_t most = size_t(64) << 20;
  if (limit() >= 0) return false;
  if (state_->idle.fetch_add(bytes) + bytes <= most) return true;
  state_->idle.fetch_sub(bytes);
  return false;
}
void Pool::drop_idle(size_t bytes) noexcept { state_->idle.fetch_sub(bytes); }

void Pool::set_evictable(Buffer* buffer, bool evictable) {
  std::lock_guard lock(state_->mutex);
  if (evictable) state_->evictable.insert(buffer);
  else state_->evictable.erase(buffer);
}

bool Pool::has_room(int64_t bytes) const {
  std::lock_guard lock(state_->mutex);
  const int64_t all = state_->limit < 0 ? int64_t(state_->physical) : state_->limit;
  return bytes <= (all - state_->live) / 8;
}

void Pool::set_limit(int64_t bytes) {
  std::lock_guard lock(state_->mutex);
  state_->limit = bytes;
  if (!state_->fits(0, state_->cached())) state_->trim();
}
int64_t Pool::limit() const {
  std::lock_guard lock(state_->mutex);
  return state_->limit;
}
int64_t Pool::live() const {
  std::lock_guard lock(state_->mutex);
  return state_->live;
}
int64_t Pool::cached() const {
  std::lock_guard lock(state_->mutex);
  return int64_t(state_->cached() + (state_->device ? state_->device->cached() : 0));
}
int64_t Pool::peak() const {
  std::lock_guard lock(state_->mutex);
  return state_->peak;
}
void Pool::reset_peak() {
  std::lock_guard lock(state_->mutex);
  state_->peak = state_->live;
}
void Pool::fail_after(int64_t k) {
  std::lock_guard lock(state_->mutex);
  state_->until_failure = k;
}

}  // namespace wf
