// Kernels that are interpreted instead of compiled: a kernel with a new structure starts in microseconds.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "cuda/bytecode/bytecode.h"
#include "cuda/bytecode/tier.h"
#include "cuda/device/device.h"

namespace wf::cuda {

// The interpreter's machine code for one major architecture version, compiled when the library was built.
struct InterpreterCode {
  int architecture = 0;  // 90: sm_90 and later architectures of major version 9
  int nvrtc[2] = {};     // NVRTC's version at the build: major, minor
  // skeletons/interpreter_strided.cuh and interpreter_tiled.cuh, each for one column and for most_columns.
  std::string_view strided[2] = {}, tiled[2] = {};
};

// Returns the code for that architecture ("sm_90"); its code is empty if the library has none.
InterpreterCode interpreter_code(const std::string& architecture);
// Returns true if the library has code for any architecture.
bool has_interpreter();

// A kernel's instructions in device memory, ready to be launched.
class Interpreted {
 public:
  Interpreted(Device& device, Bytecode bytecode, const Tier& tier);
  ~Interpreted();
  Interpreted(const Interpreted&) = delete;

  // The arguments of a launch on that queue, without n, the words, and the addresses of results and fault.
  interpreter::Arguments arguments(const Queue& queue) const;
  Bits64 constant(uint32_t k) const { return bytecode_.constants[k]; }
  uint32_t shared_bytes() const { return shared_bytes_; }
  const Tier& tier() const { return tier_; }
  // The estimated time of a run by one block, in nanoseconds.
  int64_t time(int64_t n) const { return time_to_interpret(bytecode_.work, n, 1); }

 private:
  void place_operands(int threads);

  Device& device_;
  Bytecode bytecode_;
  uint32_t shared_bytes_ = 0;
  const Tier tier_;
  DeviceMemory::Block block_;
  mutable std::atomic<uint64_t> users_{0};  // one bit per queue
};

}  // namespace wf::cuda
