#include "cuda/kernel_cache.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "cuda/bytecode/tier.h"
#include "cuda/compile.h"
#include "engine/engine.h"
#include "expr/recent.h"

namespace wf::cuda {
namespace {

uint64_t hash_of(const Kernel& kernel, const Form& form, const Literals& literals) {
  Hash hash;
  hash(structure_hash(kernel, false));
  for (const Stream& s : form.streams) hash(uint64_t(s.term) << 2 | uint64_t(s.load));
  hash(uint64_t(form.by_law));
  hash(literals.in_text);
  return hash.value;
}

CUfunction load(const void* code) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(driver().cuModuleLoadData(&module, code), "loading a kernel");
  check(driver().cuModuleGetFunction(&function, module, "warpfold"), "finding a kernel");
  return function;  // modules are never unloaded
}

// Loads the code and computes its occupancy, which registers and shared memory limit. A scan's stages may need more than 48 KiB of
// shared memory, which must be requested.
void prepare(Executable& compiled, const std::string& code) {
  const Driver& d = driver();
  compiled.function = load(code.data());
  compiled.threads = compiled.form.threads;
  const size_t shared = compiled.emitted.shared_bytes;
  if (shared > 0) check(d.cuFuncSetAttribute(compiled.function, function_max_dynamic_shared, int(shared)), "reserving shared memory");
  // The driver's default split leaves too little shared memory, next to the L1 cache, for a staged reduction's blocks.
  if (compiled.form.staged) check(d.cuFuncSetAttribute(compiled.function, function_shared_carveout, 100), "choosing shared memory");
  check(
      d.cuOccupancyMaxActiveBlocksPerMultiprocessor(&compiled.blocks_per_multiprocessor, compiled.function, compiled.form.threads, shared),
      "querying a kernel's occupancy");
  if (compiled.blocks_per_multiprocessor < 1) throw DeviceError("a kernel needs more shared memory than this device has");
}

}  // namespace

std::shared_ptr<Executable> KernelCache::compiled(const Kernel& kernel, const Form& form, const Literals& literals) {
  auto made = std::make_shared<Executable>();
  made->kernel = kernel;
  made->form = form;
  made->in_text = literals.in_text;
  made->emitted = emit(kernel, form);
  prepare(*made, machine_code(made->emitted.text, device_.architecture()));
  return made;
}

CUfunction KernelCache::interpreter(bool tiled, bool wide) {
  Loaded& loaded = interpreters_[tiled][wide];
  std::call_once(loaded.once, [&] {
    const InterpreterCode codes = interpreter_code(device_.architecture());
    const std::string_view code = (tiled ? codes.tiled : codes.strided)[wide];
    if (code.empty()) return;
    try {
      const CUfunction function = load(code.data());
      check(driver().cuFuncSetAttribute(function, function_max_dynamic_shared, int(device_.shared_memory())), "reserving shared memory");
      loaded.function = function;
    } catch (const DeviceError&) {
      // The driver is older than the NVRTC with which the library was built: kernels are compiled.
    }
  });
  return loaded.function;
}

std::shared_ptr<Executable> KernelCache::interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  if (!interprets() || form.skeleton == Skeleton::Rows) return nullptr;
  std::optional<Bytecode> bytecode = assemble(kernel, literals, form.skeleton != Skeleton::Small);
  const std::optional<Tier> tier = bytecode ? first_tier(kernel, form, *bytecode, n, device_) : std::nullopt;
  const CUfunction function = tier ? interpreter(tier->order == interpreter::by_tiles, bytecode->is_wide()) : nullptr;
  if (!function) return nullptr;
  auto made = std::make_shared<Executable>();
  made->kernel = kernel;
  made->form = form;
  made->in_text = literals.in_text;
  made->function = function;
  made->threads = tier->threads;
  made->price = tier->price;
  made->emitted = std::move(bytecode->emitted);
  try {
    made->interpreted = std::make_unique<Interpreted>(device_, std::move(*bytecode), *tier);
  } catch (const MemoryError&) { return nullptr; }
  made->emitted.shared_bytes = made->interpreted->shared_bytes();
  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&made->blocks_per_multiprocessor, made->function, made->threads,
                                                             made->emitted.shared_bytes),
        "querying a kernel's occupancy");
  return made;
}

std::shared_ptr<const Executable> KernelCache::compiled_instead(const std::shared_ptr<const Executable>& known, const Literals& literals) {
  Form form = known->form;
  if (form.skeleton == Skeleton::Small) form.threads = known->threads;  // the same order of folds
  try {
    std::shared_ptr<Executable> made = compiled(known->kernel, form, literals);
    made->form = known->form;
    return made;
  } catch (const std::exception&) {
    known->price = Tier::never;
    return known;
  }
}

std::shared_ptr<const Executable> KernelCache::find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  const uint64_t key = hash_of(kernel, form, literals);
  auto look = [&]() -> std::shared_ptr<const Executable> {
    std::lock_guard lock(mutex_);
    auto [begin, end] = by_hash_.equal_range(key);
    for (auto it = begin; it != end; ++it)
      if (it->second->form == form && it->second->in_text == literals.in_text && same_structure(it->second->kernel, kernel, false))
        return it->second;
    return nullptr;
  };
  const std::shared_ptr<const Executable> known = look();
  if (known && !known->is_due()) return known;
  // Compiled outside the lock: at worst two threads compile the same kernel.
  std::shared_ptr<const Executable> made;
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
