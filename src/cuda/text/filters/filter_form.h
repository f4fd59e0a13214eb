// Filters without scans and reductions, as packs of elements in registers (skeletons/filter.cuh).
//
// A mask such as  i == 0 || letter(s[i - 1]) != letter(s[i])  reads neighbours and compares the index with the ends. At the inner indices, almost all of
// them, such comparisons are constants and all reads are in range. So a pack's elements are loaded at once, with the neighbours of its ends, and
// their masks share what they have in common.
#pragma once

#include "cuda/form.h"
#include "expr/affine.h"

namespace wf::cuda {

// Sets the form of such a filter, and returns true. The mask may read inputs at i + c and at constant indices.
bool choose_filter(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form);

// Returns the index i + c of a read, without its Check.
Affine index_of_read(const Fn& body, const Term& at);

}  // namespace wf::cuda
