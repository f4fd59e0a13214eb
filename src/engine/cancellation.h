// How a call that computes is ended before its end.
//
// Cancellations are numbered. A call notes the latest number when it begins, and a later one of its context ends it. So cancelling needs no list of
// calls, no lock and no reset: a signal handler may do it. All threads that compute for a call look at the number between pieces of work of at most
// some milliseconds; that costs three loads.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

namespace wf {

struct Canceled : std::runtime_error {
  Canceled() : std::runtime_error("the computation was canceled; everything is usable as before") {}
};

// The latest cancellation of the computations of a context, or of all contexts.
class Cancellations {
 public:
  // Async-signal-safe.
  void cancel() noexcept;
  bool has_any_after(uint64_t number) const noexcept { return latest_.load(std::memory_order_relaxed) > number; }

 private:
  std::atomic<uint64_t> latest_{0};
};

// Cancels the computations of all contexts.
extern Cancellations all_cancellations;

// A computation is what a thread computes for a call of the C API; calls within a call belong to it.
class Computation {
 public:
  Computation() noexcept : begun_(count_.load(std::memory_order_relaxed)) {
    if (!current_) current_ = this;
  }
  ~Computation() {
    if (current_ == this) current_ = nullptr;
  }
  Computation(const Computation&) = delete;
  // The computation of this thread, or null.
  static Computation* current() noexcept { return current_; }
  void runs_in(const Cancellations& context) noexcept {
    if (!context_.load(std::memory_order_relaxed)) context_.store(&context, std::memory_order_relaxed);
  }
  // On any thread. On the thread of the call, asks the poll function at times.
  bool is_canceled() noexcept {
    if (count_.load(std::memory_order_relaxed) != begun_ && is_canceled_since()) return true;
    if (poll_.load(std::memory_order_relaxed)) [[unlikely]]
      ask_poll();
    return is_polled_.load(std::memory_order_relaxed);
  }
  // The function that the thread of a call asks every 10 ms whether to cancel the call; null: none.
  static void set_poll(int32_t (*poll)()) noexcept { poll_.store(poll, std::memory_order_relaxed); }

 private:
  friend class Cancellations;
  friend class ComputingFor;
  bool is_canceled_since() const noexcept;
  void ask_poll() noexcept;

  // In the thread's static storage: a function call to find it would cost more than a look.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local Computation* current_;
  static std::atomic<uint64_t> count_;  // of cancellations
  static std::atomic<int32_t (*)()> poll_;

  const uint64_t begun_;
  const void* const thread_ = &current_;  // its address is the thread's
  std::atomic<const Cancellations*> context_{nullptr};
  std::atomic<bool> is_polled_{false};
  int64_t next_poll_ = 0;  // milliseconds
};

// In its scope the thread computes for this computation; for null, nothing cancels it.
class ComputingFor {
 public:
  explicit ComputingFor(Computation* computation) noexcept : before_(Computation::current_) { Computation::current_ = computation; }
  ~ComputingFor() { Computation::current_ = before_; }
  ComputingFor(const ComputingFor&) = delete;

 private:
  Computation* const before_;
};

// Throws Canceled if the thread's computation was canceled.
inline void stop_if_canceled() {
  if (Computation* computation = Computation::current(); computation && computation->is_canceled()) [[unlikely]]
    throw Canceled();
}

// Calls f(begin, end) for pieces of [0, n) one after another, and looks for a cancellation before each.
template <class F> void in_cancelable_pieces(int64_t n, int64_t piece, const F& f) {
  for (int64_t begin = 0; begin < n; begin += piece) {
    stop_if_canceled();
    f(begin, begin + piece < n ? begin + piece : n);
  }
}

// While `is_on`, the signal cancels all computations if the thread that receives it computes. Then the handler that the program had installed runs,
// if any; the default action is taken only if nothing was canceled. Throws std::invalid_argument for a signal that cannot be handled.
void cancel_on_signal(int signal, bool is_on);

}  // namespace wf
