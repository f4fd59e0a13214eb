// Compiled kernels in memory, found by structure: literals and lengths do not matter.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda/device.h"
#include "cuda/emit.h"
#include "cuda/literals.h"

namespace wf::cuda {

struct Compiled {
  Kernel kernel;
  Form form;
  std::vector<Bits64> in_text;  // literals that are part of the text
  Emitted emitted;
  CUfunction function = nullptr;
  int blocks_per_multiprocessor = 1;

  // Data like those for which the law failed will often come again: the next runs by it are left out, where that changes no result,
  // as for floats it would.
  void law_failed() const {
    if (is_in(kernel.scan[0].combine->params[0].type, Int)) rests = 15;
  }
  bool rest_from_law() const { return rests.load() > 0 && rests.fetch_sub(1) > 0; }
  mutable std::atomic<int> rests{0};
};

class Modules {
 public:
  explicit Modules(Device& device) : device_(device) {}
  // The kernel's code in that form, compiled at the first call.
  std::shared_ptr<const Compiled> find(const Kernel& kernel, const Form& form, const Literals& literals);

 private:
  std::shared_ptr<const Compiled> make(const Kernel& kernel, const Form& form, const Literals& literals);

  Device& device_;
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::shared_ptr<const Compiled>> by_hash_;
};

}  // namespace wf::cuda
