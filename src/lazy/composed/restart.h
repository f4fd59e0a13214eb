// Scans that start again at some elements.
#pragma once

#include "lazy/node.h"

namespace wf {

// The prefixes of the values in columns 1, 2, ... of `pairs`, which start again wherever column 0, a bool, is true. One scan of pairs
// (true after a start, value). combine: as in scan; identity: of the values.
NodeRef restarting_scan(const FnRef& combine, const std::vector<Bits64>& identity, const NodeRef& pairs, bool inclusive);

}  // namespace wf
