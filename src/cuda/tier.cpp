#include "cuda/tier.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cuda/interpreter.h"

namespace wf::cuda {
namespace {

bool contains_float_extremes(const Fn& fn) {
  return std::ranges::any_of(fn.terms, [](const Term& t) { return t.kind == Kind::Apply && (t.op == Op::min_ || t.op == Op::max_) && is_in(t.type, Float); }) ||
         std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return contains_float_extremes(*loop.body); });
}

bool any_fold(const Kernel& kernel, auto&& is) {
  return std::ranges::any_of(kernel.scan, [&](const Scan& s) { return is(*s.combine); }) ||
         std::ranges::any_of(kernel.reductions, [&](const Reduction& r) { return is(*r.combine); });
}

// The order in which elements meet shows in the results.
bool folds_floats(const Kernel& kernel) {
  return any_fold(kernel, [](const Fn& f) { return std::ranges::any_of(f.params, [](const auto& p) { return is_in(p.type, Float); }); });
}

// Prefixes, compactions and what is reduced in order need tiles.
interpreter::Order order_of(const Kernel& kernel, const Form& form) {
  if (form.skeleton == Skeleton::Small) return interpreter::by_one_block;
  if (form.skeleton == Skeleton::Scan || reduces_in_order(kernel, form.by_law)) return interpreter::by_tiles;
  return interpreter::by_strides;
}

// The interpreter can take the order in which elements meet when the kernel is compiled. A scan's depends on its form alone. That of a
// reduction depends on how many blocks a multiprocessor holds, where memory binds and blocks take several tiles, which is known only once it
// is compiled. (Minima of floats are the hardware's in compiled folds, which is free in the sign of a zero.)
bool takes_same_order(const Kernel& kernel, const Form& form, const Tier& tier, int64_t n, int64_t multiprocessors) {
  if (tier.threads != form.threads || any_fold(kernel, contains_float_extremes)) return false;
  if (tier.order == interpreter::by_tiles) return form.skeleton == Skeleton::Scan;
  return form.rolled || n <= multiprocessors * form.tile();
}

// Machine code of another version's compiler may differ in the last bits of functions of CUDA's library.
bool compiles_to_same_bits(const Kernel& kernel) {
  return (interpreter_nvrtc[0] == nvrtc().major && interpreter_nvrtc[1] == nvrtc().minor) || !uses_math(kernel);
}

// Nanoseconds, as measured with NVRTC 13.0: 40 ms, and for long functions the square of their length.
int64_t price_of_compiling(size_t instructions) { return 40'000'000 + 250 * int64_t(instructions) * int64_t(instructions); }

constexpr size_t longest_compiled = 4000;  // instructions; that takes seconds

// How many threads of a block find room for so many registers each, at most so many; 0 where not even a warp does.
int threads_for(uint32_t registers, size_t shared_memory, int most) {
  int threads = most;
  while (threads >= 32 && 8 * (interpreter::most_words + size_t(registers) * size_t(threads)) > shared_memory) threads /= 2;
  return threads >= 32 ? threads / 32 * 32 : 0;
}

// In tiles each element is visited twice, and folded three times.
constexpr double visits_by_tiles = 2.5;
constexpr int pack_by_tiles = 8;

}  // namespace

bool interprets() {
  static const bool chosen = [] {
    const char* setting = std::getenv("WARPFOLD_INTERPRET");
    return !setting || std::string_view(setting) != "0";
  }();
  return chosen;
}

int64_t time_to_interpret(double instructions_an_element, int64_t n, int64_t blocks) {
  return int64_t(15e3 + 0.7 * instructions_an_element * double(n) / double(blocks));  // measured on an H200
}

std::optional<Tier> first_tier(const Kernel& kernel, const Form& form, const Bytecode& bytecode, int64_t n, const Device& device) {
  Tier tier;
  tier.order = order_of(kernel, form);
  if (tier.order == interpreter::by_tiles) tier.pack = pack_by_tiles;
  const bool few = form.skeleton == Skeleton::Small, same_bits = compiles_to_same_bits(kernel);
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
    tier.price = price;
    return tier;
  }
  // Due at once, so that who comes next compiles it. This run should not take much longer than if it did.
  const double work = bytecode.work * (tier.order == interpreter::by_tiles ? visits_by_tiles : 1);
  if (!same_bits || time_to_interpret(work, n, device.multiprocessors()) > price / 4) return std::nullopt;
  if (tier.keeps_order) {
    if (!takes_same_order(kernel, form, tier, n, device.multiprocessors())) return std::nullopt;
    tier.pack = form.pack;
    tier.rows = form.rows;
    tier.rolled = form.rolled;
  }
  return tier;
}

}  // namespace wf::cuda
