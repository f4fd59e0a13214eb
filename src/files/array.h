// An array in a file: its element type, its extents and its elements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/file.h"
#include "memory/buffer.h"
#include "ops/types.h"

namespace wf {

// An array that was read.
struct FileArray {
  Type type;
  std::vector<int64_t> extents;  // outermost first; none for a scalar
  BufferRef elements;            // starts with the first element
  bool fortran = false;          // the first index varies fastest in memory, else the last one
};

// An array to be written, in row-major order.
struct ArrayToWrite {
  std::string name;  // in a file of several arrays
  Type type;
  std::vector<int64_t> extents;
  Bytes elements;
};

// The number of elements, or nullopt if an extent is negative or their bytes exceed 63 bits.
std::optional<int64_t> element_count(const std::vector<int64_t>& extents, Type type);

}  // namespace wf
