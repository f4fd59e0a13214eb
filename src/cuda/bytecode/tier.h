// The choice between interpreting a kernel at first and compiling it at once. Interpreted and compiled runs have the same bits, so
// results do not depend on the tier.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "cuda/bytecode/bytecode.h"
#include "cuda/device/device.h"
#include "cuda/form.h"

namespace wf::cuda {

struct Tier {
  static constexpr int64_t never = std::numeric_limits<int64_t>::max();
  interpreter::Order order = interpreter::by_one_block;
  int threads = 0;           // per block
  bool keeps_order = false;  // combines elements in the order of the compiled form, with the form's pack, rows and rolled
  int pack = 1, rows = 1;
  bool rolled = false;
  int64_t price = 0;  // nanoseconds; once interpretation has cost this many, the kernel is compiled in the background
  int64_t tile() const { return int64_t(threads) * pack * rows; }
};

// Returns true if kernels may be interpreted. With WARPFOLD_INTERPRET=0, and without the variable on an OpenCL device, every kernel is compiled at its
// first call.
bool interprets(const Device& device);

// Returns how to interpret the first run, over n elements, or nullopt if the kernel should be compiled at once.
std::optional<Tier> first_tier(const Kernel& kernel, const Form& form, const Bytecode& bytecode, int64_t n, const Device& device);

// Returns a rough estimate of the interpretation time in nanoseconds.
int64_t time_to_interpret(double instructions_an_element, int64_t n, int64_t blocks);

}  // namespace wf::cuda
