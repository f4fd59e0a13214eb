// Kernels that are ready to be launched, in memory, keyed by structure: literals and lengths do not matter.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda/executable.h"
#include "cuda/text/literals.h"

namespace wf::cuda {

class KernelCache {
 public:
  explicit KernelCache(Device& device) : device_(device) {}
  ~KernelCache();
  // A kernel in a form. It is never removed.
  struct Entry {
    Kernel kernel;
    Form form;
    std::vector<Bits64> in_text;  // literals that are part of the text
    std::shared_ptr<Executable> executable;
  };
  // Returns the entry of the kernel in that form, which is made for n elements if it is new.
  Entry& find(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);
  // Returns the entry's code. A new kernel is interpreted at first if that gives the same bits and is fast, and is compiled in the background: from its
  // second call on if it has many elements, and after some milliseconds of interpretation if it has few.
  std::shared_ptr<Executable> executable_of(Entry& entry);

 private:
  // Returns null if the kernel should be compiled at once.
  std::shared_ptr<Executable> interpreted(const Kernel& kernel, const Form& form, const Literals& literals, int64_t n);
  // Returns null if the library has no interpreter for this device.
  CUfunction interpreter(bool tiled, bool wide);

  Device& device_;
  struct Loaded {
    std::once_flag once;
    CUfunction function = nullptr;
  };
  Loaded interpreters_[2][2];
  std::mutex mutex_;
  std::unordered_multimap<uint64_t, Entry> by_hash_;
};

}  // namespace wf::cuda
