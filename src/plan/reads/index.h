// How a Pull reads its inputs.
#pragma once

#include "expr/affine.h"
#include "plan/plan.h"

namespace wf {

ReadKind read_kind(const Vertex& reader, const Vertex& input, const Fn& fn, Id index);

// Two facts about an index that hold throughout a loop: it is never negative; it is always below the input's length.
struct Bounds {
  bool low, high;
  bool both() const { return low && high; }
};
// The loop is over [0, n); n < 0: its length is unknown.
Bounds bounds(const Affine& index, const Vertex& input, int64_t n);

// The stored column of which column `column` of v is a part from an offset on; no vertex if it is none. Follows v through the Pulls that
// are inlined in it.
ColumnAlias alias_of(const Plan& plan, VertexId v, uint32_t column);

}  // namespace wf
