#include "cpu/chunks.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#ifndef WF_STD_THREADS
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

namespace wf::cpu {

#if defined(__SSE2__)
namespace {
constexpr unsigned default_control = 0x1f80;  // all exceptions masked, round to nearest, subnormals kept
}
FloatEnvironment::FloatEnvironment() : saved_(_mm_getcsr()) {
  if (saved_ != default_control) _mm_setcsr(default_control);
}
FloatEnvironment::~FloatEnvironment() {
  if (saved_ != default_control) _mm_setcsr(saved_);
}
#else
FloatEnvironment::FloatEnvironment() : saved_(0) {}
FloatEnvironment::~FloatEnvironment() {}
#endif

int64_t Chunks::next() {
  if (stopped()) return -1;
  int64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
  return chunk < count_ ? chunk : -1;
}

void Chunks::fail() noexcept {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = std::current_exception();
  stopped_.store(true, std::memory_order_relaxed);
}

void Chunks::rethrow() {
  if (error_) std::rethrow_exception(error_);
}

void Turn::wait(int64_t chunk, const Chunks& chunks) {
  for (int spins = 0; turn_.load(std::memory_order_acquire) != chunk; spins++) {
    if (chunks.stopped()) throw Stopped{};
    if (spins < 1000) {
#if defined(__SSE2__)
      _mm_pause();
#endif
    } else {
      std::this_thread::yield();  // the neighbour may have lost its core
    }
  }
}

namespace {

std::atomic<int> workers_limit{0};

void block_signals(sigset_t* saved) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, saved);
}

void run_worker(Chunks& chunks, const std::function<void(int)>& worker, int number) {
  FloatEnvironment environment;
  try {
    worker(number);
  } catch (const Stopped&) {
    // The worker that failed has stored its exception.
  } catch (...) { chunks.fail(); }
}

#ifdef WF_STD_THREADS

int machine_threads() { return std::max(1, int(std::thread::hardware_concurrency())); }

void on_threads(int workers, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int number = 1; number < workers; number++)
    threads.emplace_back([&body, number] {
      sigset_t saved;
      block_signals(&saved);
      body(number);
    });
  body(0);
  for (std::thread& thread : threads) thread.join();
}

#else

int machine_threads() { return tbb::info::default_concurrency(); }

// Blocks all signals of a thread while it is in the arena.
class SignalBlocker : public tbb::task_scheduler_observer {
 public:
  explicit SignalBlocker(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) { observe(true); }
  void on_scheduler_entry(bool is_worker) override {
    if (is_worker) block_signals(&saved_);
  }
  void on_scheduler_exit(bool is_worker) override {
    if (is_worker) pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
  }

 private:
  static thread_local sigset_t saved_;
};
thread_local sigset_t SignalBlocker::saved_;

struct Arena {
  explicit Arena(int threads) : arena(threads), blocker(arena) {}
  tbb::task_arena arena;
  SignalBlocker blocker;
  std::atomic<bool> is_taken{false};
};

int log_above(int x) { return std::bit_width(unsigned(x - 1)); }

// The arena with space for 2^log threads, or for all of the machine. Arenas are never destroyed: threads may be in them when the process ends.
Arena& arena_of(int log) {
  static std::array<std::atomic<Arena*>, 32> arenas{};
  static std::mutex mutex;
  std::atomic<Arena*>& arena = arenas[size_t(log)];
  if (Arena* known = arena.load(std::memory_order_acquire)) return *known;
  std::lock_guard lock(mutex);
  if (!arena.load(std::memory_order_relaxed))
    arena.store(new Arena(int(std::min(int64_t(1) << log, int64_t(machine_threads())))), std::memory_order_release);
  return *arena.load(std::memory_order_relaxed);
}

// oneTBB wakes as many threads as an arena has space for, however few tasks it has: on 16 cores, two chunks would cost the time of waking 15
// threads. So they go to the smallest arena with space for them. One caller at a time takes a small arena, in which others would wait for space;
// the largest one is shared.
void on_threads(int workers, const std::function<void(int)>& body) {
  const int largest = log_above(machine_threads());
  int log = std::min(log_above(workers), largest);
  while (log < largest && arena_of(log).is_taken.exchange(true, std::memory_order_acquire)) log++;
  Arena& arena = arena_of(log);
  const auto release = [](Arena* taken) { taken->is_taken.store(false, std::memory_order_release); };
  const std::unique_ptr<Arena, decltype(release)> taken(log < largest ? &arena : nullptr, release);
  arena.arena.execute([&] {
    tbb::parallel_for(
        0, workers, [&](int number) { body(number); }, tbb::simple_partitioner());
  });
}

#endif

int configured_workers() {
  int limit = 0;
  if (const char* text = std::getenv("WARPFOLD_THREADS")) limit = std::atoi(text);
  return limit > 0 ? std::min(limit, machine_threads()) : machine_threads();
}

}  // namespace

void for_chunks(Chunks& chunks, int workers, const std::function<void(int)>& worker) {
  workers = int(std::min<int64_t>(workers, chunks.count()));
  if (workers <= 1) {
    run_worker(chunks, worker, 0);
  } else {
    std::atomic<bool> has_begun{false};
    try {
      on_threads(workers, [&](int number) {
        has_begun.store(true, std::memory_order_relaxed);
        run_worker(chunks, worker, number);
      });
    } catch (const std::bad_alloc&) {
      // There is no memory to start a thread. Those that have begun have run all chunks.
      if (!has_begun.load(std::memory_order_relaxed)) run_worker(chunks, worker, 0);
    }
  }
  chunks.rethrow();
}

int worker_count() {
  static const int configured = configured_workers();
  int limit = workers_limit.load(std::memory_order_relaxed);
  return limit > 0 ? limit : configured;
}

void limit_workers(int limit) { workers_limit.store(limit, std::memory_order_relaxed); }

}  // namespace wf::cpu
