// A kernel that parts of its domain compute, each a range of it.
//
// Each part runs `local` over its range [begin, end), with the indices of the whole domain, so results do not depend on the number of parts, except for
// the order in which floats are combined. Values that all indices contribute to take two steps: each part computes its own, the partial ones, and
// `combination` combines these, in the order of the parts. A scan needs the prefix before a part before the part runs: `totals` reduces the scanned
// values of each part, and `carries` scans the totals.
//
//     totals      a part's range         total of the scanned values
//     carries     one index per part     exclusive prefixes of the totals
//     local       a part's range         the kernel's stores and compactions; all of its scalars, partial, in place of the finish's results
//     combination one index per part     the finish's results
//
// The indices of `carries` and `combination` are the parts that have any, in order. After the kernel's own inputs, they have one per total or partial
// scalar. So both are ordinary kernels, and so is `local`.
#pragma once

#include <optional>

#include "memory/interval.h"
#include "plan/plan.h"

namespace wf {

struct Split {
  std::optional<Kernel> totals, carries;  // of a kernel that scans
  Kernel local;
  std::optional<Kernel> combination;  // of a kernel that has a finish
};

// Bounds of the elements of each input, of these lengths, that body and combining functions read for the indices from `begin` to `end`.
std::vector<Interval> reaches(const Kernel& kernel, std::span<const Bits64> arguments, std::span<const int64_t> lengths, int64_t begin,
                              int64_t end);

// "each part its range, a carry per part; $0 from i - 1 to i + 1, all of $1", or the reason for which the step runs as a whole; empty if the plan does
// not split steps.
std::string describe_split(const Step& step, std::span<const Bits64> arguments);

}  // namespace wf
