#include "cuda/engine.h"

#include <algorithm>
#include <string_view>

#include "cuda/kernel_cache.h"
#include "cuda/launch.h"
#include "cuda/linear/linear.h"
#include "cuda/routines/routines.h"
#include "cuda/routines/sort_text.h"
#include "cuda/row_form.h"
#include "cuda/text/foreign.h"
#include "cuda/text/split.h"
#include "cuda/window.h"
#include "expr/folds/merge.h"
#include "expr/hoist.h"
#include "expr/range.h"
#include "expr/recent.h"
#include "lazy/linear/routine.h"

namespace wf::cuda {
namespace {

// A kernel with folds: invariants of their loops are computed before them, or the folds are unrolled.
struct WithFolds {
  Kernel hoisted;
  std::shared_ptr<const Kernel> unrolled;  // null: rows are folded in loops
};

// Everything on which the form of a kernel depends, except for its structure: a hash table's key.
struct LaunchKey {
  uint64_t kernel;  // its number, not 0
  std::vector<int64_t> numbers;
  bool operator==(const LaunchKey&) const = default;
  uint64_t hash() const {
    Hash hash;
    hash(kernel);
    hash(numbers);
    return hash.value;
  }
};

// A kernel whose next launch needs nothing but its buffers.
struct Prepared {
  std::vector<Bits64> literals;  // that are arguments
  KernelCache::Entry& entry;
  bool full_groups;
  const std::shared_ptr<RecentTime> time = std::make_shared<RecentTime>();
};

class CudaEngine : public Engine {
 public:
  CudaEngine(std::shared_ptr<Device> device, std::shared_ptr<Pool> pool, std::unique_ptr<Engine> host)
      : device_(std::move(device)),
        pool_(std::move(pool)),
        host_(std::move(host)),
        kernels_(*device_),
        routines_{*device_, pool_},
        linear_(routines_) {}

  std::string name() const override { return device_->name(); }
  std::string description() const override {
    const Nvrtc* nvrtc = device_->is_of_cuda() ? &wf::cuda::nvrtc() : nullptr;
    return device_->model() + ", " + device_->architecture() + ", " + std::to_string(device_->multiprocessors()) +
           " multiprocessors, compiles by " +
           (nvrtc ? "NVRTC " + std::to_string(nvrtc->major) + "." + std::to_string(nvrtc->minor) : "clang");
  }

  void run(Launch& launch) override {
    if (launch.kernel->arguments == 0) return run_bound(launch);
    // Literals are arguments of a device launch in any case (literals.h), so kernels that differ only in literals share one executable.
    Kernel kernel = with_values(*launch.kernel, launch.arguments);
    // Checks that hold for these values would cost the form of plain loads.
    std::vector<Range> known;
    for (const Param& p : kernel.body->params) known.push_back(known.empty() && launch.n > 0 ? Range{0, launch.n - 1} : all_of(p.type));
    kernel.body = without_proven_checks(kernel.body, known);
    run_instead(kernel, launch, [&](Launch& bound) {
      bound.deferred = launch.deferred;
      run_bound(bound);
    });
  }

  void call(const RoutineCall& call, Launch& launch) override {
    if (call.routine.kind == Routine::Scatter) run_scatter(routines_, call, launch);
    else if (call.routine.kind == Routine::Iterate) run_iterate(routines_, call, launch);
    else if (call.routine.kind == Routine::SegmentIds) run_segment_ids(routines_, call, launch);
    else if (call.routine.kind == Routine::Join) run_join(routines_, call, launch);
    else if (call.routine.kind == Routine::Linear) run_linear(call, launch);
    else run_sort(routines_, call, launch);
  }

  void settle(std::vector<uint32_t>& deferred) override {
    if (deferred.empty()) return;
    Queue& queue = device_->queue();
    std::lock_guard lock(queue.mutex);
    wf::cuda::settle(queue, deferred);
  }

  bool scatters_in_kernels() const override { return true; }
  bool numbers_segments() const override { return true; }
  SharesNeighbours shares_neighbours() const override { return &wf::cuda::shares_neighbours; }
  bool sorts_rows(std::span<const Type> types, int64_t n) const override { return wf::cuda::sorts_rows(types, n); }
  int64_t shortest_row() const override { return 8; }
  bool scans_along(const ScanAxis& axis, int64_t elements, const Fn&) const override { return wf::cuda::scans_along(axis, elements); }
  double copy_bandwidth() override {
    std::lock_guard lock(bandwidth_mutex_);
    if (bandwidth_ == 0) bandwidth_ = measure_copy();
    return bandwidth_;
  }

 private:
  static void take_results(Launch& to, Launch& from) {
    to.scalars = std::move(from.scalars);
    to.counts = std::move(from.counts);
    to.elapsed = std::move(from.elapsed);
    to.rows = std::move(from.rows);
    to.code = from.code;
  }

  // The host computes in its copies of the buffers.
  void run_linear(const RoutineCall& call, Launch& launch) {
    const bool transforms = is_fourier(linear_routine(call.parameters));
    if (device_->is_of_cuda() && !transforms) return linear_.run(call, launch);
    host_->call(call, launch);
    launch.code = transforms ? "on the host, which computes Fourier transforms"
                             : "on the host, since cuBLAS and cuSOLVER compute on NVIDIA's GPUs alone";
  }

  // Runs `kernel`, which was made of the launch's kernel, on the launch's buffers.
  template <class Run> void run_instead(const Kernel& kernel, Launch& launch, const Run& run) {
    Launch derived{&kernel, launch.n, launch.inputs, launch.outputs};
    run(derived);
    take_results(launch, derived);
  }
  void run_instead(const Kernel& kernel, Launch& launch) {
    run_instead(kernel, launch, [this](Launch& derived) { run_known(derived); });
  }

  void run_bound(Launch& launch) {
    if (calls_foreign(*launch.kernel)) run_instead(for_device(*launch.kernel), launch);
    else run_known(launch);
  }

  // Runs a kernel that may be cached: it refers to no user memory.
  void run_known(Launch& launch) {
    const Kernel& kernel = *launch.kernel;
    if (has_folds(kernel)) {
      const std::shared_ptr<const WithFolds> prepared = prepared_of(kernel);
      return run_instead(prepared->hoisted, launch, [&](Launch& rows) { run_folds(rows, prepared->unrolled.get()); });
    }
    if (needs_split(kernel)) return run_split(launch);
    const bool by_law = kernel.has_scan() && kernel.scan[0].by_law && kernel.compactions.empty() && law_is_exact(kernel);
    if (!run_once(launch, by_law)) run_once(launch, false);
  }

  // unrolled: of the kernel, if it has such a form.
  void run_folds(Launch& launch, const Kernel* unrolled) {
    const Kernel& kernel = *launch.kernel;
    if (unrolled) {
      run_instead(*unrolled, launch);
      launch.rows = "unrolled, several neighbours by one thread";
      return;
    }
    const std::shared_ptr<const std::optional<RowForm>> chosen = rows_of(kernel, launch);
    const std::optional<RowForm>& rows = *chosen;
    if (!rows) return kernel.elements.empty() ? run_lowered(launch) : run_in_two(launch);
    if (rows->reduces_apart) return run_in_two(launch);
    run_once(launch, false, &*rows);
    launch.rows = rows->describe();
  }

  std::shared_ptr<const std::optional<RowForm>> rows_of(const Kernel& kernel, const Launch& launch) {
    LaunchKey key{kernel.id, {launch.n}};
    for (const InputBuffer& input : launch.inputs) key.numbers.push_back(input.length);
    const uint64_t hash = key.hash();
    if (kernel.id != 0)
      if (auto known = rows_.find(hash, key)) return *std::move(known);
    const std::span<const int64_t> lengths = std::span(key.numbers).subspan(1);
    auto chosen = std::make_shared<const std::optional<RowForm>>(choose_rows(kernel, lengths, launch.n));
    if (kernel.id != 0) rows_.keep(hash, std::move(key), chosen);
    return chosen;
  }

  // Found again by the kernel's number; if its arguments were replaced by values, it has none.
  std::shared_ptr<const WithFolds> prepared_of(const Kernel& kernel) {
    if (kernel.id == 0) return prepare(kernel);
    if (const auto known = with_folds_.find(kernel.id, kernel.id)) return *known;
    std::shared_ptr<const WithFolds> prepared = prepare(kernel);
    with_folds_.keep(kernel.id, kernel.id, prepared);
    return prepared;
  }
  static std::shared_ptr<const WithFolds> prepare(const Kernel& kernel) {
    auto prepared = std::make_shared<WithFolds>(WithFolds{kernel, nullptr});
    prepared->hoisted.body = hoist_invariants(merge_folds(kernel.body, groups_of_folds));
    prepared->unrolled = unrolled_window(prepared->hoisted);
    return prepared;
  }

  void run_lowered(Launch& launch) {
    run_instead(lower_folds(*launch.kernel), launch);
    launch.rows = "each by one thread";
  }

  // Returns false for products of floats: the law regroups them, and intermediate results may become infinite.
  static bool law_is_exact(const Kernel& kernel) {
    const Fn& combine = *kernel.scan[0].combine;
    return !(as_op(combine) == Op::mul_ && is_in(combine.params[0].type, Float));
  }

  // Returns false if the kernel must run without the law: it does not hold for this data, or failed in a recent run.
  bool run_once(Launch& run, bool by_law, const RowForm* rows = nullptr) {
    const Kernel& kernel = *run.kernel;
    const bool writes = !kernel.stores.empty() || !kernel.compactions.empty() || !kernel.elements.empty();
    if (run.n == 0 && !kernel.finish && writes) {
      run.counts.assign(kernel.compactions.size(), 0);
      return true;
    }
    Queue& queue = device_->queue();
    std::vector<Buffer::Lease> leases;
    std::vector<InputView> inputs;
    for (size_t k = 0; k < run.inputs.size(); k++) {
      const InputBuffer& input = run.inputs[k];
      leases.push_back(Buffer::device(input.buffer, pool_));
      inputs.push_back(
          {reinterpret_cast<uint64_t>(leases.back().address()) + uint64_t(input.offset) * size_of(kernel.inputs[k].source_type()),
           input.length});
    }
    std::vector<uint64_t> outputs;
    for (const BufferRef& output : run.outputs) {
      leases.push_back(Buffer::device_for_writing(output, pool_));
      outputs.push_back(reinterpret_cast<uint64_t>(leases.back().address()));
    }
    copy_bases(kernel, queue, inputs, outputs);
    if (run.n == 0 && !kernel.scatters.empty()) return true;
    const std::shared_ptr<const Prepared> prepared = prepared_launch(kernel, inputs, run.n, by_law, rows);
    const std::shared_ptr<Executable> executable = kernels_.executable_of(prepared->entry);
    if (by_law && executable->rests_from_law()) return false;
    Outcome outcome;
    const uint64_t bits = prepared->full_groups ? memory_of_bits(kernel, inputs, run.n, leases) : 0;
    {
      std::lock_guard lock(queue.mutex);
      FullGroups full{};
      if (const Scatter* s = bits ? &kernel.scatters[0] : nullptr)
        full = find_full_groups(routines_, queue, s->op, outputs[s->output], inputs[s->base].length, bits);
      outcome = wf::cuda::launch(*device_, queue, *executable, prepared->literals, run.n, inputs, outputs, full, rows, run.deferred,
                                 *prepared->time);
    }
    executable->ran(run.n, outcome.law_held);
    run.code = executable->code();
    if (!outcome.law_held) return false;
    run.scalars = std::move(outcome.scalars);
    run.counts = std::move(outcome.counts);
    run.elapsed = std::move(outcome.elapsed);
    return true;
  }

  // Found again by the kernel's number, the lengths, and the alignment of the inputs. Kernels derived from one, in another form, have its number.
  std::shared_ptr<const Prepared> prepared_launch(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, bool by_law,
                                                  const RowForm* rows) {
    LaunchKey key{kernel.id, {n, int64_t(by_law) | int64_t(rows != nullptr) << 1}};
    for (const InputView& input : inputs) key.numbers.insert(key.numbers.end(), {input.length, int64_t(input.address % 16)});
    const uint64_t hash = key.hash();
    if (kernel.id != 0)
      if (auto known = prepared_.find(hash, key)) return *std::move(known);
    Literals literals = literals_of(kernel);
    const Form form = rows ? rows->form : choose_form(kernel, inputs, n, by_law, device_->shared_memory());
    KernelCache::Entry& entry = kernels_.find(kernel, form, literals, n);
    auto made = std::make_shared<const Prepared>(Prepared{std::move(literals.values), entry, form.full_groups});
    if (kernel.id != 0) prepared_.keep(hash, std::move(key), made);
    return made;
  }

  // The outputs of scatters begin with their bases.
  static void copy_bases(const Kernel& kernel, Queue& queue, std::span<const InputView> inputs, std::span<const uint64_t> outputs) {
    if (kernel.scatters.empty()) return;
    std::lock_guard lock(queue.mutex);
    for (const Scatter& s : kernel.scatters) {
      const uint64_t from = inputs[s.base].address, to = outputs[s.output];
      const size_t bytes = size_t(inputs[s.base].length) * size_of(kernel.outputs[s.output]);
      if (to != from && bytes > 0) check(queue.driver().cuMemcpyDtoDAsync(to, from, bytes, queue.stream), "copying the base of a scatter");
    }
  }

  // Returns memory for the bits of full groups of a scatter of n values.
  uint64_t memory_of_bits(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, std::vector<Buffer::Lease>& leases) {
    const Scatter& s = kernel.scatters[0];
    const size_t bytes = bytes_of_full_groups(s.op, kernel.outputs[s.output], n, inputs[s.base].length);
    leases.push_back(Buffer::device_for_writing(Buffer::make(pool_, bytes), pool_));
    return reinterpret_cast<uint64_t>(leases.back().address());
  }

  // The code of a launch that ran as two: interpreted if one of them was.
  static const char* code_of_both(const Launch& first, const Launch& second) {
    return first.code == std::string_view("interpreted") ? first.code : second.code;
  }

  // Runs the rows' kernel, then that of their elements or of the reductions.
  void run_in_two(Launch& run) {
    const InTwo two = in_two(*run.kernel);
    std::vector<BufferRef> outputs(run.outputs.begin(), run.outputs.end());
    std::vector<InputBuffer> inputs(run.inputs.begin(), run.inputs.end());
    for (size_t k = outputs.size(); k < two.first.outputs.size(); k++) {
      outputs.push_back(Buffer::make(pool_, size_t(run.n) * size_of(two.first.outputs[k])));
      inputs.push_back({outputs.back(), run.n});
    }
    Launch first{&two.first, run.n, run.inputs, outputs};
    Launch second{&two.second, run.n * two.count, inputs, run.outputs};
    run_known(first);
    run_known(second);
    run.scalars = std::move(second.scalars);
    run.rows = std::move(first.rows);
    run.code = code_of_both(first, second);
  }

  void run_split(Launch& run) {
    const Split parts = split(*run.kernel);
    std::vector<BufferRef> first_outputs, second_outputs;
    std::vector<InputBuffer> columns;
    for (size_t k = 0; k < parts.first.outputs.size(); k++) {
      const bool own = k < parts.first_outputs.size();
      first_outputs.push_back(own ? run.outputs[parts.first_outputs[k]]
                                  : Buffer::make(pool_, size_t(run.n) * size_of(parts.first.outputs[k])));
      if (!own) columns.push_back({first_outputs.back(), run.n});
    }
    for (uint32_t output : parts.second_outputs) second_outputs.push_back(run.outputs[output]);
    Launch first{&parts.first, run.n, run.inputs, first_outputs};
    Launch second{&parts.second, run.n, columns, second_outputs};
    run_known(first);
    run_known(second);
    run.scalars = std::move(first.scalars);
    run.counts = std::move(second.counts);
    run.code = code_of_both(first, second);
  }

  // Returns the bandwidth of the median of several copies of 256 MiB.
  double measure_copy() {
    constexpr size_t bytes = size_t(256) << 20;
    constexpr int copies = 9;
    Queue& queue = device_->queue();
    const BufferRef from = Buffer::make(pool_, bytes), to = Buffer::make(pool_, bytes);
    const Buffer::Lease source = Buffer::device_for_writing(from, pool_), target = Buffer::device_for_writing(to, pool_);
    std::vector<double> seconds;
    for (int k = 0; k <= copies; k++) {
      Timing timing(*device_, queue);
      check(queue.driver().cuMemcpyDtoDAsync(reinterpret_cast<CUdeviceptr>(target.address()),
                                             reinterpret_cast<CUdeviceptr>(source.address()), bytes, queue.stream),
            "copying on the device");
      timing.stop(queue);
      const double time = timing.seconds();
      if (k > 0) seconds.push_back(time);
    }
    std::ranges::nth_element(seconds, seconds.begin() + copies / 2);
    return 2.0 * double(bytes) / seconds[copies / 2];
  }

  std::shared_ptr<Device> device_;
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Engine> host_;
  KernelCache kernels_;
  Recent<uint64_t, std::shared_ptr<const WithFolds>> with_folds_{64};
  Recent<LaunchKey, std::shared_ptr<const std::optional<RowForm>>> rows_{64};
  Recent<LaunchKey, std::shared_ptr<const Prepared>> prepared_{128};
  Routines routines_;
  LinearAlgebra linear_;
  std::mutex bandwidth_mutex_;
  double bandwidth_ = 0;
};

}  // namespace

Opened open(std::string_view driver, int number, std::unique_ptr<Engine> (*make_host)(std::shared_ptr<Pool>)) {
  const std::shared_ptr<Device> device = Device::open(driver == "opencl" ? opencl_driver() : cuda_driver(), number);
  auto pool = std::make_shared<Pool>(-1, device);
  return {pool, std::make_unique<CudaEngine>(device, pool, make_host(pool))};
}

}  // namespace wf::cuda
