// One launch of a kernel: its argument, scratch memory and results.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
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

// The time of recent launches of a kernel with the same lengths. Events, which measure it, cost as much as a small kernel, so only the first launches
// and then one of many are measured.
class RecentTime {
 public:
  // Returns true if this launch is to be measured.
  bool is_due() {
    const uint32_t launch = launches_++;
    return launch < first || launch % often == 0;
  }
  void set(std::function<double()> elapsed) {
    std::lock_guard lock(mutex_);
    elapsed_ = std::move(elapsed);
  }
  std::function<double()> get() {
    std::lock_guard lock(mutex_);
    return elapsed_;
  }

 private:
  static constexpr uint32_t first = 3, often = 64;  // a kernel is compiled at its second launch
  std::atomic<uint32_t> launches_{0};
  std::mutex mutex_;
  std::function<double()> elapsed_;
};

// Runs the kernel on the queue over [0, n). Returns when the results are on the host, or at once if the kernel has none and its checks, if
// any, may be deferred (Launch::deferred; null: they may not). Throws RangeError for the first index that was out of range.
// literals: the values of those that are arguments. full: of the bools that the kernel scatters into. rows: null if the kernel has another form.
// time: of earlier launches.
Outcome launch(Device& device, Queue& queue, Executable& executable, std::span<const Bits64> literals, int64_t n,
               std::span<const InputView> inputs, std::span<const uint64_t> outputs, const FullGroups& full, const RowForm* rows,
               std::vector<uint32_t>* deferred, RecentTime& time);

// Engine::settle for a queue.
void settle(Queue& queue, std::vector<uint32_t>& deferred);

}  // namespace wf::cuda
