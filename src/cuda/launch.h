// One launch of a kernel: its argument, scratch memory and results.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "cuda/executable.h"
#include "cuda/row_form.h"

namespace wf::cuda {

struct Outcome {
  bool law_held = true;
  std::vector<Bits64> scalars;
  std::vector<int64_t> counts;
  std::function<double()> elapsed;  // seconds; waits for the kernel's end
};

// Runs the kernel on the queue over [0, n). Returns when the results are on the host, or at once if the kernel has none and its checks, if
// any, may be deferred (Launch::deferred; null: they may not). Throws RangeError for the first index that was out of range.
// literals: the values of those that are arguments. full: of the bools that the kernel scatters into. rows: null if the kernel has another form.
Outcome launch(Device& device, Queue& queue, Executable& executable, std::span<const Bits64> literals, int64_t n,
               std::span<const InputView> inputs, std::span<const uint64_t> outputs, const FullGroups& full, const RowForm* rows,
               std::vector<uint32_t>* deferred);

// Engine::settle for a queue.
void settle(Queue& queue, std::vector<uint32_t>& deferred);

}  // namespace wf::cuda
