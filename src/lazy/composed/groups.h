// Sequences in order: runs of equal elements, searches, and sets.
#pragma once

#include "lazy/compare.h"
#include "lazy/composed/segments.h"

namespace wf {

// The offsets of the maximal runs of adjacent elements that are equal in their first `keys` columns; the length is unknown before a force.
NodeRef runs(const NodeRef& s, int32_t keys);
// Of adjacent elements for which equal(left, right) holds.
NodeRef runs(const Closure& equal, const NodeRef& s);
// The first element of each run.
NodeRef unique(const NodeRef& s, int32_t keys);
NodeRef unique(const Closure& equal, const NodeRef& s);

// For each needle, the number of elements of `sorted` that come before it; after: that do not come after it.
NodeRef search(const ElementOrder& order, const NodeRef& sorted, const NodeRef& needles, bool after);

// The elements of s that t has too, or does not have, in order; both are sorted. Of m equal elements in s and n in t, the first min(m, n) of s
// are in the intersection, and the others in the difference.
NodeRef intersection(const ElementOrder& order, const NodeRef& s, const NodeRef& t);
NodeRef difference(const ElementOrder& order, const NodeRef& s, const NodeRef& t);

// The pieces of s between the elements for which f holds, which are dropped: one more than there are of these.
Segmented split(const Closure& f, const NodeRef& s);

}  // namespace wf
