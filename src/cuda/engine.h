// The CUDA engine: kernels are written into skeletons, compiled once, and launched on the calling thread's stream.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"

namespace wf::cuda {

// Returns the number of usable GPUs; 0 if the driver, NVRTC or a device is missing.
int device_count() noexcept;

struct Opened {
  std::shared_ptr<Pool> pool;
  std::unique_ptr<Engine> engine;
};

// Returns the engine of cuda:`number` with its own memory pool. Throws DeviceError, whose message names the missing component.
Opened open(int number);

}  // namespace wf::cuda
