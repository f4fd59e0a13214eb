// One GPU: its queues (one stream per host thread), its memory, and the ordering between them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/device/blocks.h"
#include "cuda/device/driver.h"
#include "cuda/device/staging.h"
#include "memory/device.h"

namespace wf::cuda {

// An index out of range, the same layout as RowFault in skeletons/memory.cuh.
struct Fault {
  uint64_t at = ~uint64_t(0);  // none
  int64_t index = 0, length = 0;
  uint64_t lock = 0;
  uint64_t row = ~uint64_t(0), place = 0;
  uint64_t* any = nullptr;
};

// A stream and the resources of a run on it. A thread keeps its queue until it ends; then another thread may use the queue.
struct Queue {
  explicit Queue(const DeviceContext& context) : context(context) {}
  const ContextDriver& driver() const { return context.driver(); }

  const DeviceContext context;  // the device's
  CUstream stream = nullptr;
  CUevent event = nullptr;  // lets other queues wait for the work so far
  uint32_t number = 0;
  uint64_t bit() const { return uint64_t(1) << number; }
  FreeBlocks blocks;
  std::mutex mutex;  // locked during a run: threads share queues if there are more threads than queues

  // Returns at least `words` words of pinned memory for the next kernel's scalars: the device writes them and the host reads them.
  uint64_t* results(size_t words);
  // Waits until the kernel that has the results announces them (skeletons/memory.cuh). The kernel may end later, but nothing that the host sees
  // changes after it. A long kernel is waited for to its end.
  void wait_for_results();
  // Returns device memory that consecutive kernels share. Only the first `kept` bytes are preserved between kernels: counters, which are
  // then zero, and from `faults_at` on the records of indices out of range, which are then empty.
  CUdeviceptr scratch(size_t bytes);
  // Returns device memory that is zero and that no other kernel gets until it is cleared again. Many kernels share a memset.
  CUdeviceptr zeros(size_t bytes);

  // Record 0 is used by runs that wait for their end, record 1 for their offsets of segments, the others by runs that return before it.
  static constexpr size_t fault_records = 16, fault_bytes = 64, faults_at = 64, kept = faults_at + fault_records * fault_bytes;
  static size_t fault_at(uint32_t record) { return faults_at + record * fault_bytes; }
  // Returns the number of a free record for a run that returns before its end, if there is one.
  std::optional<uint32_t> reserve_fault();
  // Called after the end of all work in the queue. Frees the deferred records and clears the list. Throws RangeError for the first of them that
  // has an index, or else for record 1 or 0 if it has one.
  void throw_first_fault(std::vector<uint32_t>* deferred);

 private:
  void clear_fault(uint32_t record);

  uint32_t reserved_faults_ = 3;            // a bit per record
  volatile uint64_t* any_fault_ = nullptr;  // pinned memory
  volatile uint64_t* announced_ = nullptr;  // pinned memory: not 0 if the results, which follow it, are complete
  size_t result_words_ = 0;
  CUdeviceptr scratch_ = 0;
  size_t scratch_bytes_ = 0;
  CUdeviceptr zeros_ = 0;
  size_t zeros_bytes_ = 0, zeros_used_ = 0;
};

class Device : public DeviceMemory {
 public:
  // Returns the same object for every call with that number. Throws DeviceError if there is no such device.
  static std::shared_ptr<Device> open(const DriverTable& driver, int number);

  std::string name() const { return context_.table->name + (":" + std::to_string(number_)); }  // "cuda:0"
  // Returns true if the libraries of CUDA may use the device.
  bool is_of_cuda() const { return std::string_view(context_.table->name) == "cuda"; }
  int number() const override { return is_of_cuda() ? number_ : -1; }
  const std::string& model() const { return model_; }                // "NVIDIA H200"
  const std::string& architecture() const { return architecture_; }  // "sm_90"
  int multiprocessors() const { return multiprocessors_; }
  int threads_per_multiprocessor() const { return threads_per_multiprocessor_; }
  // Bytes of dynamic shared memory per block; a few KiB remain for static shared memory.
  size_t shared_memory() const { return shared_memory_; }
  // Timing events from a free list. Any thread may call.
  CUevent take_timer();
  void give_timer(CUevent timer) noexcept;
  // Makes the device current for the calling thread.
  const ContextDriver& driver() const { return context_.driver(); }
  // Returns the calling thread's queue.
  Queue& queue();

  Block allocate(size_t bytes, For purpose) override;
  void release(const Block& block) noexcept override;
  size_t trim() noexcept override;
  size_t cached() const noexcept override;
  void use(Block& block) override;
  void copy(Block& to, Block& from, size_t bytes) override;
  void copy_in(Block& block, const void* host, size_t bytes) override;
  void copy_out(void* host, Block& block, size_t from, size_t bytes) override;
  void wait(const Block& block) override;
  Block adopt(void* address, size_t bytes) override;
  void release_adopted(const Block& block, std::function<void()> done) noexcept override;
  void wait_for(void* stream) override;
  void let_wait(void* stream) override;

 private:
  Device(const DriverTable& table, int number);
  // Allocates the memory that a first run needs for the calling thread's queue.
  void prepare();
  Queue* take_queue();
  Queue* new_queue();  // requires queues_mutex_ and fewer than most_queues queues
  void give_queue(Queue* queue) noexcept;
  // Returns the queue of large copies from the host and their allocations, so that they do not wait for kernels. No kernels run in it.
  Queue& copies();
  // Makes later work in `queue` wait for everything that is in `other` now.
  void order(Queue& queue, Queue& other);
  // Records that the calling thread's queue writes the block: readers in other queues wait for it.
  void wrote(Block& block);
  // Frees released blocks, each after its users.
  void free_released();
  // Makes later work in `stream` wait for everything that is in `other` now.
  void order(CUstream stream, CUstream other);
  // Gives adopted blocks back, each after its users, on a thread of its own.
  void give_back();
  struct ThreadQueues;

  static constexpr uint32_t most_queues = 64;
  int number_;
  CUdevice device_ = 0;
  DeviceContext context_;
  CUmemoryPool pool_ = nullptr;
  std::unique_ptr<Staging> staging_;
  std::string model_, architecture_;
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
  struct Adopted {
    uint64_t users;
    std::function<void()> done;
  };
  std::once_flag gives_back_;
  std::mutex adopted_mutex_;
  std::condition_variable adopted_changed_;
  std::vector<Adopted> adopted_;
};

// The time between two points in a queue.
class Timing {
 public:
  // Starts before the next work in the queue.
  Timing(Device& device, Queue& queue);
  ~Timing();
  Timing(const Timing&) = delete;
  void stop(Queue& queue);
  // Waits for the end.
  double seconds();

 private:
  Device& device_;  // never destroyed
  CUevent start_, stop_;
};

}  // namespace wf::cuda
