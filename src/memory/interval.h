// A range of a column's elements.
#pragma once

#include <cstdint>

namespace wf {

// Elements from begin to end.
struct Interval {
  int64_t begin = 0, end = 0;
  bool is_empty() const { return begin >= end; }
};

}  // namespace wf
