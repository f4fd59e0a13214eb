// Bytes of one column. A buffer has a host facet and, on a GPU, a device facet; each is up to date or not, and is filled when
// it is asked for. Memory comes from a Pool with a budget; large host blocks are backed by huge pages and reused.
//
// Every host block is aligned to 64 bytes and readable (and, while being written by its maker, writable) up to the next
// multiple of 64 bytes past its size, so that vector code may run over the end. Adopted memory (zero-copy) has neither
// guarantee: see Buffer::padded().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "memory/device.h"

namespace wf {

// A budget was reached or the system has no memory: nothing was changed. The message says how much was asked and is live.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Buffer;

// Memory with a budget: the host's, and a device's where the pool is made for one. Thread-safe. Freed blocks are kept for reuse
// until trim() or until the budget needs them.
class Pool {
 public:
  static constexpr size_t alignment = 64;

  explicit Pool(int64_t limit = -1, std::shared_ptr<DeviceMemory> device = nullptr);
  ~Pool();
  Pool(const Pool&) = delete;

  // At least `bytes` usable bytes plus padding to 64; throws MemoryError. Cost: O(1) for a block that is reused.
  void* allocate(size_t bytes);
  void release(void* block, size_t bytes) noexcept;
  // Takes the whole huge pages behind the first `kept` of a large block's bytes back (after a filter kept less than it
  // might have): they are no longer live, but cached. Returns the bytes with which the block is to be released.
  size_t shrink(void* block, size_t bytes, size_t kept) noexcept;
  // Returns every cached block to the system; the bytes given back.
  int64_t trim() noexcept;

  // Null for a pool of host memory alone.
  DeviceMemory* device() const;
  // Where the budget or the device has no more: trims, then evicts device facets whose host facet is up to date, then throws
  // MemoryError.
  DeviceMemory::Block allocate_device(size_t bytes, DeviceMemory::For purpose);
  // The same if there is room as things are; a null address where there is none. fail_after does not count it.
  DeviceMemory::Block spare_device(size_t bytes, DeviceMemory::For purpose) noexcept;
  void release_device(const DeviceMemory::Block& block) noexcept;
  // Whether the buffer's device facet may be evicted.
  void set_evictable(Buffer* buffer, bool evictable);

  void set_limit(int64_t bytes);  // -1: none
  int64_t limit() const;
  int64_t live() const;    // bytes handed out now
  int64_t cached() const;  // bytes kept for reuse
  int64_t peak() const;    // the largest live since reset_peak
  void reset_peak();

  // For tests: the k-th allocation from now (1 = next) fails; 0 turns it off.
  void fail_after(int64_t k);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Buffer {
 public:
  // Uninitialised memory of the pool; throws MemoryError. Of a pool for a device, each facet gets its memory when it is asked for.
  static std::shared_ptr<Buffer> make(std::shared_ptr<Pool> pool, size_t bytes);
  // The caller's memory, not copied; `deleter` runs once when the buffer is no longer used, from any thread. Not counted
  // against a budget. `padded`: the memory is aligned to 64 and readable to the next multiple of 64.
  static std::shared_ptr<Buffer> adopt(const void* data, size_t bytes, std::function<void()> deleter, bool padded = false);

  ~Buffer();
  Buffer(const Buffer&) = delete;

  size_t bytes() const { return bytes_; }
  bool padded() const { return padded_; }
  // The host facet, filled from the device's where it is stale. Throws MemoryError, and what the device throws.
  const std::byte* host() const { return host_current_.load(std::memory_order_acquire) ? host_ : filled_host(); }
  // Of a buffer that was just made: copies its bytes from `data` to the device alone, where they are many and there is room. Whether
  // it did: else they are for the host facet.
  bool fill_device(const void* data);
  // Where the host facet is stale, copies some bytes straight from the device: many, or, a few times, at most `small`. Whether it did:
  // else the caller should ask for the host facet.
  bool read_device(size_t from, size_t bytes, void* to) const;
  static constexpr size_t small = 4096, large = size_t(16) << 20;
  // The host facet, about to be written: the device's is stale from now on.
  std::byte* host_for_writing();
  // Keeps the first `bytes` bytes; of a large host block, the pages behind them go back to the pool, and where they are a small
  // part of a large device block, they move to a smaller one. Nobody else uses the buffer meanwhile.
  void shrink(size_t bytes);

  // A device facet in use by the calling thread's queue; it is not evicted before the lease ends.
  class Lease {
   public:
    Lease(std::shared_ptr<Buffer> buffer, void* address) : buffer_(std::move(buffer)), address_(address) {}
    Lease(Lease&&) = default;
    ~Lease() { if (buffer_) buffer_->leases_.fetch_sub(1); }
    void* address() const { return address_; }

   private:
    std::shared_ptr<Buffer> buffer_;
    void* address_;
  };
  // The device facet in `pool`'s device, filled from the host's where it is stale.
  static Lease device(const std::shared_ptr<Buffer>& buffer, const std::shared_ptr<Pool>& pool);
  // The device facet, about to be written: the host's is stale from now on.
  static Lease device_for_writing(const std::shared_ptr<Buffer>& buffer, const std::shared_ptr<Pool>& pool);

 private:
  friend class Pool;
  Buffer() = default;
  const std::byte* filled_host() const;
  void allocate_host() const;
  void allocate_on_device(const std::shared_ptr<Pool>& pool, DeviceMemory::For purpose);
  void shrink_on_device();
  // Lets go of the device facet if nobody needs it; whether it did. Called by the pool, which counts the bytes.
  bool evict(DeviceMemory& device) noexcept;

  std::shared_ptr<Pool> pool_;
  mutable std::byte* host_ = nullptr;
  mutable std::atomic<bool> host_current_{false};
  size_t bytes_ = 0;
  mutable size_t capacity_ = 0;  // of the host facet
  bool padded_ = true;
  std::function<void()> deleter_;

  mutable std::mutex mutex_;  // of what follows, and of filling either facet
  std::shared_ptr<Pool> device_pool_;
  mutable DeviceMemory::Block block_;
  bool device_current_ = false;
  mutable int small_reads_ = 0;
  std::atomic<int> leases_{0};
};

using BufferRef = std::shared_ptr<Buffer>;

}  // namespace wf
