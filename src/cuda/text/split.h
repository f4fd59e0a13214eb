// A compaction looks back for where its elements go, a scan for its prefixes; one look-back carries both unless what is kept
// depends on a prefix. Such a kernel is run as two: the first stores masks and values, the second compacts them.
#pragma once

#include <vector>

#include "plan/kernel.h"

namespace wf::cuda {

struct Split {
  Kernel first;   // its outputs: the kernel's own that are stored, then the temporary columns
  Kernel second;  // its inputs: the temporary columns
  std::vector<uint32_t> first_outputs, second_outputs;  // numbers of the kernel's outputs, in the order of each part's
};

// A mask depends on a prefix.
bool needs_split(const Kernel& kernel);
Split split(const Kernel& kernel);

}  // namespace wf::cuda
