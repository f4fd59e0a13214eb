// The choice between interpreting a kernel and compiling it. Both give the same bits, so results do not depend on it.
//
// A kernel is interpreted until that has cost about as much time as compiling it, and is then compiled in the background: at most twice the
// optimum (ski rental). The first kernel of a process must repay loading LLVM, too. No run waits for the compiler. WARPFOLD_INTERPRET=0
// compiles a kernel before its first run, WARPFOLD_INTERPRET=only compiles none.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace wf::cpu::native {

// Nanoseconds. Compiling a small kernel takes 5 to 20 ms; one that would take longer than the most is never compiled.
constexpr int64_t least_price = 15'000'000, most_price = 2'000'000'000;

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
  // Returns true, once, if the caller should have the kernel compiled. estimate(): nanoseconds of compiling it. Few runs call it.
  template <class Estimate> bool take_due(const Estimate& estimate) {
    return waits() && has_spent(price_.load(std::memory_order_relaxed)) && is_due(estimate());
  }

 private:
  bool has_spent(int64_t price) const;
  bool is_due(int64_t price);

  std::atomic<bool> waits_;
  std::atomic<int64_t> spent_{0}, price_{least_price};
};

// Runs the job, which must not throw, on the compiler's thread. When the process ends, the running job is stopped within LLVM (library.h), or
// goes on in the library's own code, and others are dropped. In a forked process, jobs are dropped.
void in_background(std::function<void()> job);

// Records the reason for which a kernel stays interpreted. The first reason of the process is kept.
void note_failure(const std::string& reason) noexcept;
// "interpreted", with the reason if there is one; for explain.
const char* interpreted();

}  // namespace wf::cpu::native
