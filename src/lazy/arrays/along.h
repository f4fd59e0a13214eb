// Reductions, scans and sorts along axes of arrays.
#pragma once

#include <span>

#include "lazy/node.h"

namespace wf {

// All elements that differ only in their indices along `axes`, combined by f in row-major order; the identity if there are none. The result
// lacks these axes, or with `keep` has extent 1 along them. Each of its elements is a fold.
NodeRef reduce_axes(const Closure& f, std::vector<Bits64> identity, const NodeRef& s, std::span<const int32_t> axes, bool keep);
// The scan of each vector along the axis, in the shape of s; totals: without the axis.
ScanResult scan_axis(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& s, int32_t axis, bool inclusive);
// Each vector along the axis in the order of its first column.
NodeRef sort_axis(const NodeRef& s, int32_t axis, bool descending);

}  // namespace wf
