#include "cuda/kernel_cache.h"

#include <cstdlib>
#include <optional>

#include "cuda/bytecode/interpreter.h"
#include "cuda/bytecode/tier.h"
#include "cuda/compile.h"
#include "engine/background.h"
#include "engine/engine.h"
#include "expr/recent.h"

namespace wf::cuda {
namespace {

uint64_t hash_of(const Kernel& kernel, const Form& form, const Literals& literals) {
  Hash hash;
  hash(structure_hash(kernel, false));
  for (const Stream& s : form.streams) hash(uint64_t(s.term) << 3 | uint64_t(s.load)), hash(uint64_t(s.distance));
  hash(uint64_t(form.by_law));
  hash(literals.in_text);
  return hash.value;
}

// When the process ends, the compilation that runs is cancelled and waited for, before the variables of NVRTC and the driver are destroyed.
Background& compiler() {
  static Background& only = *[] {
    std::atexit([] {
      cancel_compilations();
      compiler().close();
    });
    return new Background;
  }();
  return only;
}

}  // namespace

KernelCache::~KernelCache() { compiler().drop(this); }

CUfunction KernelCache::interpreter(bool tiled, bool wide) {
  Loaded& loaded = interpreters_[tiled][wide];
  std::call_once(loaded.once, [&] {
    try {
      const std::string code = interpreter_code(device_.architecture(), tiled, wide);
      if (code.empty()) return;
      const CUfunction function = function_of(device_, load_module(device_, code.data()), kernel_name);
      check(device_.driver().cuFuncSetAttribute(function, function_max_dynamic_shared, int(device_.shared_memory())),
            "reserving shared memory");
      loaded.function = function;
    } catch (const DeviceError&) {
      // The driver is older than the NVRTC with which the library was built, or OpenCL does not build it: kernels are compiled.
    }
  });
  return loaded.function;
}

std::shared_ptr<Executable> KernelCache::interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  if (!interprets(device_) || form.skeleton == Skeleton::Rows || form.skeleton == Skeleton::Along || !kernel.scatters.empty() ||
      has_segments(kernel))
    return nullptr;
  std::optional<Bytecode> bytecode = assemble(kernel, literals, form.skeleton != Skeleton::Small);
  const std::optional<Tier> tier = bytecode ? first_tier(kernel, form, *bytecode, n, device_) : std::nullopt;
  const CUfunction function = tier ? interpreter(tier->order == interpreter::by_tiles, bytecode->is_wide()) : nullptr;
  if (!function) return nullptr;
  try {
    return interpret_kernel(device_, function, form, std::move(*bytecode), *tier);
  } catch (const MemoryError&) { return nullptr; }
}

KernelCache::Entry& KernelCache::find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n) {
  const uint64_t hash = hash_of(kernel, form, literals);
  auto look = [&]() -> Entry* {  // requires mutex_
    auto [at, end] = by_hash_.equal_range(hash);
    for (; at != end; ++at)
      if (Entry& e = at->second; e.form == form && e.in_text == literals.in_text && same_structure(e.kernel, kernel, false)) return &e;
    return nullptr;
  };
  {
    std::lock_guard lock(mutex_);
    if (Entry* entry = look()) return *entry;
  }
  // Made outside the lock: at worst two threads make the same executable.
  std::shared_ptr<Executable> made = interpreted(kernel, form, literals, n);
  if (!made) made = compile_kernel(device_, kernel, form);
  std::lock_guard lock(mutex_);
  if (Entry* entry = look()) return *entry;
  return by_hash_.emplace(hash, Entry{kernel, form, literals.in_text, made})->second;
}

std::shared_ptr<Executable> KernelCache::executable_of(Entry& entry) {
  std::shared_ptr<Executable> known;
  {
    std::lock_guard lock(mutex_);
    known = entry.executable;
  }
  if (const std::optional<Form> due = known->take_due_form())
    compiler().submit(this, [this, &entry, form = *due] {
      try {
        const std::shared_ptr<Executable> made = compile_kernel(device_, entry.kernel, form);
        std::lock_guard lock(mutex_);
        entry.executable = made;
      } catch (const std::exception&) {
        // The kernel stays interpreted.
      }
    });
  return known;
}

}  // namespace wf::cuda
