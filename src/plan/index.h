// How a Pull reads its inputs.
#pragma once

#include "expr/affine.h"
#include "plan/plan.h"

namespace wf {

ReadKind read_kind(const Vertex& reader, const Vertex& input, const Fn& fn, Id index);

// Returns true if the index stays within the input for every index of a loop over [0, n); n < 0: the loop's length is unknown.
bool is_proven(const Affine& index, const Vertex& input, int64_t n);

// The stored column of which column `column` of v is a part from an offset on; no vertex if it is none. Follows v through the Pulls that
// are inlined in it.
ColumnAlias alias_of(const Plan& plan, VertexId v, uint32_t column);

}  // namespace wf
