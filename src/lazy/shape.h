// The extent of a sequence: rank 0 (a scalar) to 8, row-major. SEQUENCE functions speak of rank 1.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace wf {

struct Shape {
  static constexpr int max_rank = 8;
  int rank = 0;
  std::array<int64_t, max_rank> extent{};

  static Shape scalar() { return {}; }
  static Shape vector(int64_t n) { return {1, {n}}; }
  int64_t count() const {
    int64_t n = 1;
    for (int k = 0; k < rank; k++) n *= extent[k];
    return n;
  }
  bool operator==(const Shape&) const = default;
};

}  // namespace wf
