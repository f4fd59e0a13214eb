#include "engine/cancellation.h"

#include <signal.h>
#include <time.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string>

namespace wf {

constinit thread_local Computation* Computation::current_ = nullptr;
constinit std::atomic<uint64_t> Computation::count_{0};
constinit std::atomic<int32_t (*)()> Computation::poll_{nullptr};
constinit Cancellations all_cancellations;

void Cancellations::cancel() noexcept {
  const uint64_t number = Computation::count_.fetch_add(1) + 1;
  uint64_t latest = latest_.load();
  while (latest < number && !latest_.compare_exchange_weak(latest, number)) {}
}

namespace {
constexpr int64_t milliseconds_between_polls = 10;

int64_t milliseconds_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // takes a few nanoseconds, and advances every few milliseconds
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

constexpr int most_signals = 65;
constinit std::array<struct sigaction, most_signals> earlier{};  // the actions that ours replaced
constinit std::array<bool, most_signals> is_handled{};
constinit std::mutex mutex;

// Takes the default action once the handler has returned.
void take_default(int signal) {
  sigaction(signal, &earlier[size_t(signal)], nullptr);
  raise(signal);
}

void cancel_then_pass_on(int signal, siginfo_t* info, void* state) {
  const int saved = errno;
  const bool computes = Computation::current() != nullptr;
  if (computes) all_cancellations.cancel();
  const struct sigaction& next = earlier[size_t(signal)];
  if (next.sa_flags & SA_SIGINFO) next.sa_sigaction(signal, info, state);
  else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) next.sa_handler(signal);
  else if (next.sa_handler == SIG_DFL && !computes) take_default(signal);
  errno = saved;
}

}  // namespace

bool Computation::is_canceled_since() const noexcept {
  const Cancellations* context = context_.load(std::memory_order_relaxed);
  return all_cancellations.has_any_after(begun_) || (context && context->has_any_after(begun_));
}

void Computation::ask_poll() noexcept {
  if (thread_ != &current_) return;
  const int64_t now = milliseconds_now();
  if (next_poll_ == 0) next_poll_ = now + milliseconds_between_polls;
  if (now < next_poll_) return;
  next_poll_ = now + milliseconds_between_polls;
  if (const auto poll = poll_.load(); poll && poll()) is_polled_.store(true, std::memory_order_relaxed);
}

void cancel_on_signal(int signal, bool is_on) {
  const std::lock_guard lock(mutex);
  const bool is_valid = signal > 0 && signal < most_signals;
  if (is_valid && is_handled[size_t(signal)] == is_on) return;
  struct sigaction ours {};
  ours.sa_sigaction = cancel_then_pass_on;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  const bool is_done =
      is_valid && (is_on ? sigaction(signal, nullptr, &earlier[size_t(signal)]) == 0 && sigaction(signal, &ours, nullptr) == 0
                         : sigaction(signal, &earlier[size_t(signal)], nullptr) == 0);
  if (!is_done) throw std::invalid_argument("signal is " + std::to_string(signal) + "; expected one that can be handled, such as SIGINT");
  is_handled[size_t(signal)] = is_on;
}

}  // namespace wf
