// The element whose function read an index out of range, found after a step of a plan has failed. The step knows its own index: it differs from that
// of the element if elements are read through views, by folds and loops, or before a filter. So the delayed sequences are evaluated at the step's
// index, element by element, until a check fails as it did there.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "engine/engine.h"
#include "lazy/node.h"

namespace wf {

// The name of the element in the message about the fault: " at element 7", where 7 is the position in the sequence whose function has read outside;
// empty for a scalar. `elements` returns the elements of a node that are in memory, or null. If the element is not found, the name says that the index is
// that of a kernel.
std::string place_of(std::span<const NodeRef> demanded, const IndexFault& fault,
                     const std::function<std::shared_ptr<const Manifest>(const NodeRef&)>& elements);

}  // namespace wf
