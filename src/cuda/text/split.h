// A compaction looks back for its output offsets, a scan for its prefixes. One look-back serves both unless a mask depends on a prefix.
// Such a kernel runs as two kernels: the first stores masks and values, the second compacts them.
#pragma once

#include <vector>

#include "plan/kernel.h"

namespace wf::cuda {

struct Split {
  Kernel first;                                         // outputs: the stored outputs of the original kernel, then the temporary columns
  Kernel second;                                        // inputs: the temporary columns
  std::vector<uint32_t> first_outputs, second_outputs;  // numbers of the kernel's outputs, in the order of each part's
};

// Returns true if a mask depends on a prefix.
bool needs_split(const Kernel& kernel);
Split split(const Kernel& kernel);

}  // namespace wf::cuda
