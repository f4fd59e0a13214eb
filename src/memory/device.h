// The memory of a device as buffers see it; an engine fills the interface. Work on a device is put into queues, one a host
// thread, and done later; what crosses queues is ordered here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace wf {

class DeviceMemory {
 public:
  struct Block {
    void* address = nullptr;
    size_t bytes = 0;
    uint32_t writer = 0;  // the queue whose work wrote it last
    uint64_t users = 0;   // the queues whose work reads or writes it, a bit each
    uint64_t ordered = 0; // those that come after what wrote it
  };

  virtual ~DeviceMemory() = default;

  // What a block is to hold: results of the calling thread's queue, or first what copy_in brings, which then need not wait for what that
  // queue is doing.
  enum class For : uint8_t { Results, CopyIn };
  // A block that the calling thread's queue may `use`; its address is null where the device has no more.
  virtual Block allocate(size_t bytes, For purpose) = 0;
  // From any thread, at any time: what is in the queues still finds the block. Never waits, never calls the driver.
  virtual void release(const Block& block) noexcept = 0;
  // Gives unused memory back to the system; the bytes given back.
  virtual size_t trim() noexcept = 0;
  virtual size_t cached() const noexcept = 0;

  // The calling thread's queue comes after what wrote the block, and counts among its users.
  virtual void use(Block& block) = 0;
  // The first bytes of one block to another, which nobody uses yet, in the calling thread's queue.
  virtual void copy(Block& to, Block& from, size_t bytes) = 0;
  // Returns once the host memory may change.
  virtual void copy_in(Block& block, const void* host, size_t bytes) = 0;
  // The bytes of the block from `from` on. Returns once they are there.
  virtual void copy_out(void* host, Block& block, size_t from, size_t bytes) = 0;
};

}  // namespace wf
