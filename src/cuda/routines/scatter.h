// The routine Scatter on a GPU (skeletons/scatter.cuh).
#pragma once

#include <string>

#include "cuda/device/device.h"
#include "engine/engine.h"
#include "expr/recent.h"

namespace wf::cuda {

// The kernel that combines values, or counts indices if op is null, into columns of `type`. in_table: through tables in shared memory. Its
// argument is a structure of 8-byte words: the addresses of indices, values and results, the number of indices, and of results.
std::string scatter_text(std::optional<Op> op, Type type, Type index, bool in_table);

class Scatterer {
 public:
  Scatterer(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)) {}
  // Fills the launch's outputs.
  void run(const RoutineCall& call, Launch& launch);

 private:
  CUfunction kernel(const std::string& text);

  Device& device_;
  const std::shared_ptr<Pool> pool_;
  Recent<std::string, CUfunction> kernels_{64};  // by text
};

}  // namespace wf::cuda
