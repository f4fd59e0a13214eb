// A mutex for short critical sections, of which every small call has several: without contention, locking and unlocking are one atomic
// operation each, inline. A thread that waits sleeps. (U. Drepper, Futexes are tricky, 2011.)
#pragma once

#include <atomic>
#include <cstdint>

namespace wf {

class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  void lock() {
    uint32_t state = open;
    if (!state_.compare_exchange_strong(state, taken, std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  void unlock() {
    if (state_.exchange(open, std::memory_order_release) == contended) [[unlikely]]
      state_.notify_one();
  }

 private:
  static constexpr uint32_t open = 0, taken = 1, contended = 2;  // contended: taken, and a thread may wait
  [[gnu::noinline, gnu::cold]] void wait() {
    while (state_.exchange(contended, std::memory_order_acquire) != open) state_.wait(contended, std::memory_order_relaxed);
  }
  std::atomic<uint32_t> state_{open};
};

}  // namespace wf
