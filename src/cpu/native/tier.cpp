#include "cpu/native/tier.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string_view>

#include "cpu/native/library.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu::native {
namespace {

// Nanoseconds. Compiling a kernel takes 9 to 20 ms, loading LLVM 20 to 300 ms, depending on whether the file is in memory.
constexpr int64_t price = 15'000'000, price_of_first = 150'000'000;

// A caller's stack may have 16 KiB, of which LLVM would need 50 and more.
constexpr size_t stack_bytes = 8 << 20;

std::atomic<bool> has_compiled{false};
std::atomic<const char*> description{"interpreted"};

class Background {
 public:
  static Background& one() {
    static Background& only = *new Background;  // never destroyed: stop() ends its thread
    return only;
  }

  void submit(std::function<void()> job) {
    if (getpid() != process_) return;  // a forked process has no such thread
    static thread_local StopsAtExit stops_at_exit;
    // The first caller waits until the thread has loaded the library and run its job, which construct most of LLVM's variables: a process that
    // ends earlier would destroy them while the thread uses them.
    bool is_done = false;
    std::call_once(started_, [&] {
      jobs_.push_back(std::move(job));
      start();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stops_ || has_compiled; });
      is_done = true;
    });
    std::lock_guard lock(mutex_);
    if (is_done || stops_) return;
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }

 private:
  Background() : process_(getpid()) {}

  // The thread blocks all signals. If the system has no further thread, all kernels stay interpreted.
  void start() {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread_ = pthread_create(&thread_, &attributes, run_on_thread, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    if (!has_thread_) stops_ = true;
  }

  static void* run_on_thread(void* self) {
    static_cast<Background*>(self)->run();
    return nullptr;
  }

  void run() {
    const FloatEnvironment environment;
    const bool has_library = llvm() != nullptr;
    std::unique_lock lock(mutex_);
    if (!has_library) stops_ = true, note_failure(reason_without_llvm());
    for (;;) {
      changed_.notify_all();
      changed_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
      if (stops_) return jobs_.clear();
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      std::atexit(stop);  // precedes the destructors of the variables that LLVM has constructed so far
      lock.lock();
      has_compiled = true;
    }
  }

  static void stop() {
    Background& b = one();
    if (getpid() != b.process_) return;
    std::deque<std::function<void()>> dropped;
    {
      std::lock_guard lock(b.mutex_);
      b.stops_ = true;
      dropped.swap(b.jobs_);
      b.changed_.notify_all();
    }
    if (b.has_thread_.exchange(false)) pthread_join(b.thread_, nullptr);
  }

  // A process that ends waits for the running job first. LLVM constructs some variables when a job first needs them, and their destructors
  // precede the functions of atexit that were registered earlier. But the variables of the thread that ends the process, usually its first one,
  // are destroyed before all of these.
  struct StopsAtExit {
    ~StopsAtExit() {
      if (gettid() == getpid()) stop();
    }
  };

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool stops_ = false;
  std::once_flag started_;
  std::atomic<bool> has_thread_{false};
  pthread_t thread_{};
};

}  // namespace

Setting interpretation() {
  static const Setting chosen = [] {
    const char* text = std::getenv("WARPFOLD_INTERPRET");
    const std::string_view setting = text ? text : "";
    return setting == "0" ? Setting::off : setting == "only" ? Setting::only : Setting::at_first;
  }();
  return chosen;
}

bool Tier::take_due() {
  const int64_t due = has_compiled.load(std::memory_order_relaxed) ? price : price_of_first;
  if (!waits() || spent_.load(std::memory_order_relaxed) < due) return false;
  return waits_.exchange(false);
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
