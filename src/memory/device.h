// The memory of a device as buffers see it; an engine implements the interface. Work on a device is queued, one queue per host
// thread, and runs asynchronously. Dependences between queues are ordered here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace wf {

class DeviceMemory {
 public:
  struct Block {
    void* address = nullptr;
    size_t bytes = 0;
    uint32_t writer = 0;   // the queue whose work wrote it last
    uint64_t users = 0;    // the queues whose work reads or writes it, one bit each
    uint64_t ordered = 0;  // the queues already ordered after that write
  };

  virtual ~DeviceMemory() = default;

  // The first contents of a block: results of the calling thread's queue, or bytes from copy_in, which then need not wait for
  // work in that queue.
  enum class For : uint8_t { Results, CopyIn };
  // A block that the calling thread's queue may `use`; its address is null if the device has no more.
  virtual Block allocate(size_t bytes, For purpose) = 0;
  // May be called on any thread at any time: queued work may still use the block. Never waits, never calls the driver.
  virtual void release(const Block& block) noexcept = 0;
  // Returns unused memory to the system. Returns the bytes released.
  virtual size_t trim() noexcept = 0;
  virtual size_t cached() const noexcept = 0;

  // Orders the calling thread's queue after the block's last write and adds it to the block's users.
  virtual void use(Block& block) = 0;
  // Copies the first bytes of one block to another in the calling thread's queue; no other queue uses the destination yet.
  virtual void copy(Block& to, Block& from, size_t bytes) = 0;
  // Returns when the host memory may change.
  virtual void copy_in(Block& block, const void* host, size_t bytes) = 0;
  // Copies the bytes of the block from offset `from` on. Returns when they have arrived.
  virtual void copy_out(void* host, Block& block, size_t from, size_t bytes) = 0;
  // Returns when the last write of the block has ended.
  virtual void wait(const Block& block) = 0;

  // Memory and streams of other libraries. A stream is the driver's handle.
  virtual int number() const = 0;  // of the device among CUDA's; -1 if it is another one
  // A block of another library's memory, complete after the work in the calling thread's queue.
  virtual Block adopt(void* address, size_t bytes) = 0;
  // Calls done() on some thread after all work that uses the adopted block. Never waits, never calls the driver.
  virtual void release_adopted(const Block& block, std::function<void()> done) noexcept = 0;
  // Orders the calling thread's queue after the work that is in the stream now.
  virtual void wait_for(void* stream) = 0;
  // Orders later work in the stream after the work that is in the calling thread's queue now.
  virtual void let_wait(void* stream) = 0;
};

}  // namespace wf
