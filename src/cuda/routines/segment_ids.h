// The routine SegmentIds on a GPU (skeletons/routines.cuh).
#pragma once

#include <string>

#include "cuda/routines/routine_run.h"

namespace wf::cuda {

// The kernel warpfold_segment_ids for ids of that type.
std::string segment_ids_text(Type type);

class SegmentNumberer {
 public:
  SegmentNumberer(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)), kernels_(device) {}
  // Fills the launch's output, if it has one. Throws RangeError if the offsets do not cut the positions into segments.
  void run(const RoutineCall& call, Launch& launch);

 private:
  Device& device_;
  const std::shared_ptr<Pool> pool_;
  RoutineKernels kernels_;
};

}  // namespace wf::cuda
