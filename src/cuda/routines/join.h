// The routine Join on a GPU (skeletons/routines.cuh).
#pragma once

#include <string>

#include "cuda/routines/routine_run.h"

namespace wf::cuda {

// The kernel warpfold_join for a column of that type.
std::string join_text(Type type);

class Joiner {
 public:
  Joiner(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)), kernels_(device) {}
  void run(const RoutineCall& call, Launch& launch);

 private:
  Device& device_;
  const std::shared_ptr<Pool> pool_;
  RoutineKernels kernels_;
};

}  // namespace wf::cuda
