// Groups of bools that a scatter changes no more (skeletons/scatter.cuh).
#pragma once

#include <array>
#include <string>

#include "cuda/routines/routine_run.h"

namespace wf::cuda {

// The kernel warpfold_full_groups, whose argument is FindFullGroups.
std::string full_groups_text();

// The words of the structure FullGroups; 0 if the full groups were not sought.
using FullGroups = std::array<uint64_t, 3>;

// The most bytes of bits.
constexpr size_t most_bytes_of_full_groups = size_t(1) << 17;

// Returns the bytes of the bits, or 0 if it does not pay to look at them when n values are combined with m elements.
size_t bytes_of_full_groups(Op op, Type type, int64_t n, int64_t m);
// Starts a kernel that finds the full groups among m bools, and stores their bits in that memory. The queue is locked.
FullGroups find_full_groups(Routines& routines, Queue& queue, Op op, CUdeviceptr bools, int64_t m, CUdeviceptr memory);

}  // namespace wf::cuda
