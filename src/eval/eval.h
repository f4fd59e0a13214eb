// Forcing: plans the demanded nodes, runs the kernels on the nodes' engine, and keeps the results.
#pragma once

#include <span>
#include <string>

#include "lazy/node.h"

namespace wf {

// Makes all of the nodes manifest, planned together. Throws RangeError, MemoryError, UnsupportedError, ContextError.
void force(std::span<const NodeRef> nodes);
// As force, and returns when all elements are in memory: on a GPU, kernels may still run when force returns.
void wait(std::span<const NodeRef> nodes);

// Makes the node manifest, in place if possible: its last kernel may store over the buffer of an input (in_place.h). The caller owns one
// reference to `value` and one to `old` (may be null), and no other thread uses either during the call. After success, `old` may only be
// released; after a failure, nothing has changed.
void force_in_place(const NodeRef& value, const NodeRef& old);

// The length of the node; runs the filter that decides it if necessary.
int64_t forced_length(const NodeRef& s);

enum class ExplainFormat { Text, Dot };
// The text of the plan, without running it; for manifest nodes, the kernels that computed them.
std::string explain(std::span<const NodeRef> nodes, ExplainFormat format);

}  // namespace wf
