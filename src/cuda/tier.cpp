#include "cuda/tier.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cuda/interpreter.h"

namespace wf::cuda {
namespace {

// WARPFOLD_INTERPRET=0: every kernel is compiled at its first call.
bool interprets() {
  static const bool chosen = [] {
    const char* setting = std::getenv("WARPFOLD_INTERPRET");
    return !setting || std::string_view(setting) != "0";
  }();
  return chosen;
}

bool all_reductions(const Kernel& kernel, auto&& have) {
  return std::ranges::all_of(kernel.reductions, [&](const Reduction& r) {
    const std::optional<Op> op = as_op(*r.combine);
    return op && have(*op, r.combine->params[0].type);
  });
}

// Of many elements the interpreter computes no prefixes, and what it reduces must commute.
bool takes_many(const Kernel& kernel, const Form& form) {
  return (form.skeleton == Skeleton::Map || form.skeleton == Skeleton::Reduce) && !form.by_law &&
         all_reductions(kernel, [](Op op, Type) { return (info(op).laws & Comm) != 0; });
}

// In whatever order.
bool is_exact(const Kernel& kernel) {
  return all_reductions(kernel, [](Op, Type type) { return !is_in(type, Float); });
}

// The order in which elements meet when the kernel is compiled. Where memory binds and blocks take several tiles, it depends on how many
// blocks a multiprocessor holds, which is known only then. (Minima of floats are the hardware's there, which is free in the sign of a zero.)
bool order_is_known(const Kernel& kernel, const Form& form, int64_t n, int64_t multiprocessors, int threads) {
  return (form.rolled || n <= multiprocessors * form.tile()) && threads == form.threads &&
         all_reductions(kernel, [](Op op, Type type) { return !is_in(type, Float) || !(info(op).laws & Idem); });
}

// Machine code of another version's compiler may differ in the last bits of functions of CUDA's library.
bool compiles_to_same_bits(const Kernel& kernel) {
  return (interpreter_nvrtc[0] == nvrtc().major && interpreter_nvrtc[1] == nvrtc().minor) || !uses_math(kernel);
}

// Nanoseconds, as measured with NVRTC 13.0: 40 ms, and for long functions the square of their length.
int64_t price_of_compiling(size_t instructions) { return 40'000'000 + 250 * int64_t(instructions) * int64_t(instructions); }

constexpr size_t longest_compiled = 4000;  // instructions; that takes seconds

// How many threads of a block find room for so many registers each; 0 where not even a warp does.
int threads_for(uint32_t registers, size_t shared_memory) {
  int threads = interpreter::most_threads;
  while (threads >= 32 && 8 * (interpreter::most_words + size_t(registers) * size_t(threads)) > shared_memory) threads /= 2;
  return threads >= 32 ? threads : 0;
}

}  // namespace

bool may_be_interpreted(const Kernel& kernel, const Form& form) {
  return interprets() && (form.skeleton == Skeleton::Small || takes_many(kernel, form));
}

int64_t time_to_interpret(double instructions_an_element, int64_t n, int64_t blocks) {
  return int64_t(15e3 + 0.7 * instructions_an_element * double(n) / double(blocks));  // measured on an H200
}

std::optional<Tier> first_tier(const Kernel& kernel, const Form& form, const Bytecode& bytecode, int64_t n, const Device& device) {
  Tier tier;
  tier.threads = threads_for(bytecode.registers, device.shared_memory());
  if (tier.threads == 0) return std::nullopt;
  const bool few = form.skeleton == Skeleton::Small, same_bits = compiles_to_same_bits(kernel);
  const int64_t price = price_of_compiling(bytecode.instructions.size());
  if (bytecode.instructions.size() > longest_compiled || (few && !same_bits)) {
    tier.price = Tier::never;
  } else if (few) {
    tier.price = price;
  } else {
    // Due at once, so that who comes next compiles it. This run should not take much longer than if it did.
    if (!same_bits || time_to_interpret(bytecode.work, n, device.multiprocessors()) > price / 4) return std::nullopt;
    tier.keeps_order = !is_exact(kernel);
    if (tier.keeps_order && !order_is_known(kernel, form, n, device.multiprocessors(), tier.threads)) return std::nullopt;
  }
  return tier;
}

}  // namespace wf::cuda
