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
#include <system_error>
#include <thread>

#include "cpu/chunks.h"
#include "cpu/native/library.h"

namespace wf::cpu::native {
namespace {

// Nanoseconds. Compiling a kernel takes 9 to 20 ms, loading LLVM 20 to 300 ms, depending on whether the file is in memory.
constexpr int64_t price = 15'000'000, price_of_first = 150'000'000;

std::atomic<bool> has_compiled{false};

class Background {
 public:
  static Background& one() {
    static Background& only = *new Background;  // never destroyed: stop() ends its thread
    return only;
  }

  void submit(std::function<void()> job) {
    if (getpid() != process_) return;  // a forked process has no such thread
    if (!llvm()) return;
    // The caller itself loads the library and runs the first job, which construct LLVM's variables. Functions of atexit run in the opposite
    // order, so stop() precedes the destructors of those variables: a process that ends waits for the compiling thread first.
    bool is_done = false;
    std::call_once(started_, [&] {
      job();
      has_compiled = true;
      std::atexit(stop);
      start();
      is_done = true;
    });
    std::lock_guard lock(mutex_);
    if (is_done || stops_) return;
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }

 private:
  Background() : process_(getpid()) {}

  // The thread blocks all signals. If the system has no further thread, later kernels stay interpreted.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) { stops_ = true; }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void run() {
    const FloatEnvironment environment;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stops_ || !jobs_.empty(); });
      if (stops_) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      job = nullptr;
      lock.lock();
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
      b.changed_.notify_one();
    }
    if (b.thread_.joinable()) b.thread_.join();
  }

  const pid_t process_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool stops_ = false;
  std::once_flag started_;
  std::thread thread_;
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

void in_background(std::function<void()> job) { Background::one().submit(std::move(job)); }

}  // namespace wf::cpu::native
