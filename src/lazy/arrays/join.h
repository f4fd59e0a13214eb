// Delayed appends, of which the planner sees all parts at once.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lazy/node.h"

namespace wf {

// An append of at most this many parts is a Pull, and one of more the routine Join.
constexpr size_t most_chosen = 8;

// Returns true if the definition is that of sequences one after another.
bool is_append(const Definition& definition);

// The routine Join on parts of this many rows.
Definition joining(Few<NodeRef> parts, int64_t rows);

using MayOpen = std::function<bool(const Node&)>;  // may a part be replaced by what it is made of?

// The parts of an append, with those of the delayed appends among them that may be opened, and so on, in place of these; each append is opened
// once. The depth of the appends does not matter. Empty if there are none. O(parts).
std::vector<NodeRef> appended(const DefinitionRef& definition, const MayOpen& may_open);

// The definition of these parts one after another; none is empty. Among many, neighbours that are maps of one function, and may be opened, are one
// map of what their inputs are appended to: their number does not matter to the planner.
Definition appending(Few<NodeRef> parts, const MayOpen& may_open);

// A sequence with elements [start, start + length), not none, of s, and the number of the first of them in it: the innermost part of a delayed append
// that contains all, or an append of the parts that do. After a long search, the append counts as computed: the next such read stores it, so that
// reading all elements takes linear time.
struct Within {
  NodeRef s;
  int64_t start;
};
Within narrowed(const NodeRef& s, int64_t start, int64_t length);

}  // namespace wf
