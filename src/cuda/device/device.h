// One GPU: its queues (a stream for each host thread), its memory, and what orders the two.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuda/device/blocks.h"
#include "cuda/device/driver.h"
#include "cuda/device/staging.h"
#include "memory/device.h"

namespace wf::cuda {

// A stream and what a run on it needs. A thread keeps its queue while it lives; then another thread gets it.
struct Queue {
  CUstream stream = nullptr;
  CUevent event = nullptr;  // marks "everything so far" for other queues
  uint32_t number = 0;
  uint64_t bit() const { return uint64_t(1) << number; }
  FreeBlocks blocks;
  std::mutex mutex;         // of a run: threads share queues where there are more threads than queues

  // Memory for kernels' scalars that the device writes and the host reads; at least `words` words.
  uint64_t* results(size_t words);
  // Device memory for one kernel after the other; its contents do not outlive a kernel, except for the first `kept` bytes:
  // counters, which are zero between kernels, and at `fault_at` the record of an index out of range, which holds none.
  CUdeviceptr scratch(size_t bytes);
  static constexpr size_t kept = 256, fault_at = 64;
  // After a fault was read.
  void clear_fault();

 private:
  uint64_t* results_ = nullptr;
  size_t result_words_ = 0;
  CUdeviceptr scratch_ = 0;
  size_t scratch_bytes_ = 0;
};

class Device : public DeviceMemory {
 public:
  // The same object for every call with that number. Throws DeviceError where there is no such device.
  static std::shared_ptr<Device> open(int number);

  int number() const { return number_; }
  const std::string& architecture() const { return architecture_; }  // "sm_90"
  int multiprocessors() const { return multiprocessors_; }
  int threads_per_multiprocessor() const { return threads_per_multiprocessor_; }
  // Bytes that a block may have beside a few KiB of its own.
  size_t shared_memory() const { return shared_memory_; }
  // Events that take the time, to be given back; from any thread.
  CUevent take_timer();
  void give_timer(CUevent timer) noexcept;
  // The calling thread's queue; the device is current for the thread afterwards.
  Queue& queue();

  Block allocate(size_t bytes, For purpose) override;
  void release(const Block& block) noexcept override;
  size_t trim() noexcept override;
  size_t cached() const noexcept override;
  void use(Block& block) override;
  void copy(Block& to, Block& from, size_t bytes) override;
  void copy_in(Block& block, const void* host, size_t bytes) override;
  void copy_out(void* host, Block& block, size_t from, size_t bytes) override;

 private:
  explicit Device(int number);
  // The calling thread's queue with all that a first run needs.
  void prepare();
  Queue* take_queue();
  Queue* new_queue();  // under queues_mutex_, where there are fewer than most_queues
  void give_queue(Queue* queue) noexcept;
  // Where large copies from the host go, and the memory for them comes from: they wait for no thread's kernels. No thread runs any there.
  Queue& copies();
  // `queue` comes after everything that is in `other` now.
  void order(Queue& queue, Queue& other);
  // The calling thread's queue writes the block: who reads it elsewhere comes after that.
  void wrote(Block& block);
  // Frees what was released, each block after its users.
  void free_released();
  struct ThreadQueues;

  static constexpr uint32_t most_queues = 64;
  int number_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmemoryPool pool_ = nullptr;
  std::unique_ptr<Staging> staging_;
  std::string architecture_;
  int multiprocessors_ = 0, threads_per_multiprocessor_ = 0;
  size_t shared_memory_ = 0;
  std::mutex queues_mutex_;
  std::vector<std::unique_ptr<Queue>> queues_;  // never shrinks
  std::atomic<Queue*> by_number_[most_queues] = {};
  std::vector<Queue*> idle_;
  uint32_t next_shared_ = 0;
  std::atomic<Queue*> copies_{nullptr};
  std::mutex timers_mutex_;
  std::vector<CUevent> timers_;
  mutable std::mutex released_mutex_;
  std::vector<Block> released_;
};

// The time between two points in a queue.
class Timing {
 public:
  // From what comes next in the queue.
  Timing(Device& device, Queue& queue);
  ~Timing();
  Timing(const Timing&) = delete;
  void stop(Queue& queue);
  // Waits for the end.
  double seconds();

 private:
  Device& device_;  // lives as long as the process
  CUevent start_, stop_;
};

}  // namespace wf::cuda
