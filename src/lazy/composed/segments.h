// Segments: a sequence of sequences as values and offsets. Segment k is values[offsets[k]], ..., values[offsets[k + 1] - 1]; there is one
// more offset than there are segments. Offsets are i64, the first is 0, none is below the one before, and the last is the length of values.
//
// Each function checks the offsets that it reads: a wrong one is a range error of the force, and nothing outside of values is read.
#pragma once

#include "lazy/node.h"

namespace wf {

// The lengths of Checks of numbers that are no indices: a length of a segment, and a sum of lengths, which is negative once it has wrapped.
constexpr int64_t checks_length = INT64_MAX, checks_sum = INT64_MAX - 1;

// 0, lengths[0], lengths[0] + lengths[1], ...: one more than lengths, one column of integers. A negative one, and a sum that overflows, is a range
// error of the force.
NodeRef offsets(const NodeRef& lengths);
// One element per segment: its elements combined by f, or the identity if it is empty.
NodeRef segment_reduce(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets);
// The scan of each segment, and one total per segment.
ScanResult segment_scan(const Closure& f, const std::vector<Bits64>& identity, const NodeRef& values, const NodeRef& offsets,
                        bool inclusive);
struct Segmented {
  NodeRef values, offsets;
};
// The values for which f holds, in the same segments.
Segmented segment_filter(const Closure& f, const NodeRef& values, const NodeRef& offsets);
// For each of n values the number of its segment.
NodeRef segment_ids(const NodeRef& offsets, int64_t n);

}  // namespace wf
