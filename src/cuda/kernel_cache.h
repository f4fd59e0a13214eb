// Kernels that are ready to be launched, in memory, keyed by structure: literals and lengths do not matter.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda/bytecode/interpreter.h"
#include "cuda/device/device.h"
#include "cuda/text/emit.h"
#include "cuda/text/literals.h"

namespace wf::cuda {

struct Executable {
  Kernel kernel;
  Form form;
  std::vector<Bits64> in_text;  // literals that are part of the text
  Emitted emitted;
  CUfunction function = nullptr;
  int threads = 0;  // per block
  int blocks_per_multiprocessor = 1;
  std::unique_ptr<Interpreted> interpreted;  // or null: the kernel was compiled

  // Returns true if tiles compute their carries by look-back.
  bool chained() const { return interpreted ? interpreted->tier().order == interpreter::by_tiles : form.skeleton == Skeleton::Scan; }
  // Elements that a block processes at a time.
  int64_t tile() const { return chained() && interpreted ? interpreted->tier().tile() : form.tile(); }

  // Data for which the law failed is often followed by similar data, so the next runs skip the law. Floats are excluded: skipping the
  // law would change their results.
  void law_failed() const {
    if (is_in(kernel.scan[0].combine->params[0].type, Int)) rests = 15;
  }
  bool rest_from_law() const { return rests.load() > 0 && rests.fetch_sub(1) > 0; }
  mutable std::atomic<int> rests{0};

  // Nanoseconds that interpreting the kernel has cost. Once they reach `price`, the next caller compiles it.
  mutable std::atomic<int64_t> spent{0};
  mutable std::atomic<int64_t> price{0};
  bool is_due() const { return interpreted && spent >= price; }
};

class KernelCache {
 public:
  explicit KernelCache(Device& device) : device_(device) {}
  // Returns the kernel's code in that form for n elements. A new kernel is interpreted at first if that gives the same bits and is fast.
  // A kernel over few elements is compiled once interpreting it has cost as much as compiling it: at most twice the optimum (ski rental).
  // A kernel over many elements is compiled at its second call.
  std::shared_ptr<const Executable> find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);

 private:
  std::shared_ptr<Executable> compiled(const Kernel& kernel, const Form& form, const Literals& literals);
  // Returns null if the kernel should be compiled at once.
  std::shared_ptr<Executable> interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);
  // Compiles a kernel that was interpreted so far. Returns `known` if the kernel does not compile.
  std::shared_ptr<const Executable> compiled_instead(const std::shared_ptr<const Executable>& known, const Literals& literals);
  // Returns null if the library has no interpreter for this device.
  CUfunction interpreter(bool tiled, bool wide);

  Device& device_;
  struct Loaded {
    std::once_flag once;
    CUfunction function = nullptr;
  };
  Loaded interpreters_[2][2];
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Executable>> by_hash_;
};

}  // namespace wf::cuda
