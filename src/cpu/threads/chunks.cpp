#include "cpu/threads/chunks.h"

#include <algorithm>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cpu/threads/helpers.h"
#include "cpu/threads/pause.h"
#include "engine/cancellation.h"
#include "engine/variables.h"

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

Chunks::Chunks(int64_t count, int parts) : count_(count), parts_(std::clamp(parts, 1, most_parts)) {
  for (int p = 0; p < parts_; p++) {
    part_[p].next.store(count * p / parts_, std::memory_order_relaxed);
    part_[p].end = count * (p + 1) / parts_;
  }
}

int64_t Chunks::next(int worker) {
  stop_if_canceled();
  for (int k = 0; k < parts_ && !stopped(); k++) {
    Part& part = part_[(worker + k) % parts_];
    if (part.next.load(std::memory_order_relaxed) >= part.end) continue;
    const int64_t chunk = part.next.fetch_add(1, std::memory_order_acq_rel);
    if (chunk < part.end) return chunk;
  }
  return -1;
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
  for (int looks = 0; turn_.load(std::memory_order_acquire) != chunk; looks++) {
    if (chunks.stopped()) throw Stopped{};
    stop_if_canceled();
    pause(looks);
  }
}

namespace {

std::atomic<int> workers_limit{0};

void run_worker(Chunks& chunks, const std::function<void(int)>& worker, int number, Computation* computation) {
  FloatEnvironment environment;
  const ComputingFor computing(computation);
  try {
    worker(number);
  } catch (const Stopped&) {
    // The worker that failed has stored its exception.
  } catch (...) { chunks.fail(); }
}

int configured_workers() {
  const std::optional<int64_t> limit = environment_number(Variable::WARPFOLD_THREADS);
  return limit ? int(std::min<int64_t>(*limit, machine_threads())) : machine_threads();
}

}  // namespace

void for_chunks(Chunks& chunks, int workers, const std::function<void(int)>& worker, bool is_short) {
  workers = int(std::min<int64_t>(workers, chunks.count()));
  Computation* const computation = Computation::current();
  if (workers <= 1) run_worker(chunks, worker, 0, computation);
  else with_helpers(workers - 1, is_short, [&](int number) { run_worker(chunks, worker, number, computation); });
  chunks.rethrow();
}

int worker_count() {
  static const int configured = configured_workers();
  int limit = workers_limit.load(std::memory_order_relaxed);
  return limit > 0 ? limit : configured;
}

void limit_workers(int limit) { workers_limit.store(limit, std::memory_order_relaxed); }

}  // namespace wf::cpu
