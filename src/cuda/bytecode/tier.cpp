#include "cuda/bytecode/tier.h"

#include <algorithm>

#include "cuda/bytecode/interpreter.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/text/emit.h"
#include "engine/variables.h"

namespace wf::cuda {
namespace {

// Returns true if the results depend on the order in which elements are combined.
bool folds_floats(const Kernel& kernel) {
  auto of_floats = [](const auto& fold) {
    return std::ranges::any_of(fold.combine->params, [](const auto& p) { return is_in(p.type, Float); });
  };
  return std::ranges::any_of(kernel.scan, of_floats) || std::ranges::any_of(kernel.reductions, of_floats);
}

// Prefixes and compactions need tiles. A reduction by the law is interpreted as the scan and the reduction that the user wrote.
interpreter::Order order_of(const Form& form) {
  if (form.skeleton == Skeleton::Small) return interpreter::by_one_block;
  return form.skeleton == Skeleton::Scan || form.by_law ? interpreter::by_tiles : interpreter::by_strides;
}

// Returns true if compiling the kernel gives the interpreter's bits. Another NVRTC version may change the last bits of CUDA's
// mathematical functions.
bool compiles_to_same_bits(const Kernel& kernel, const Device& device) {
  if (!uses_math(kernel) || is_spirv(device.architecture())) return true;
  const InterpreterCode code = interpreter_code(device.architecture());
  return code.nvrtc[0] == nvrtc().major && code.nvrtc[1] == nvrtc().minor;
}

// Returns an estimate in nanoseconds: a constant plus a term that is quadratic in the function's length.
int64_t price_of_compiling(size_t instructions) { return 40'000'000 + 250 * int64_t(instructions) * int64_t(instructions); }

constexpr size_t longest_compiled = 4000;  // instructions; compiling that many takes seconds

// Returns the number of threads, at most `most`, whose registers fit in shared memory; 0 if not even one warp fits.
int threads_for(uint32_t registers, size_t shared_memory, int most) {
  int threads = most;
  while (threads >= 32 && 8 * (interpreter::most_words + size_t(registers) * size_t(threads)) > shared_memory) threads /= 2;
  return threads >= 32 ? threads / 32 * 32 : 0;
}

// The tiled order visits each element twice and folds it three times.
constexpr double visits_by_tiles = 2.5;
constexpr int pack_in_order = 8;

}  // namespace

bool interprets(const Device& device) {
  static const bool is_on = environment_has(Variable::WARPFOLD_INTERPRET, "1"), is_off = environment_has(Variable::WARPFOLD_INTERPRET, "0");
  return is_spirv(device.architecture()) ? is_on : !is_off;
}

int64_t time_to_interpret(double instructions_an_element, int64_t n, int64_t blocks) {
  constexpr double launch = 15e3, instruction = 0.7;  // nanoseconds
  return int64_t(launch + instruction * instructions_an_element * double(n) / double(blocks));
}

std::optional<Tier> first_tier(const Kernel& kernel, const Form& form, const Bytecode& bytecode, int64_t n, const Device& device) {
  Tier tier;
  tier.order = order_of(form);
  if (tier.order == interpreter::by_tiles || reduces_in_order(kernel, form.by_law)) tier.pack = pack_in_order;
  const bool few = form.skeleton == Skeleton::Small, same_bits = compiles_to_same_bits(kernel, device);
  const bool too_long = bytecode.instructions.size() > longest_compiled;
  tier.keeps_order = !few && !too_long && folds_floats(kernel);
  tier.threads = threads_for(bytecode.registers, device.shared_memory(), tier.keeps_order ? form.threads : interpreter::most_threads);
  if (tier.threads == 0) return std::nullopt;
  if (too_long || (few && !same_bits)) {
    tier.price = Tier::never;
    return tier;
  }
  const int64_t price = price_of_compiling(bytecode.instructions.size());
  if (few) {
    // One run would take longer than compiling. The compiled kernel has as many threads, which decide the order of floats.
    if (tier.threads == form.threads && time_to_interpret(bytecode.work, n, 1) > price) return std::nullopt;
    tier.price = price / 20;  // no caller waits for the compiler, but a kernel that runs a few times is not worth its work
    return tier;
  }
  // The price stays 0, so the kernel is compiled from its second call on. This run should not take much longer than compiling would.
  const double work = bytecode.work * (tier.order == interpreter::by_tiles ? visits_by_tiles : 1);
  if (!same_bits || time_to_interpret(work, n, device.multiprocessors()) > price / 4) return std::nullopt;
  if (tier.keeps_order) {
    if (tier.threads != form.threads || form.by_law) return std::nullopt;
    tier.pack = form.pack;
    tier.rows = form.rows;
    tier.rolled = form.rolled;
  }
  return tier;
}

}  // namespace wf::cuda
