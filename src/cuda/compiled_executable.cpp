// A kernel that NVRTC compiled from its text.
#include <algorithm>
#include <atomic>

#include "cuda/compile.h"
#include "cuda/executable.h"
#include "cuda/text/emit.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

// A scan's stages may need more than 48 KiB of shared memory, which must be requested.
CUfunction with_attributes(const Device& device, CUmodule module, const Form& form, uint32_t shared_bytes) {
  const ContextDriver& d = device.driver();
  const CUfunction function = function_of(device, module, kernel_name);
  if (shared_bytes > 0) check(d.cuFuncSetAttribute(function, function_max_dynamic_shared, int(shared_bytes)), "reserving shared memory");
  // The driver's default split leaves too little shared memory, next to the L1 cache, for a staged reduction's blocks and for kept rows. Blocks
  // that hold their rows in registers are few, and what they copy to shared memory passes through the L1 cache.
  if (form.staged || (form.row_capacity > 0 && form.held == 0))
    check(d.cuFuncSetAttribute(function, function_shared_carveout, 100), "choosing shared memory");
  return function;
}

class Compiled final : public Executable {
 public:
  Compiled(const Device& device, CUmodule module, const Kernel& kernel, const Form& form, Emitted emitted)
      : Executable(device, with_attributes(device, module, form, emitted.shared_bytes), form, std::move(emitted.signature), form.threads,
                   emitted.shared_bytes),
        second_(form.uneven ? function_of(device, module, second_kernel_name) : nullptr),
        arguments_in_memory_(emitted.arguments_in_memory),
        rests_after_failure_(kernel.has_scan() && is_in(kernel.scan[0].combine->params[0].type, Int) ? rests : 0) {
    if (blocks_per_multiprocessor_ < 1) throw DeviceError("a kernel needs more shared memory than this device has");
  }

  const char* code() const override { return "compiled"; }
  bool chained() const override { return form_.skeleton == Skeleton::Scan; }
  int64_t tile() const override { return form_.tile(); }

  void start(const Queue& queue, const Start& start) override {
    CUdeviceptr words_in_memory = start.at.words;
    if (arguments_in_memory_) copy_words(queue, words_in_memory, start.words);
    void* const argument = arguments_in_memory_ ? static_cast<void*>(&words_in_memory) : start.words.data();
    launch(queue, start.blocks, argument);
    if (second_) launch(second_, queue, waves_of_rows * resident_blocks(), argument);
  }

  void ran(int64_t, bool law_held) override {
    if (!law_held) rests_ = rests_after_failure_;
  }
  bool rests_from_law() override { return rests_.load() > 0 && rests_.fetch_sub(1) > 0; }
  std::optional<Form> take_due_form() override { return std::nullopt; }

 protected:
  // A map has one block per tile. Rows may differ in length, so a multiprocessor gets several blocks one after another. A block that copies
  // its next rows in the meantime stays, and one that keeps full groups.
  int64_t independent_blocks(int64_t, int64_t tiles) const override {
    if (form_.row_capacity > 0 && form_.held > 0) return std::clamp<int64_t>(tiles, 1, resident_blocks());
    if (form_.skeleton == Skeleton::Along) return std::clamp<int64_t>(tiles, 1, resident_blocks());
    if (form_.full_groups) return std::clamp<int64_t>(tiles, 1, resident_blocks());
    if (form_.held > 0 && !form_.reduces) return std::clamp<int64_t>(tiles, 1, 0x7fffffff);
    const int64_t waves = form_.flat ? waves_of_flat_rows : waves_of_rows;
    if (form_.skeleton == Skeleton::Rows && !form_.reduces) return std::clamp<int64_t>(tiles, 1, waves * resident_blocks());
    return form_.skeleton == Skeleton::Map ? std::min<int64_t>(tiles, 0x7fffffff) : reducing_blocks(tiles);
  }

 private:
  // Data for which the law failed is often followed by similar data, so the next runs skip the law. Floats are excluded: skipping the
  // law would change their results.
  static constexpr int rests = 15;
  static constexpr int64_t waves_of_rows = 4, waves_of_flat_rows = 32;

  const CUfunction second_;  // for the long rows of uneven ones
  const bool arguments_in_memory_;
  const int rests_after_failure_;
  std::atomic<int> rests_{0};
};

}  // namespace

std::shared_ptr<Executable> compile_kernel(const Device& device, const Kernel& kernel, const Form& form) {
  Emitted emitted = emit(kernel, form);
  const CUmodule module = load_module(device, machine_code(emitted.text, device.architecture()).data());
  return std::make_shared<Compiled>(device, module, kernel, form, std::move(emitted));
}

}  // namespace wf::cuda
