// A step of a plan that an engine runs as a whole: a routine on columns in memory.
#pragma once

#include <vector>

#include "lazy/node.h"

namespace wf {

struct RoutineCall {
  Routine routine;
  FnRef fn;                 // as the routine says (lazy/node.h), or null
  std::vector<Type> types;  // of the columns of the output
  std::vector<Bits64> parameters = {};
};

}  // namespace wf
