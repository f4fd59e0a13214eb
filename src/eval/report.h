// What the run that made a result did and cost; explain shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "lazy/node.h"
#include "plan/kernel.h"

namespace wf {

struct RunRecord : ResultRecord {
  std::shared_ptr<const Kernel> kernel;
  std::vector<Bits64> arguments;      // of that kernel
  int64_t n = 0;
  double seconds = 0;                 // of the call
  std::function<double()> elapsed;    // of the kernel, where the engine says so; waits for its end
  int64_t read = 0, written = 0;  // bytes
};

}  // namespace wf
