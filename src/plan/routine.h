// A step of a plan that an engine runs as a whole: a routine on columns in memory.
#pragma once

#include <vector>

#include "lazy/node.h"

namespace wf {

struct RoutineCall {
  Routine routine;
  FnRef less;               // null if the routine compares keys
  std::vector<Type> types;  // of the columns of each input and of the output
};

}  // namespace wf
