// Kernels that are interpreted instead of compiled: a structure that was never seen before starts in microseconds.
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <string_view>

#include "cuda/bytecode.h"
#include "cuda/device.h"

namespace wf::cuda {

// The interpreter's machine code, compiled when the library was built, for one major version of architectures.
struct InterpreterCode {
  int architecture;  // 90: for sm_90 and later ones of version 9
  std::string_view code;
};
extern const std::span<const InterpreterCode> interpreter_codes;  // none where the library was built without NVRTC
extern const int interpreter_nvrtc[2];                            // the version of NVRTC then


// Empty where there is none for that architecture ("sm_90").
std::string_view interpreter_code(const std::string& architecture);

// How many threads of a block find room for so many registers each; 0 where not even a warp does.
int threads_for(uint32_t registers, size_t shared_memory);

// A kernel's instructions in device memory, ready to be launched.
class Interpreted {
 public:
  // `threads` as threads_for says; `few` elements are run by one block.
  Interpreted(Device& device, Bytecode bytecode, int threads, bool few);
  // From here on a thread takes elements in the order of a reduction compiled in that form.
  void order_as(const Form& form);
  ~Interpreted();
  Interpreted(const Interpreted&) = delete;

  // Of a launch on that queue; without n, words, and the addresses of results and fault.
  interpreter::Arguments arguments(const Queue& queue) const;
  Bits64 constant(uint32_t k) const { return bytecode_.constants[k]; }
  uint32_t shared_bytes() const { return shared_bytes_; }
  bool keeps_order() const { return keeps_order_; }
  // Seconds that a run takes, roughly.
  double seconds(int64_t n, int64_t blocks) const { return 15e-6 + 7e-10 * bytecode_.work * double(n) / double(blocks); }

 private:
  void place_operands(int threads);

  Device& device_;
  Bytecode bytecode_;
  uint32_t shared_bytes_ = 0;
  bool keeps_order_ = false;
  DeviceMemory::Block block_;
  mutable std::atomic<uint64_t> users_{0};  // queues, a bit each
};

}  // namespace wf::cuda
