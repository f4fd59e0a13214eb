// The one place that hands work to threads.
//
// A run is cut into chunks 0 .. count-1. Every worker claims the lowest chunk that nobody has yet, works on it, and comes back.
// So a worker that waits for its left neighbour's carry waits for somebody who is running: a chain always makes progress,
// with any number of workers, even one.
//
// Workers run in oneTBB's arena, or on std::thread with WF_STD_THREADS, for ThreadSanitizer. They run with the default
// floating-point environment and with all signals blocked.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace wf::cpu {

// Round to nearest, no traps, no flushing of subnormals, while it lives; then as it was.
class FloatEnvironment {
 public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;

 private:
  unsigned saved_;
};

// Thrown by a wait when another worker has failed; for_chunks throws that worker's exception.
struct Stopped {};

class Chunks {
 public:
  explicit Chunks(int64_t count) : count_(count) {}
  // The next chunk for the calling worker, or -1: there is none, or a worker has failed.
  int64_t next();
  int64_t count() const { return count_; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Keeps the current exception for for_chunks, the first one only, and tells the others to stop.
  void fail() noexcept;
  // Throws the kept exception, if any.
  void rethrow();

 private:
  const int64_t count_;
  alignas(64) std::atomic<int64_t> next_{0};
  alignas(64) std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Lets chunk 0, 1, 2, ... pass one after another: what is written before pass(k) is seen after wait(k + 1).
class Turn {
 public:
  void wait(int64_t chunk, const Chunks& chunks);
  void pass(int64_t chunk) { turn_.store(chunk + 1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<int64_t> turn_{0};
};

// Calls worker(w) on up to `workers` threads at once, w = 0 .. ; each claims chunks until there are none. The caller's thread
// takes part; with one worker it is the only one. An exception from a worker is thrown here after all have ended.
void for_chunks(Chunks& chunks, int workers, const std::function<void(int)>& worker);

// As many threads as the machine lets this process use; WARPFOLD_THREADS lowers it, and limit_workers for tests (0: no limit).
int worker_count();
void limit_workers(int limit);

}  // namespace wf::cpu
