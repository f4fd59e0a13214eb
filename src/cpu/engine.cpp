// The CPU engine: looks up or compiles the kernel, runs its chunks on all cores, then computes the scalars.
#include "cpu/engine.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <string>

#include "cpu/bandwidth.h"
#include "cpu/chunks.h"
#include "cpu/compiled.h"
#include "cpu/worker.h"

namespace wf::cpu {
namespace {

using CompiledRef = std::shared_ptr<const Compiled>;

// The most recently used compiled kernels, by structure. Kernels with foreign functions are not cached: they would keep the user's
// memory alive.
class Cache {
 public:
  CompiledRef find_or_compile(const Kernel& kernel) {
    if (CompiledRef same = find_id(kernel.id)) return same;
    if (has_foreign(kernel)) return std::make_shared<const Compiled>(kernel);
    const uint64_t hash = kernel_hash(kernel);
    {
      std::lock_guard lock(mutex_);
      for (Entry& entry : entries_)
        if (entry.compiled && entry.hash == hash && same_kernel(entry.compiled->kernel, kernel)) {
          entry.used = ++clock_;
          entry.id = kernel.id;
          return entry.compiled;
        }
    }
    auto compiled = std::make_shared<const Compiled>(kernel);
    std::lock_guard lock(mutex_);
    Entry& oldest = *std::ranges::min_element(entries_, {}, &Entry::used);
    oldest = {hash, ++clock_, kernel.id, compiled};
    return compiled;
  }

 private:
  struct Entry {
    uint64_t hash = 0, used = 0;
    uint64_t id = 0;  // of the kernel that this entry ran last
    CompiledRef compiled;
  };

  CompiledRef find_id(uint64_t id) {
    if (id == 0) return nullptr;
    std::lock_guard lock(mutex_);
    for (Entry& entry : entries_)
      if (entry.id == id) {
        entry.used = ++clock_;
        return entry.compiled;
      }
    return nullptr;
  }

  static bool has_foreign(const FnRef& fn) {
    if (!fn) return false;
    if (!fn->foreigns.empty()) return true;
    return std::ranges::any_of(fn->loops, [](const Fn::LoopInfo& loop) { return has_foreign(loop.body); });
  }
  static bool has_foreign(const Kernel& kernel) {
    auto in_combine = [](const auto& part) { return has_foreign(part.combine); };
    return has_foreign(kernel.body) || has_foreign(kernel.finish) || std::ranges::any_of(kernel.scan, in_combine) ||
           std::ranges::any_of(kernel.reductions, in_combine);
  }

  std::mutex mutex_;
  std::array<Entry, 64> entries_;
  uint64_t clock_ = 0;
};

void throw_fault(const RangeFault& fault) {
  if (fault.at < 0) return;
  std::string message = "index ";
  message.append(std::to_string(fault.index)).append(" at element ").append(std::to_string(fault.at));
  message.append(" is out of range for a sequence of length ").append(std::to_string(fault.length));
  if (fault.length > 0) message.append("; valid indices are 0 to ").append(std::to_string(fault.length - 1));
  throw RangeError(message);
}

// Runs all chunks and returns the workers, which store the partial results.
std::vector<std::unique_ptr<Worker>> run_chunks(Run& run, int worker_limit) {
  const int count = int(std::min<int64_t>(worker_limit, run.chunks.count()));
  std::vector<std::unique_ptr<Worker>> workers(static_cast<size_t>(count));
  if (count == 0) return workers;
  for_chunks(run.chunks, count, [&](int number) {
    int64_t chunk = run.chunks.next();
    if (chunk < 0) return;
    workers[number] = run.compiled.take_worker();
    Worker& worker = *workers[number];
    worker.begin(run);
    for (; chunk >= 0; chunk = run.chunks.next()) worker.run_chunk(chunk);
    worker.end();
  });
  std::erase(workers, nullptr);
  throw_fault(run.fault);
  return workers;
}

// Appends the scalars in the order of Kernel::finish: reductions, totals, counts. Returns false if a law failed.
bool collect(Run& run, std::vector<std::unique_ptr<Worker>>& workers, std::vector<Bits64>& scalars) {
  const Kernel& kernel = run.compiled.kernel;
  std::vector<Bits64> lawful(run.law ? kernel.reductions.size() : 0);
  if (run.law && !workers.empty() && !join_by_law(run.compiled, *run.law, lawful, run.carry[0])) return false;
  for (size_t r = 0; r < kernel.reductions.size(); r++) {
    const size_t first = scalars.size();
    scalars.insert(scalars.end(), kernel.reductions[r].identity.begin(), kernel.reductions[r].identity.end());
    std::span<Bits64> results = std::span(scalars).subspan(first);
    if (workers.empty()) continue;  // no elements
    if (run.law && kernel.reductions[r].by_law) results[0] = lawful[r];
    else if (run.partials.empty()) workers[0]->total(r, results);
    else workers[0]->join(r, results);
  }
  scalars.insert(scalars.end(), run.carry.begin(), run.carry.end());
  for (int64_t kept : run.kept) scalars.push_back(to_bits(kept));
  if (!workers.empty()) workers[0]->note_faults();
  throw_fault(run.fault);
  return true;
}

// Runs the kernel once. Returns false if the law that the run relied on does not hold for the data.
bool run_once(const Compiled& compiled, Launch& launch, bool by_law) {
  const int worker_limit = worker_count();
  Run run(compiled, launch, by_law, worker_limit);
  std::vector<std::unique_ptr<Worker>> workers = run_chunks(run, worker_limit);
  std::vector<Bits64> scalars;
  if (!collect(run, workers, scalars)) return false;
  for (auto& worker : workers) compiled.give_back(std::move(worker));
  launch.counts = run.kept;
  launch.scalars.clear();
  if (!compiled.finish) return true;
  launch.scalars.resize(compiled.kernel.finish->results.size());
  RangeFault fault;
  (*compiled.finish)(scalars, run.inputs, launch.scalars, fault, launch.arguments);
  throw_fault(fault);
  return true;
}

class CpuEngine : public Engine {
 public:
  std::string name() const override { return "cpu"; }

  void run(Launch& launch) override {
    FloatEnvironment environment;
    try {
      const CompiledRef compiled = cache_.find_or_compile(*launch.kernel);
      const bool by_law = compiled->scan && compiled->kernel.scan[0].by_law;
      if (!run_once(*compiled, launch, by_law)) run_once(*compiled, launch, false);
    } catch (const std::bad_alloc&) {
      throw MemoryError("the system has no memory for the working buffers of a kernel");
    }
  }

  double copy_bandwidth() override { return cpu::copy_bandwidth(); }

 private:
  Cache cache_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(std::shared_ptr<Pool>) { return std::make_unique<CpuEngine>(); }

}  // namespace wf::cpu
