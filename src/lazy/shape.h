// The extent of a sequence: rank 0 (a scalar) or 1.
#pragma once

#include <cstdint>

namespace wf {

struct Shape {
  int rank = 0;
  int64_t length = 1;  // elements; 1 for a scalar

  static Shape scalar() { return {}; }
  static Shape vector(int64_t n) { return {1, n}; }
  bool operator==(const Shape&) const = default;
};

}  // namespace wf
