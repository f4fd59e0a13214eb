// The error of an index that is out of range inside a kernel, the same on every engine.
#pragma once

#include <cstdint>
#include <string>

#include "engine/engine.h"
#include "lazy/composed/segments.h"

namespace wf {

// The message about a number that a Check found outside [0, length). place: " at element 7" or another name of the element that it was read for.
inline std::string index_error(int64_t index, int64_t length, const std::string& place) {
  const std::string number = std::to_string(index);
  if (length == checks_length)
    return "length " + number + place + (index < 0 ? " is negative; expected 0 or more" : " is too large; expected a sum below 2^63");
  if (length == checks_sum) return "the sum of the lengths overflows 64 bits" + place + "; expected a sum below 2^63";
  const std::string message = "index " + number + place + " is out of range for a sequence of length " + std::to_string(length);
  return length > 0 ? message + "; valid indices are 0 to " + std::to_string(length - 1) : message;
}

[[noreturn]] inline void throw_index_error(int64_t index, int64_t at, int64_t length) {
  throw IndexFault(index_error(index, length, " at element " + std::to_string(at)), index, at, length);
}

}  // namespace wf
