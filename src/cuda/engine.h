// The CUDA engine: kernels are written into skeletons, compiled once, and launched on the calling thread's stream.
#pragma once

#include <memory>
#include <string_view>

#include "engine/engine.h"

namespace wf::cuda {

// Returns the number of usable GPUs; 0 if the driver, NVRTC or a device is missing.
int device_count() noexcept;

struct Opened {
  std::shared_ptr<Pool> pool;
  std::unique_ptr<Engine> engine;
};

// Returns the engine of the device `driver`:`number`, "cuda" or "opencl", with its own pool. Routines for which only CUDA has libraries run on an engine
// that make_host returns. Throws DeviceError, whose message names the missing component.
Opened open(std::string_view driver, int number, std::unique_ptr<Engine> (*make_host)(std::shared_ptr<Pool>));

}  // namespace wf::cuda
