#include "cuda/modules.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "cuda/compile.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

bool same(const FnRef& f, const FnRef& g) { return f == g || (f && g && same_structure(*f, *g, false)); }

template <class T, class F>
bool same(const std::vector<T>& x, const std::vector<T>& y, F equal) {
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); k++)
    if (!equal(x[k], y[k])) return false;
  return true;
}

bool same(const Kernel& x, const Kernel& y) {
  return same(x.inputs, y.inputs, [](const Input& a, const Input& b) { return a.type == b.type; }) && x.outputs == y.outputs &&
         same(x.body, y.body) && same(x.finish, y.finish) &&
         same(x.scan, y.scan, [](const Scan& a, const Scan& b) { return a.values == b.values && same(a.combine, b.combine); }) &&
         same(x.stores, y.stores, [](const Store& a, const Store& b) { return a.value == b.value && a.output == b.output; }) &&
         same(x.compactions, y.compactions,
              [](const Compact& a, const Compact& b) { return a.mask == b.mask && a.values == b.values && a.outputs == b.outputs; }) &&
         same(x.reductions, y.reductions, [](const Reduction& a, const Reduction& b) {
           return a.mask == b.mask && a.values == b.values && a.by_law == b.by_law && a.law_column == b.law_column && same(a.combine, b.combine);
         });
}

uint64_t hash(const Kernel& kernel, const Form& form, const Literals& literals) {
  uint64_t h = 0;
  auto add = [&](uint64_t x) { h = (h ^ x) * 0x9e3779b97f4a7c15 + (h >> 29); };
  add(structure_hash(*kernel.body, false));
  if (kernel.finish) add(structure_hash(*kernel.finish, false));
  for (const Scan& s : kernel.scan) add(structure_hash(*s.combine, false));
  for (const Reduction& r : kernel.reductions) add(structure_hash(*r.combine, false)), add(r.mask);
  for (const Store& s : kernel.stores) add(s.value);
  for (const Compact& c : kernel.compactions) add(c.mask), add(c.values.size());
  for (const Stream& s : form.streams) add(uint64_t(s.term) << 2 | uint64_t(s.load));
  add(uint64_t(form.by_law));
  for (Bits64 bits : literals.in_text) add(bits);
  return h;
}

CUfunction load(const void* code) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(driver().cuModuleLoadData(&module, code), "loading a kernel");
  check(driver().cuModuleGetFunction(&function, module, "warpfold"), "finding a kernel");
  return function;
}

// A multiprocessor's blocks are limited by registers and shared memory, and by what a scan's stages need above 48 KiB.
void prepare(Compiled& compiled, const std::string& code) {
  const Driver& d = driver();
  compiled.function = load(code.data());
  compiled.threads = compiled.form.threads;
  const size_t shared = compiled.emitted.shared_bytes;
  if (shared > 0) check(d.cuFuncSetAttribute(compiled.function, function_max_dynamic_shared, int(shared)), "reserving shared memory");
  // The driver would leave more to the cache than a staged reduction's blocks let it.
  if (compiled.form.staged) check(d.cuFuncSetAttribute(compiled.function, function_shared_carveout, 100), "choosing shared memory");
  check(d.cuOccupancyMaxActiveBlocksPerMultiprocessor(&compiled.blocks_per_multiprocessor, compiled.function, compiled.form.threads, shared),
        "asking for a kernel's occupancy");
  if (compiled.blocks_per_multiprocessor < 1) throw DeviceError("a kernel needs more shared memory than this device has");
}

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

constexpr int64_t never = std::numeric_limits<int64_t>::max();

// Machine code of another version's compiler may differ in the last bits of functions of CUDA's library.
bool compiles_to_same_bits(const Kernel& kernel) {
  return (interpreter_nvrtc[0] == nvrtc().major && interpreter_nvrtc[1] == nvrtc().minor) || !uses_math(kernel);
}

// Nanoseconds, as measured with NVRTC 13.0: 40 ms, and for long functions the square of their length.
int64_t price_of_compiling(size_t instructions) { return 40'000'000 + 250 * int64_t(instructions) * int64_t(instructions); }

constexpr size_t longest_compiled = 4000;  // instructions; that takes seconds

}  // namespace

std::shared_ptr<Compiled> Modules::compiled(const Kernel& kernel, const Form& form, const Literals& literals) {
  auto made = std::make_shared<Compiled>();
  made->kernel = kernel;
  made->form = form;
  made->in_text = literals.in_text;
  made->emitted = emit(kernel, form);
  prepare(*made, machine_code(made->emitted.text, device_.architecture()));
  return made;
}

CUfunction Modules::interpreter() {
  std::call_once(interpreter_loaded_, [&] {
    const std::string_view code = interpreter_code(device_.architecture());
    if (code.empty()) return;
    interpreter_ = load(code.data());
    check(driver().cuFuncSetAttribute(interpreter_, function_max_dynamic_shared, int(device_.shared_memory())), "reserving shared memory");
  });
  return interpreter_;
}

std::shared_ptr<Compiled> Modules::interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  const bool few = form.skeleton == Skeleton::Small;
  if (!interprets() || !interpreter() || !(few || takes_many(kernel, form))) return nullptr;
  std::optional<Bytecode> bytecode = assemble(kernel, literals);
  if (!bytecode) return nullptr;
  const size_t length = bytecode->instructions.size();
  const int64_t price = price_of_compiling(length);
  auto made = std::make_shared<Compiled>();
  made->kernel = kernel;
  made->form = form;
  made->in_text = literals.in_text;
  made->function = interpreter();
  made->threads = threads_for(bytecode->registers, device_.shared_memory());
  if (made->threads == 0) return nullptr;
  made->emitted = std::move(bytecode->emitted);
  made->interpreted = std::make_unique<Interpreted>(device_, std::move(*bytecode), made->threads, few);
  made->emitted.shared_bytes = made->interpreted->shared_bytes();
  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&made->blocks_per_multiprocessor, made->function, made->threads, made->emitted.shared_bytes),
        "asking for a kernel's occupancy");
  if (length > longest_compiled) {
    made->price = never;
  } else if (few) {
    made->price = compiles_to_same_bits(kernel) ? price : never;
  } else {
    // Compiled at the second call; the first should not take much longer than if it were compiled.
    made->price = 1;
    if (!compiles_to_same_bits(kernel) || made->interpreted->seconds(n, device_.multiprocessors()) * 1e9 > 0.25 * double(price)) return nullptr;
    if (!is_exact(kernel)) {
      if (!order_is_known(kernel, form, n, device_.multiprocessors(), made->threads)) return nullptr;
      made->interpreted->order_as(form);
    }
  }
  return made;
}

std::shared_ptr<const Compiled> Modules::compiled_instead(const std::shared_ptr<const Compiled>& known, const Literals& literals) {
  Form form = known->form;
  if (form.skeleton == Skeleton::Small) form.threads = known->threads;  // so that the same values meet
  try {
    std::shared_ptr<Compiled> made = compiled(known->kernel, form, literals);
    made->form = known->form;
    return made;
  } catch (const std::exception&) {
    known->price = never;
    return known;
  }
}

std::shared_ptr<const Compiled> Modules::find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  const uint64_t key = hash(kernel, form, literals);
  auto look = [&]() -> std::shared_ptr<const Compiled> {
    std::lock_guard lock(mutex_);
    auto [begin, end] = by_hash_.equal_range(key);
    for (auto it = begin; it != end; ++it)
      if (it->second->form == form && it->second->in_text == literals.in_text && same(it->second->kernel, kernel)) return it->second;
    return nullptr;
  };
  const std::shared_ptr<const Compiled> known = look();
  if (known && !known->is_due()) return known;
  // Made outside the lock: at worst two threads compile the same kernel.
  std::shared_ptr<const Compiled> made;
  if (known) made = compiled_instead(known, literals);
  else made = interpreted(kernel, form, literals, n);
  if (!made) made = compiled(kernel, form, literals);
  std::lock_guard lock(mutex_);
  auto [begin, end] = by_hash_.equal_range(key);
  auto place = std::find_if(begin, end, [&](const auto& entry) { return entry.second == known; });
  if (known && place != end) place->second = made;
  else by_hash_.emplace(key, made);
  return made;
}

}  // namespace wf::cuda
