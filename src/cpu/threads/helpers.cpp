#include "cpu/threads/helpers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <thread>

#ifndef WF_STD_THREADS
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#endif

#include "cpu/threads/pause.h"
#include "engine/cancellation.h"

namespace wf::cpu {
namespace {

constexpr int64_t patience = 50'000;  // nanoseconds that a helper looks for a job
constexpr int looks_per_time = 64;    // between two readings of the clock
constexpr int most_jobs = 64;         // at once; further callers work alone
constexpr int most_helpers = 256;

int most_others() { return std::min(machine_threads() - 1, most_helpers); }

int64_t nanoseconds_now() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

// A job has room for some helpers while it is offered. Helpers arrive and depart; those that arrive too late depart at once. The three numbers and
// the mark that a caller has this job are one word, so that joining is one step.
class Job {
 public:
  // Takes the job for a caller, if it has none and no late helper is there.
  bool take() {
    uint64_t free = state_.load(std::memory_order_relaxed);
    return free < taken && is_empty(free) && state_.compare_exchange_strong(free, taken, std::memory_order_acquire);
  }
  void offer(int others, const std::function<void(int)>& work) {
    work_ = &work;
    state_.fetch_add(uint64_t(others) * place, std::memory_order_release);
  }
  // Withdraws the offer and waits for the helpers that have joined.
  void finish() {
    state_.fetch_and(place - 1, std::memory_order_relaxed);
    Computation* const computation = Computation::current();
    for (int looks = 0; !is_empty(state_.load(std::memory_order_acquire)); looks++) {
      if (computation) computation->is_canceled();  // asks the poll function for the helpers
      pause(looks);
    }
    state_.fetch_and(~taken, std::memory_order_release);
  }
  bool has_room() const { return has_room(state_.load(std::memory_order_relaxed)); }
  // Works on the job if it still has room.
  bool join() {
    const uint64_t state = state_.fetch_add(arrival, std::memory_order_acquire);
    if (has_room(state)) (*work_)(int(arrivals(state)) + 1);
    state_.fetch_add(departure, std::memory_order_release);
    return has_room(state);
  }

 private:
  static constexpr uint64_t arrival = 1, departure = uint64_t(1) << 20, taken = uint64_t(1) << 40, place = uint64_t(1) << 44;
  static uint64_t arrivals(uint64_t state) { return state % departure; }
  static bool is_empty(uint64_t state) { return arrivals(state) == state / departure % departure; }
  static bool has_room(uint64_t state) { return arrivals(state) < state / place; }

  alignas(128) std::atomic<uint64_t> state_{0};
  const std::function<void(int)>* work_ = nullptr;
};

std::array<Job, most_jobs> jobs;
std::atomic<int> jobs_in_use{0};                                      // the first ones; never fewer again
std::atomic<int64_t> last_wish{-patience};                            // the time of the last short job that found all helpers asleep
alignas(128) std::atomic<int> places{0};                              // of all jobs
alignas(128) std::array<std::atomic<bool>, most_helpers> is_awake{};  // the helper of each rank looks for jobs, or works

bool join_some_job(int rank) {
  for (int k = 0; k < jobs_in_use.load(std::memory_order_relaxed); k++)
    if (jobs[size_t(k)].has_room() && rank < places.load(std::memory_order_relaxed) && jobs[size_t(k)].join()) return true;
  return false;
}

// A helper looks for jobs until it has waited in vain. Helpers whose rank is beyond the number of places do not crowd around the jobs.
void look_for_jobs(int rank) {
  int64_t end = nanoseconds_now() + patience;
  for (int looks = 1; looks % looks_per_time != 0 || nanoseconds_now() < end; looks++) {
    if (join_some_job(rank)) end = nanoseconds_now() + patience;
    else pause(0);
  }
  is_awake[size_t(rank)].store(false, std::memory_order_relaxed);
}

void block_signals(sigset_t* saved) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, saved);
}

#ifdef WF_STD_THREADS

void start_helper(int rank) {
  std::thread([rank] {
    sigset_t saved;
    block_signals(&saved);
    look_for_jobs(rank);
  }).detach();
}

#else

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
  explicit Arena(int helpers) : arena(helpers + 1), blocker(arena) {}
  tbb::task_arena arena;
  SignalBlocker blocker;
};

// oneTBB wakes as many threads as an arena has space for, however few tasks it has. So ranks 0, 1, 2 to 3, 4 to 7 and so on have arenas of their own.
// They are never destroyed: threads may be in them when the process ends.
Arena& arena_of(int rank) {
  using Arenas = std::deque<Arena>;
  static Arenas& arenas = *[] {
    auto all = std::make_unique<Arenas>();
    for (int first = 0; first < most_others(); first = std::max(2 * first, 1)) all->emplace_back(std::max(first, 1));
    return all.release();
  }();
  return arenas[size_t(std::bit_width(unsigned(rank)))];
}

void start_helper(int rank) {
  arena_of(rank).arena.enqueue([rank] { look_for_jobs(rank); });
}

#endif

// Wakes the first `wanted` helpers, as far as that is possible.
void wake_helpers(int wanted) {
  for (int rank = 0; rank < wanted; rank++) {
    std::atomic<bool>& awake = is_awake[size_t(rank)];
    if (awake.load(std::memory_order_relaxed) || awake.exchange(true, std::memory_order_relaxed)) continue;
    try {
      start_helper(rank);
    } catch (const std::exception&) {  // there is no memory, or no thread
      return awake.store(false, std::memory_order_relaxed);
    }
  }
}

bool repays_waking(bool is_short) {
  if (!is_short || is_awake[0].load(std::memory_order_relaxed)) return true;
  const int64_t now = nanoseconds_now();
  return now - last_wish.exchange(now, std::memory_order_relaxed) < patience;
}

Job* take_job() {
  for (int k = 0; k < most_jobs; k++) {
    if (!jobs[size_t(k)].take()) continue;
    for (int used = jobs_in_use.load(std::memory_order_relaxed); used <= k && !jobs_in_use.compare_exchange_weak(used, k + 1);) {}
    return &jobs[size_t(k)];
  }
  return nullptr;
}

}  // namespace

#ifdef WF_STD_THREADS
int machine_threads() { return std::max(1, int(std::thread::hardware_concurrency())); }
#else
int machine_threads() { return tbb::info::default_concurrency(); }
#endif

void with_helpers(int others, bool is_short, const std::function<void(int)>& work) {
  others = std::min(others, most_others());
  Job* job = others > 0 && repays_waking(is_short) ? take_job() : nullptr;
  if (!job) return work(0);
  job->offer(others, work);
  wake_helpers(std::min(places.fetch_add(others, std::memory_order_relaxed) + others, most_others()));
  work(0);
  places.fetch_sub(others, std::memory_order_relaxed);
  job->finish();
}

}  // namespace wf::cpu
