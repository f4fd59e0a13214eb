// The error of an index that is out of range inside a kernel, the same on every engine.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "engine/engine.h"

namespace wf {

// Lengths of segments are checked as indices that have every number from 0 on.
[[noreturn]] inline void throw_index_error(int64_t index, int64_t at, int64_t length) {
  const std::string place = std::to_string(index) + " at element " + std::to_string(at);
  if (length == std::numeric_limits<int64_t>::max()) throw RangeError("length " + place + " is negative; expected 0 or more");
  std::string message = "index " + place + " is out of range for a sequence of length " + std::to_string(length);
  if (length > 0) message += "; valid indices are 0 to " + std::to_string(length - 1);
  throw IndexFault(message, index, length);
}

}  // namespace wf
