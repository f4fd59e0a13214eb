#include "cpu/native/tier.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string_view>

#include "cpu/native/library.h"
#include "cpu/threads/chunks.h"
#include "engine/variables.h"

namespace wf::cpu::native {
namespace {

// Nanoseconds. Loading LLVM takes 20 to 300 ms, depending on whether the file is in memory.
constexpr int64_t price_of_loading = 135'000'000;

// A caller's stack may have 16 KiB, of which LLVM would need 50 and more.
constexpr size_t stack_bytes = 8 << 20;

std::atomic<bool> has_compiled{false};
std::atomic<const char*> description{"interpreted"};

// The compiler's thread. When the process ends, it is stopped within LLVM (library.h), or goes on in the library's own code.
class Background {
 public:
  static Background& one() {
    static Background& only = *new Background;  // never destroyed: its thread runs while the process ends
    return only;
  }

  void submit(std::function<void()> job) {
    if (getpid() != process_) return;  // a forked process has no such thread
    std::lock_guard lock(mutex_);
    if (!has_thread_) has_thread_ = start();
    if (!has_thread_ || is_closed()) return;
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }

 private:
  // The thread blocks all signals. If the system has no further thread, the kernel stays interpreted.
  bool start() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const bool is_started = pthread_create(&thread, &attributes, run_on_thread, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return is_started;
  }

  static void* run_on_thread(void* self) { static_cast<Background*>(self)->run(); }

  [[noreturn]] void run() {
    const FloatEnvironment environment;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !jobs_.empty(); });
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      if (!is_closed()) job();
      job = nullptr;
      has_compiled = true;
      lock.lock();
    }
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool has_thread_ = false;
};

}  // namespace

Setting interpretation() {
  static const Setting chosen = [] {
    auto is_set = [](std::string_view value) { return environment_has(Variable::WARPFOLD_INTERPRET, value); };
    return is_set("0") ? Setting::off : is_set("only") ? Setting::only : Setting::at_first;
  }();
  return chosen;
}

bool Tier::has_spent(int64_t price) const {
  return spent_.load(std::memory_order_relaxed) >= price + (has_compiled.load(std::memory_order_relaxed) ? 0 : price_of_loading);
}

bool Tier::is_due(int64_t price) {
  price_.store(price, std::memory_order_relaxed);
  if (price > most_price) waits_ = false;
  return has_spent(price) && waits_.exchange(false);
}

void note_failure(const std::string& reason) noexcept {
  static std::once_flag noted;
  try {
    std::call_once(noted, [&] {
      static const std::string& text =
          *new std::string("interpreted: " + reason);  // never destroyed: a thread may run while the process ends
      description = text.c_str();
    });
  } catch (const std::exception&) {
    // There is no memory for the reason.
  }
}

const char* interpreted() { return description.load(std::memory_order_acquire); }

void in_background(std::function<void()> job) { Background::one().submit(std::move(job)); }

}  // namespace wf::cpu::native
