// Bytes of one column. A buffer has a host copy and, on a GPU, a device copy; each is up to date or stale, and a stale copy is
// filled on demand. Memory comes from a Pool with a budget; large host blocks are backed by huge pages and reused.
//
// Every host block is aligned to 64 bytes. It is readable (and writable, while its maker writes it) up to Buffer::capacity(), at least to the
// next multiple of 64 bytes past its size, so that vector code may run over the end. Adopted memory (zero-copy) has neither guarantee.
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

// The budget or the system's memory is exhausted; nothing was changed. The message states the bytes requested and live.
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Buffer;

// Memory with a budget: the host's, and also a device's if the pool is made for one. Thread-safe. Freed blocks are cached for
// reuse until trim() or until the budget needs them.
class Pool {
 public:
  static constexpr size_t alignment = 64;

  explicit Pool(int64_t limit = -1, std::shared_ptr<DeviceMemory> device = nullptr);
  ~Pool();
  Pool(const Pool&) = delete;

  // A block of usable_bytes(bytes); throws MemoryError. Cost: O(1) for a reused block.
  void* allocate(size_t bytes);
  static size_t usable_bytes(size_t bytes);
  void release(void* block, size_t bytes) noexcept;
  // Takes back the whole huge pages after the first `kept` bytes of a large block, for a filter that kept less than it might
  // have: they are cached, no longer live. Returns the size to pass to release().
  size_t shrink(void* block, size_t bytes, size_t kept) noexcept;
  // Releases every cached block to the system. Returns the bytes released.
  int64_t trim() noexcept;

  // Null for a pool of host memory only.
  DeviceMemory* device() const;
  // If the budget or the device has no more: trims, then evicts device copies whose host copy is up to date, then throws
  // MemoryError.
  DeviceMemory::Block allocate_device(size_t bytes, DeviceMemory::For purpose);
  // The same without trimming or eviction; the address is null if there is no free memory. fail_after does not count it.
  DeviceMemory::Block spare_device(size_t bytes, DeviceMemory::For purpose) noexcept;
  void release_device(const DeviceMemory::Block& block) noexcept;
  // Returns true if a block may keep bytes that nothing uses: up to 64 MiB in all, if there is no limit. drop_idle() takes them back.
  bool keep_idle(size_t bytes) noexcept;
  void drop_idle(size_t bytes) noexcept;
  // Allows or forbids eviction of the buffer's device copy.
  void set_evictable(Buffer* buffer, bool evictable);

  // Returns true if the bytes are at most an eighth of what the budget, or the machine's memory, has left.
  bool has_room(int64_t bytes) const;

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

// The bytes of a buffer that no copy here contains as a whole, such as those of a sequence in parts.
class Elsewhere {
 public:
  virtual ~Elsewhere() = default;
  // Writes all bytes of the buffer to memory(). Throws its MemoryError and the errors of those who have the bytes.
  virtual void collect(const std::function<std::byte*()>& memory) const = 0;
};

class Buffer {
 public:
  // Uninitialised memory of the pool; throws MemoryError. In a pool for a device, each copy is allocated on demand.
  static std::shared_ptr<Buffer> make(std::shared_ptr<Pool> pool, size_t bytes);
  // The caller's memory, not copied; `deleter` runs once when the buffer is no longer used, on any thread. Not counted
  // against a budget. `padded`: the memory is aligned to 64 and readable to the next multiple of 64.
  static std::shared_ptr<Buffer> adopt(const void* data, size_t bytes, std::function<void()> deleter, bool padded = false);
  // The same for memory of the pool's device, complete after the work in the calling thread's queue. `deleter` runs after all work that uses it.
  static std::shared_ptr<Buffer> adopt_device(std::shared_ptr<Pool> pool, void* address, size_t bytes, std::function<void()> deleter);

  // A buffer of host memory whose host copy is collected when it is first asked for, and may then be written.
  static std::shared_ptr<Buffer> collected_from(std::shared_ptr<Pool> pool, size_t bytes, std::shared_ptr<const Elsewhere> elsewhere);

  ~Buffer();
  Buffer(const Buffer&) = delete;

  // Null once there is a host copy.
  std::shared_ptr<const Elsewhere> elsewhere() const;
  size_t bytes() const { return bytes_; }
  // The bytes of the host copy that may be read, once there is one. Those after bytes() are undefined.
  size_t capacity() const { return capacity_; }
  bool is_pooled() const { return pool_ && !deleter_; }  // not adopted
  bool has_host_copy() const { return host_current_.load(std::memory_order_acquire); }
  // The host copy, filled from the device copy if it is stale. Throws MemoryError and the device's errors.
  const std::byte* host() const { return has_host_copy() ? host_ : filled_host(); }
  // Fills a new buffer: copies its bytes from `data` to the device only, if they are many and the device has free memory.
  // Returns true if it copied them; otherwise the caller writes the host copy.
  bool fill_device(const void* data);
  // If the host copy is stale, copies some bytes straight from the device: many bytes, or, a few times, at most `small`.
  // Returns true if it copied them; otherwise the caller should read the host copy.
  bool read_device(size_t from, size_t bytes, void* to) const;
  static constexpr size_t small = 4096, large = size_t(16) << 20;
  // Returns when the bytes are in memory: the device may be writing them.
  void wait() const;
  // The host copy for writing: the device copy is stale from now on.
  std::byte* host_for_writing();
  // Keeps the first `bytes` bytes. A large host block returns the pages after them to the pool. If the kept bytes are a small
  // part of a large device block, they move to a smaller one, unless the pool keeps the rest idle. No other thread may use the buffer meanwhile.
  void shrink(size_t bytes);

  // A device copy in use by the calling thread's queue; it is not evicted before the lease ends.
  class Lease {
   public:
    Lease(std::shared_ptr<Buffer> buffer, void* address) : buffer_(std::move(buffer)), address_(address) {}
    Lease(Lease&&) = default;
    ~Lease() {
      if (buffer_) buffer_->leases_.fetch_sub(1);
    }
    void* address() const { return address_; }

   private:
    std::shared_ptr<Buffer> buffer_;
    void* address_;
  };
  // The device copy in the memory of `pool`'s device, filled from the host copy if it is stale.
  static Lease device(const std::shared_ptr<Buffer>& buffer, const std::shared_ptr<Pool>& pool);
  // The device copy for writing: the host copy is stale from now on.
  static Lease device_for_writing(const std::shared_ptr<Buffer>& buffer, const std::shared_ptr<Pool>& pool);

 private:
  friend class Pool;
  Buffer() = default;
  const std::byte* filled_host() const;
  void allocate_host() const;
  void allocate_on_device(const std::shared_ptr<Pool>& pool, DeviceMemory::For purpose);
  void shrink_on_device();
  bool is_device_adopted() const { return pool_ && deleter_; }
  // Frees the device copy if it is not in use. Returns true if it was freed. Called by the pool, which counts the bytes.
  bool evict(DeviceMemory& device) noexcept;

  std::shared_ptr<Pool> pool_;
  mutable std::byte* host_ = nullptr;
  mutable std::atomic<bool> host_current_{false};
  size_t bytes_ = 0;
  mutable size_t capacity_ = 0;  // of the host copy
  std::function<void()> deleter_;

  mutable std::mutex mutex_;  // guards the following members and the filling of either copy
  std::shared_ptr<Pool> device_pool_;
  mutable DeviceMemory::Block block_;
  size_t idle_ = 0;  // bytes of the block that the pool keeps idle
  bool device_current_ = false;
  mutable int small_reads_ = 0;
  mutable std::shared_ptr<const Elsewhere> elsewhere_;
  std::atomic<int> leases_{0};
};

using BufferRef = std::shared_ptr<Buffer>;

}  // namespace wf
