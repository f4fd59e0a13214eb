// A kernel made ready for the block evaluator; shared by all runs and threads, and kept for the next kernel like it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "cpu/program/columns.h"
#include "plan/kernel.h"

namespace wf::cpu {

class Worker;

struct Compiled {
  explicit Compiled(const Kernel& kernel);
  ~Compiled();

  // Elements in a chunk: a multiple of the block, decided by n and the kernel alone, so that a result does not depend on who
  // computed what when.
  int64_t chunk_length(int64_t n) const;

  // A worker that an earlier run has left, or a new one.
  std::unique_ptr<Worker> take_worker() const;
  void give_back(std::unique_ptr<Worker> worker) const;

  Kernel kernel;
  std::shared_ptr<const Program> program;  // the body. Phase 0: what is scanned (everything, without a scan); phase 1: the rest
  int64_t block;                           // elements that go through the body at once
  std::unique_ptr<const Combine> scan;     // null: none
  std::vector<std::unique_ptr<const Combine>> reductions;
  std::optional<ScalarFunction> finish;
  std::vector<bool> exclusive_used, inclusive_used;  // of each scan column: whether the body reads it
  std::vector<bool> law_inclusive;                   // of each reduction by law: which prefix it takes
  bool has_phase_1 = false;        // results besides the scanned values
  bool phase_1_by_law = false;     // results besides those and the reductions by law
  std::vector<Type> result_types;  // of the body

 private:
  int64_t smallest_chunk_, largest_chunk_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Worker>> idle_;
};

// Whether two kernels are one and the same but for names and buffers, and a hash that agrees with it.
uint64_t kernel_hash(const Kernel& kernel);
bool same_kernel(const Kernel& a, const Kernel& b);

}  // namespace wf::cpu
