// The axis of a scan.
#pragma once

#include <cstdint>

namespace wf {

// Element l of a vector along the axis is `inner` indices after element l - 1, and each vector of `length` elements is scanned on its own:
// index (k * length + l) * inner + c is element l of vector k * inner + c. length 0: all elements are one vector.
struct ScanAxis {
  int64_t length = 0, inner = 1;
  bool exists() const { return length > 0; }
  bool operator==(const ScanAxis&) const = default;
};

}  // namespace wf
