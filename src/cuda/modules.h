// Compiled kernels in memory, found by structure: literals and lengths do not matter.
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

struct Compiled {
  Kernel kernel;
  Form form;
  std::vector<Bits64> in_text;  // literals that are part of the text
  Emitted emitted;
  CUfunction function = nullptr;
  int threads = 0;  // of a block
  int blocks_per_multiprocessor = 1;
  std::unique_ptr<Interpreted> interpreted;  // or null: the kernel was compiled

  // Tiles that find their carries by looking back.
  bool chained() const { return interpreted ? interpreted->tier().order == interpreter::by_tiles : form.skeleton == Skeleton::Scan; }
  // Elements that a block takes at a time.
  int64_t tile() const { return chained() && interpreted ? interpreted->tier().tile() : form.tile(); }

  // Data like those for which the law failed will often come again: the next runs by it are left out, where that changes no result,
  // as for floats it would.
  void law_failed() const {
    if (is_in(kernel.scan[0].combine->params[0].type, Int)) rests = 15;
  }
  bool rest_from_law() const { return rests.load() > 0 && rests.fetch_sub(1) > 0; }
  mutable std::atomic<int> rests{0};

  // Nanoseconds that interpreting it has taken; from `price` on, whoever looks for it compiles it.
  mutable std::atomic<int64_t> spent{0};
  mutable std::atomic<int64_t> price{0};
  bool is_due() const { return interpreted && spent >= price; }
};

class Modules {
 public:
  explicit Modules(Device& device) : device_(device) {}
  // The kernel's code in that form for n elements: to be interpreted at first, where that gives the same bits and is soon done;
  // compiled once interpreting it has taken as long as compiling does, so that nobody waits for more than twice what foresight
  // would have taken (ski rental), and of many elements at the second call.
  std::shared_ptr<const Compiled> find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);

 private:
  std::shared_ptr<Compiled> compiled(const Kernel& kernel, const Form& form, const Literals& literals);
  // Null where it is better compiled.
  std::shared_ptr<Compiled> interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);
  // In place of one that was interpreted, which it returns where the compiler does not take the kernel.
  std::shared_ptr<const Compiled> compiled_instead(const std::shared_ptr<const Compiled>& known, const Literals& literals);
  // Null where the library has none for this device.
  CUfunction interpreter(bool tiled, bool wide);

  Device& device_;
  struct Loaded {
    std::once_flag once;
    CUfunction function = nullptr;
  };
  Loaded interpreters_[2][2];
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Compiled>> by_hash_;
};

}  // namespace wf::cuda
