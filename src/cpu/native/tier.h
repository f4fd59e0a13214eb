// The choice between interpreting a kernel and compiling it. Both give the same bits, so results do not depend on it.
//
// A kernel is interpreted until that has cost about as much time as compiling it, and is then compiled in the background: at most twice the
// optimum (ski rental). The first kernel of a process must repay loading LLVM, too. WARPFOLD_INTERPRET=0 compiles a kernel before its first
// run, WARPFOLD_INTERPRET=only compiles none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace wf::cpu::native {

enum class Setting { at_first, off, only };
Setting interpretation();

// The tier of one kernel. Any thread may call.
class Tier {
 public:
  // `may_rise`: native code would be faster.
  explicit Tier(bool may_rise) : waits_(may_rise && interpretation() == Setting::at_first) {}
  // Returns true if the time of runs counts.
  bool waits() const { return waits_.load(std::memory_order_relaxed); }
  void add(int64_t nanoseconds) { spent_.fetch_add(nanoseconds, std::memory_order_relaxed); }
  // Returns true, once, if the caller should have the kernel compiled.
  bool take_due();

 private:
  std::atomic<bool> waits_;
  std::atomic<int64_t> spent_{0};
};

// Runs the job on the compiler's thread. The caller of the process's first job waits for it. When the process ends, the running job is completed
// and others are dropped. Without LLVM, and in a forked process, jobs are dropped.
void in_background(std::function<void()> job);

// Records the reason for which a kernel stays interpreted. The first reason of the process is kept.
void note_failure(const std::string& reason) noexcept;
// "interpreted", with the reason if there is one; for explain.
const char* interpreted();

}  // namespace wf::cpu::native
