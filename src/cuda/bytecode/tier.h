// Whether a kernel is interpreted at first, and when it is compiled. What is interpreted has the bits that it will have when it is
// compiled, so that results do not depend on which it was.
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
  int threads = 0;           // of a block
  bool keeps_order = false;  // elements meet as in the kernel's compiled form, whose pack, rows and rolled these are then
  int pack = 1, rows = 1;
  bool rolled = false;
  int64_t price = 0;         // nanoseconds; who finds that interpreting it has taken as many compiles it
  int64_t tile() const { return int64_t(threads) * pack * rows; }
};

// WARPFOLD_INTERPRET=0: every kernel is compiled at its first call.
bool interprets();

// How the first run, over n elements, is interpreted; nothing where it is better compiled.
std::optional<Tier> first_tier(const Kernel& kernel, const Form& form, const Bytecode& bytecode, int64_t n, const Device& device);

// Nanoseconds that interpreting takes, roughly.
int64_t time_to_interpret(double instructions_an_element, int64_t n, int64_t blocks);

}  // namespace wf::cuda
