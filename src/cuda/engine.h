// The CUDA engine: kernels printed into skeletons, compiled once, launched on the calling thread's stream.
#pragma once

#include <memory>
#include <string>

#include "engine/engine.h"

namespace wf::cuda {

// GPUs that can be used here; 0 where a driver, a compiler or a device is missing.
int device_count() noexcept;

struct Opened {
  std::shared_ptr<Pool> pool;
  std::unique_ptr<Engine> engine;
};

// The engine of cuda:`number` with a memory pool of its own. Throws DeviceError, which says what is missing.
Opened open(int number);

}  // namespace wf::cuda
