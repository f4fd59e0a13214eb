// Wrong offsets of segments, found after a kernel has failed: kernels check each offset as an index below a length, so that right offsets cost
// one comparison. This module finds the offset that such an index was, so that the error can name it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/engine.h"
#include "lazy/node.h"

namespace wf {

// The message about the first wrong offset that explains the fault, if delayed nodes below `demanded` read one. `compute` returns their
// elements, or throws.
std::optional<std::string> describe_wrong_offset(std::span<const NodeRef> demanded, const IndexFault& fault,
                                                 const std::function<std::shared_ptr<const Manifest>(const NodeRef&)>& compute);

}  // namespace wf
