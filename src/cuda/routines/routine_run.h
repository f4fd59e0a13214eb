// The part that all routines share: their kernels, found by text, and a run on the columns of a launch.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/device/device.h"
#include "engine/engine.h"
#include "expr/recent.h"

namespace wf::cuda {

// The kernels of a device's routines. Any thread.
class RoutineKernels {
 public:
  explicit RoutineKernels(Device& device) : device_(device) {}
  // Returns the kernel of that name. The text is compiled at the first call for it.
  CUfunction find(const std::string& text, const char* name);
  // The same for a text that depends on these words alone, and is made at the first call for them and that name.
  CUfunction find(std::vector<uint64_t> words, const char* name, const std::function<std::string()>& text);

 private:
  Device& device_;
  Recent<std::string, CUmodule> modules_{256};  // by text
  // The key is the words and the address of the name. The words of two kernels of one name differ, in join.cpp and scatter.cpp too.
  Recent<std::vector<uint64_t>, CUfunction> functions_{512};
};

// What the routines of a device share.
struct Routines {
  Device& device;
  const std::shared_ptr<Pool> pool;
  RoutineKernels kernels{device};
};

// One run of a routine: first scratch(), then begin(), then copies and launches, then end().
class RoutineRun {
 public:
  RoutineRun(Routines& routines, Launch& launch);

  // The addresses of the launch's columns in device memory.
  const std::vector<uint64_t>& inputs() const { return inputs_; }
  const std::vector<uint64_t>& outputs() const { return outputs_; }
  // Returns the address of device memory that is in use until the run's work is done.
  uint64_t scratch(size_t bytes);

  // Locks the calling thread's queue, and starts the clock, except for a kernel of few elements: the events of a clock cost more than it does, and
  // the launch's time is that of the call.
  void begin(bool is_timed = true);
  static constexpr int64_t few = 1 << 16;
  Queue& queue() { return queue_; }
  void copy(uint64_t to, uint64_t from, size_t bytes);
  void clear(uint64_t at, size_t bytes);
  // Launches a kernel whose argument is a structure of these words.
  void start(CUfunction function, int64_t blocks, int threads, std::vector<uint64_t> words, size_t shared_bytes = 0);
  // Returns the address of the queue's record of an index out of range (Fault, skeletons/memory.cuh), which is empty. Called after begin().
  uint64_t fault();
  // Defers the check of that record if the launch allows it (Launch::deferred). Otherwise waits for the work so far, and throws RangeError if
  // it recorded an index.
  void throw_fault();
  // Stops the clock, and sets the launch's time.
  void end();

 private:
  Routines& routines_;
  Launch& launch_;
  Queue& queue_;
  std::vector<Buffer::Lease> leases_;
  std::vector<uint64_t> inputs_, outputs_;
  std::unique_lock<std::mutex> lock_;
  std::shared_ptr<Timing> timing_;
  std::optional<uint32_t> record_;  // of faults, if their check is deferred
};

}  // namespace wf::cuda
