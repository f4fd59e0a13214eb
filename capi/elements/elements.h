// Copies of elements between columns and the caller's memory.
#pragma once

#include <cstdint>
#include <span>

#include "ops/types.h"

namespace wf::capi {

// n elements of one type, `stride` elements apart.
struct Elements {
  void* data;
  Type type;
  int64_t stride = 1;
};

// to[k] = from[k] converted to to's type, for 0 <= k < n. A bool in `from` may be any byte; one in `to` is 0 or 1.
void copy_elements(const Elements& to, const Elements& from, int64_t n);

// The same for the elements of an array with these strides, in row-major order. `from` is the first element.
void copy_array(const Elements& to, const Elements& from, std::span<const int64_t> extents, std::span<const int64_t> strides);

// The index of the first of n bytes that is neither 0 nor 1, or -1.
int64_t first_non_bool(const void* data, int64_t n);

}  // namespace wf::capi
