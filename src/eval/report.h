// The step that computed a result, and its cost; explain prints it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "dist/communicator.h"
#include "lazy/node.h"
#include "plan/plan.h"

namespace wf {

struct RunRecord : ResultRecord {
  RunRecord() {}  // not defaulted: its members need not be cleared first
  std::shared_ptr<const Step> step;
  Few<Bits64> arguments;  // of its kernel
  int64_t n = 0;
  double seconds = 0;               // of the call
  std::function<double()> elapsed;  // of the kernel, if the engine measures it; waits for its end
  std::string rows;                 // see Launch
  const char* code = "";            // see Launch
  int64_t left_out = 0;             // see Launch
  int64_t written = 0;              // bytes
  Exchanged exchanged;              // by a part
};

}  // namespace wf
