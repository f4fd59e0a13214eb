// The CPU engine: looks up or compiles the kernel, runs its chunks on all cores, then computes the scalars.
#include "cpu/engine.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <new>
#include <string>

#include "cpu/bandwidth.h"
#include "cpu/compiled_kernel.h"
#include "cpu/loops/isa.h"
#include "cpu/native/library.h"
#include "cpu/routines/routines.h"
#include "cpu/threads/chunks.h"
#include "cpu/threads/helpers.h"
#include "cpu/worker.h"
#include "engine/index_error.h"
#include "expr/recent.h"

namespace wf::cpu {
namespace {

using CompiledRef = std::shared_ptr<const CompiledKernel>;

// Kernels compiled recently, by id and by structure. Kernels with foreign functions are not kept: they hold memory of the user's.
class Cache {
 public:
  CompiledRef find_or_compile(const Kernel& kernel, int64_t n) {
    const bool has_id = kernel.id != 0;
    if (has_id)
      if (auto known = by_id_.find(kernel.id, kernel.id)) return std::move(*known);
    if (has_foreign(kernel)) return std::make_shared<const CompiledKernel>(kernel, n);
    CompiledRef compiled = find_structure(kernel, n);
    if (has_id) by_id_.keep(kernel.id, kernel.id, compiled);
    return compiled;
  }

 private:
  CompiledRef find_structure(const Kernel& kernel, int64_t n) {
    const uint64_t hash = structure_hash(kernel, true);
    if (auto known = by_structure_.find(hash, kernel)) return std::move(*known);
    auto compiled = std::make_shared<const CompiledKernel>(kernel, n);
    if (native::interpretation() == native::Setting::off) compiled->compile_native();
    by_structure_.keep(hash, kernel, compiled);
    return compiled;
  }

  Recent<uint64_t, CompiledRef> by_id_{64};
  Recent<Kernel, CompiledRef> by_structure_{64};
};

void throw_fault(const RangeFault& fault) {
  if (fault.at >= 0) throw_index_error(fault.index, fault.at, fault.length);
}

// Runs all chunks and returns the workers, which store the partial results. If the cost of an element is not known and the last run's did not
// repay threads, the caller's thread begins alone. It wakes others when its chunks have taken long enough, or tell that the rest will.
Few<std::unique_ptr<Worker>> run_chunks(Run& run, int worker_limit) {
  using Clock = std::chrono::steady_clock;
  const CompiledKernel& compiled = run.compiled;
  const int count = int(std::min<int64_t>(worker_limit, run.chunks.count()));
  Few<std::unique_ptr<Worker>> workers;
  workers.resize(static_cast<size_t>(count));
  if (count == 0) return workers;
  auto take_worker = [&](int number) {
    workers[number] = compiled.take_worker(number);
    workers[number]->begin(run);
  };
  // A run in place that has begun to write must not run out of memory.
  for (int number = 0; run.launch.in_place && number < count; number++) take_worker(number);
  const bool measures = count > 1 && compiled.has_unknown_cost();
  bool alone = measures && !compiled.repays_threads(run.launch.n);
  int64_t measured = 0, spent = 0;  // elements, nanoseconds; of worker 0
  auto run_measured = [&](int64_t chunk) {
    const auto began = Clock::now();
    workers[0]->run_chunk(chunk);
    spent += std::chrono::nanoseconds(Clock::now() - began).count();
    measured += std::min(run.chunk_length, run.launch.n - chunk * run.chunk_length);
    compiled.note_time(measured, spent);
  };
  auto begin_alone = [&](int) {
    if (!workers[0]) take_worker(0);
    for (int64_t chunk; alone && (chunk = run.chunks.next(0)) >= 0;) {
      run_measured(chunk);
      alone = spent < CompiledKernel::time_that_repays() && !compiled.repays_threads(run.launch.n - measured);
    }
  };
  auto work = [&](int number) {
    const bool goes_on = number == 0 && measured > 0;
    int64_t chunk = run.chunks.next(number);
    if (chunk < 0 && !goes_on) return;
    if (!workers[number]) take_worker(number);
    if (number == 0 && measures && !goes_on) {
      run_measured(chunk);
      chunk = run.chunks.next(number);
    }
    for (; chunk >= 0; chunk = run.chunks.next(number)) workers[number]->run_chunk(chunk);
    workers[number]->end();
  };
  if (alone) for_chunks(run.chunks, 1, std::ref(begin_alone));
  const bool is_short = compiled.is_short(run.chunks.count());
  for_chunks(run.chunks, alone ? 1 : count, std::ref(work), is_short);  // a reference, for which std::function needs no memory
  workers.resize(size_t(std::remove(workers.begin(), workers.end(), nullptr) - workers.begin()));
  throw_fault(run.fault);
  return workers;
}

// Appends the scalars in the order of Kernel::finish: reductions, totals, counts. Returns false if a law failed.
bool collect(Run& run, Few<std::unique_ptr<Worker>>& workers, Few<Bits64>& scalars) {
  const Kernel& kernel = run.compiled.kernel;
  std::vector<Bits64> lawful(run.law ? kernel.reductions.size() : 0);
  if (run.law && !workers.empty() && !join_by_law(run.compiled, *run.law, lawful, run.carry[0])) return false;
  for (size_t r = 0; r < kernel.reductions.size(); r++) {
    const size_t first = scalars.size();
    for (Bits64 bits : kernel.reductions[r].identity) scalars.push_back(bits);
    std::span<Bits64> results = std::span<Bits64>(scalars).subspan(first);
    if (workers.empty()) continue;  // no elements
    if (run.law && kernel.reductions[r].by_law) results[0] = lawful[r];
    else if (run.partials.empty()) workers[0]->total(r, results);
    else workers[0]->join(r, results);
  }
  for (Bits64 bits : run.carry) scalars.push_back(bits);
  for (int64_t kept : run.kept) scalars.push_back(to_bits(kept));
  if (!workers.empty()) workers[0]->note_faults();
  throw_fault(run.fault);
  return true;
}

// Runs the kernel once. Returns false if the law that the run relied on does not hold for the data.
bool run_once(const CompiledKernel& compiled, Launch& launch, bool by_law) {
  const int worker_limit = worker_count();
  Run run(compiled, launch, by_law, worker_limit);
  Few<std::unique_ptr<Worker>> workers = run_chunks(run, worker_limit);
  FoldWays ways;
  for (const auto& worker : workers) ways.add(worker->fold_ways());
  if (ways != FoldWays()) launch.rows = ways.describe();
  Few<Bits64> scalars;
  if (!collect(run, workers, scalars)) return false;
  for (size_t number = 0; number < workers.size(); number++) compiled.give_back(int(number), std::move(workers[number]));
  launch.counts = std::move(run.kept);
  launch.left_out = run.left_out;
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
  explicit CpuEngine(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) { isa(); }
  std::string name() const override { return "cpu"; }
  std::string description() const override {
    const native::Llvm* llvm = native::llvm();
    return std::to_string(machine_threads()) + " threads, " + isa_name(isa()) + ", " +
           (llvm ? "compiles by LLVM " + std::to_string(llvm->version) : "interprets: " + native::reason_without_llvm());
  }
  bool runs_ranges() const override { return true; }
  bool runs_in_place() const override { return true; }
  bool scatters_in_order() const override { return true; }
  bool numbers_segments() const override { return true; }
  bool reads_parts() const override { return true; }
  bool keeps_columns() const override { return true; }
  bool knows_identities() const override { return true; }
  bool selects() const override { return true; }
  bool sorts_rows(std::span<const Type>, int64_t) const override { return true; }
  bool scans_along(const ScanAxis& axis, int64_t elements, const Fn& combine) const override {
    return cpu::scans_along(axis, elements, combine);
  }

  void run(Launch& launch) override {
    FloatEnvironment environment;
    try {
      for (size_t k = 0; k < launch.inputs.size(); k++)
        if (const Input& input = launch.kernel->inputs[k]; input.of_segments) check_offsets(launch.inputs[k], input.lacks_end, launch.n);
      const CompiledRef compiled = cache_.find_or_compile(*launch.kernel, launch.n);
      launch.code = compiled->is_native() ? "native" : native::interpreted();
      run_compiled(*compiled, launch);
      if (compiled->tier->take_due([&] { return compiled->price_of_native(); }))
        native::in_background([compiled] { compiled->compile_native(); });
    } catch (const std::bad_alloc&) { throw MemoryError("the system has no memory for the working buffers of a kernel"); }
  }

  void call(const RoutineCall& routine, Launch& launch) override {
    FloatEnvironment environment;
    try {
      run_routine(routine, launch, pool_);
    } catch (const std::bad_alloc&) { throw MemoryError("the system has no memory for the working buffers of a routine"); }
  }

  double copy_bandwidth() override { return cpu::copy_bandwidth(); }

 private:
  std::shared_ptr<Pool> pool_;
  Cache cache_;
};

}  // namespace

void run_compiled(const CompiledKernel& compiled, Launch& launch) {
  if (compiled.permuted && compiled.permuted->run(launch)) return;
  const bool by_law = compiled.scan && compiled.kernel.scan[0].by_law;
  if (!run_once(compiled, launch, by_law)) run_once(compiled, launch, false);
}

std::unique_ptr<Engine> make_engine(std::shared_ptr<Pool> pool) { return std::make_unique<CpuEngine>(std::move(pool)); }

}  // namespace wf::cpu
