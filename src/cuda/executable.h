// A kernel on the device, ready to be launched. Two kinds: compiled, the machine code of the kernel's own text, and interpreted,
// instructions that the library's interpreter runs until the kernel is worth compiling.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cuda/bytecode/bytecode.h"
#include "cuda/bytecode/tier.h"
#include "cuda/device/device.h"
#include "cuda/form.h"
#include "cuda/routines/full_groups.h"
#include "cuda/signature.h"

namespace wf::cuda {

// The addresses of one launch's results, record of faults and scratch memory.
struct Addresses {
  CUdeviceptr results = 0, fault = 0, offsets_fault = 0, counters = 0, partials = 0, tile_words = 0, tile_values = 0, group_words = 0,
              group_values = 0, total = 0;
  CUdeviceptr fold_counters = 0, fold_partials = 0, queued = 0, tasks = 0;
  CUdeviceptr words = 0;  // memory for all words of the argument
  FullGroups full = {};
};

struct Start {
  int64_t n, blocks;
  const Addresses& at;
  std::span<uint64_t> words;  // the values of the signature's arguments
};

// Any thread may call.
class Executable {
 public:
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;

  const Signature& signature() const { return signature_; }
  // "compiled" or "interpreted", for explain.
  virtual const char* code() const = 0;
  // Returns true if tiles compute their carries by look-back.
  virtual bool chained() const = 0;
  // Returns true if blocks leave partial results in memory, and the last block combines them.
  bool has_partials() const { return chained() || form_.skeleton == Skeleton::Reduce || form_.reduces; }
  // Elements that a block processes at a time.
  virtual int64_t tile() const = 0;
  // Returns the number of blocks for n elements in that many tiles, or parts of tiles.
  int64_t blocks(int64_t n, int64_t tiles) const;
  // Starts the kernel on the queue.
  virtual void start(const Queue& queue, const Start& start) = 0;

  // Accounts for a run over n elements.
  virtual void ran(int64_t n, bool law_held) = 0;
  // Returns true if the next run should do without the law, since the law failed for recent data.
  virtual bool rests_from_law() = 0;
  // Returns, at most once, the form in which the caller should compile the kernel. Otherwise returns nullopt: this executable is used.
  virtual std::optional<Form> take_due_form() = 0;

 protected:
  // The function's attributes must be set: they decide how many blocks are resident at once.
  Executable(const Device& device, CUfunction function, const Form& form, Signature signature, int threads, uint32_t shared_bytes);
  // Returns the number of blocks for an order in which tiles are not chained, and several blocks run.
  virtual int64_t independent_blocks(int64_t n, int64_t tiles) const = 0;
  // Returns the number of blocks of a reduction, which decides the order in which elements are combined.
  int64_t reducing_blocks(int64_t tiles) const;
  // Returns the number of blocks that can be resident at once.
  int64_t resident_blocks() const { return int64_t(device_.multiprocessors()) * blocks_per_multiprocessor_; }
  // Launches the function with one parameter.
  void launch(const Queue& queue, int64_t blocks, void* parameter) const { launch(function_, queue, blocks, parameter); }
  void launch(CUfunction function, const Queue& queue, int64_t blocks, void* parameter) const;

  const Device& device_;
  const CUfunction function_;
  const Form form_;
  const Signature signature_;
  const int threads_;  // per block
  const uint32_t shared_bytes_;
  int blocks_per_multiprocessor_ = 1;
};

// Returns the module of that machine code, which is never unloaded.
CUmodule load_module(const Device& device, const void* code);
CUfunction function_of(const Device& device, CUmodule module, const char* name);
// Copies words that are not parameters to device memory. They may change when it returns.
void copy_words(const Queue& queue, CUdeviceptr to, std::span<const uint64_t> words);

// Throws CompileError if the kernel's text does not compile.
std::shared_ptr<Executable> compile_kernel(const Device& device, const Kernel& kernel, const Form& form);
// Returns the kernel's bytecode for that interpreter. `form` is the kernel's when it is compiled. Throws MemoryError.
std::shared_ptr<Executable> interpret_kernel(Device& device, CUfunction interpreter, const Form& form, Bytecode bytecode, const Tier& tier);

}  // namespace wf::cuda
