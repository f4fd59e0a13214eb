// A step of a plan that an engine runs as a whole: a routine on columns in memory.
#pragma once

#include <vector>

#include "lazy/node.h"

namespace wf {

struct Positions {
  int64_t first, count;
  bool operator==(const Positions&) const = default;
};

struct RoutineCall {
  Routine routine;
  FnRef fn;                 // as the routine says (lazy/node.h), or null
  std::vector<Type> types;  // of the columns of the output
  std::vector<Bits64> parameters = {};
  bool one_value = false;  // of a scatter of one column: the first element of its values is the value of all. Only for engines that
                           // do not scatter in kernels (Engine::scatters_in_kernels)
  std::vector<Positions> wanted =
      {};  // of a sort: the positions, of each row, that later steps read. The others need not be written. None:
           // all. Only for engines that select (Engine::selects)
};

}  // namespace wf
