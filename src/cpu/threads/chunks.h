// The only module that schedules work on threads.
//
// A run is cut into chunks 0 .. count-1. In order, every worker repeatedly claims the lowest unclaimed chunk and processes it. So a worker
// that waits for the carry of the chunk on its left waits for a running worker: a chain always makes progress, with any number
// of workers, even one. In parts, a worker claims the chunks of a part of its own, then those that are left of the others' parts: it reads
// memory in one run, as the processor expects, and a chunk's end is not the beginning of another worker's (bench/results/cpu.md).
//
// Workers are the caller and helpers (helpers.h). They run with the default floating-point environment.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace wf::cpu {

// Sets the default environment (round to nearest, no traps, no flushing of subnormals); the destructor restores the old one.
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
  // In order by default; in as many parts as there are workers, unless they are many, if the order does not matter.
  explicit Chunks(int64_t count, int parts = 1);
  // Returns the next chunk for a worker, or -1 if none is left or a worker has failed. Throws Canceled if the caller's computation was canceled.
  int64_t next(int worker);
  int64_t count() const { return count_; }
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  // Stores the current exception for for_chunks (the first one only) and stops the other workers.
  void fail() noexcept;
  // Throws the stored exception, if any.
  void rethrow();

 private:
  static constexpr int most_parts = 16;
  struct alignas(64) Part {
    std::atomic<int64_t> next;
    int64_t end;
  };

  const int64_t count_;
  const int parts_;
  std::array<Part, most_parts> part_;
  alignas(64) std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
};

// Orders chunks 0, 1, 2, ...: writes before pass(k) are visible after wait(k + 1).
class Turn {
 public:
  void wait(int64_t chunk, const Chunks& chunks);
  bool is_at(int64_t chunk) const { return turn_.load(std::memory_order_acquire) == chunk; }
  void pass(int64_t chunk) { turn_.store(chunk + 1, std::memory_order_release); }

 private:
  alignas(64) std::atomic<int64_t> turn_{0};
};

// Calls worker(w) on up to `workers` threads at once, w = 0 .. ; each claims chunks until none is left. The caller's thread is
// worker 0, which may be the only one, as it is for a short run after a pause (helpers.h). An exception from a worker is rethrown here after all
// workers have ended.
void for_chunks(Chunks& chunks, int workers, const std::function<void(int)>& worker, bool is_short = false);

// The number of threads that the machine allows this process; WARPFOLD_THREADS lowers it, and limit_workers for tests (0: no limit).
int worker_count();
void limit_workers(int limit);

}  // namespace wf::cpu
