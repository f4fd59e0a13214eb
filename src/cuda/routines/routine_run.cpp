#include "cuda/routines/routine_run.h"

#include <functional>

#include "cuda/compile.h"

namespace wf::cuda {

CUfunction RoutineKernels::find(const std::string& text, const char* name) {
  const uint64_t hash = std::hash<std::string>()(text);
  std::optional<CUmodule> module = modules_.find(hash, text);
  if (!module) {
    const std::string code = machine_code(text, device_.architecture());
    module.emplace(nullptr);
    check(device_.driver().cuModuleLoadData(&*module, code.data()), "loading the kernels of a routine");
    modules_.keep(hash, text, *module);
  }
  CUfunction function = nullptr;
  check(device_.driver().cuModuleGetFunction(&function, *module, name), "finding a kernel of a routine");
  return function;
}

CUfunction RoutineKernels::find(std::vector<uint64_t> words, const char* name, const std::function<std::string()>& text) {
  words.push_back(reinterpret_cast<uintptr_t>(name));
  Hash hash;
  hash(words);
  if (const std::optional<CUfunction> known = functions_.find(hash.value, words)) return *known;
  const CUfunction function = find(text(), name);
  functions_.keep(hash.value, std::move(words), function);
  return function;
}

RoutineRun::RoutineRun(Routines& routines, Launch& launch) : routines_(routines), launch_(launch), queue_(routines.device.queue()) {
  routines.device.driver();              // the plugin, cuBLAS and cuSOLVER use the current device
  const Kernel& types = *launch.kernel;  // it lacks the inputs of an append, which have the types of the outputs
  for (size_t k = 0; k < launch.inputs.size(); k++) {
    const InputBuffer& input = launch.inputs[k];
    const Type type = k < types.inputs.size() ? types.inputs[k].type : types.outputs[k % types.outputs.size()];
    leases_.push_back(Buffer::device(input.buffer, routines_.pool));
    inputs_.push_back(reinterpret_cast<uint64_t>(leases_.back().address()) + uint64_t(input.offset) * size_of(type));
  }
  for (const BufferRef& buffer : launch.outputs) {
    leases_.push_back(Buffer::device_for_writing(buffer, routines_.pool));
    outputs_.push_back(reinterpret_cast<uint64_t>(leases_.back().address()));
  }
}

uint64_t RoutineRun::scratch(size_t bytes) {
  leases_.push_back(Buffer::device_for_writing(Buffer::make(routines_.pool, bytes), routines_.pool));
  return reinterpret_cast<uint64_t>(leases_.back().address());
}

void RoutineRun::begin(bool is_timed) {
  lock_ = std::unique_lock(queue_.mutex);
  if (is_timed) timing_ = std::make_shared<Timing>(routines_.device, queue_);
}

void RoutineRun::copy(uint64_t to, uint64_t from, size_t bytes) {
  if (bytes > 0 && to != from) check(queue_.driver().cuMemcpyDtoDAsync(to, from, bytes, queue_.stream), "copying a column for a routine");
}

void RoutineRun::clear(uint64_t at, size_t bytes) {
  if (bytes > 0) check(queue_.driver().cuMemsetD8Async(at, 0, bytes, queue_.stream), "clearing memory of a routine");
}

void RoutineRun::start(CUfunction function, int64_t blocks, int threads, std::vector<uint64_t> words, size_t shared_bytes) {
  void* parameters[] = {words.data()};
  check(queue_.driver().cuLaunchKernel(function, unsigned(blocks), 1, 1, unsigned(threads), 1, 1, unsigned(shared_bytes), queue_.stream,
                                       parameters, nullptr),
        "launching a kernel of a routine");
}

uint64_t RoutineRun::fault() {
  if (launch_.deferred) record_ = queue_.reserve_fault();
  if (record_) launch_.deferred->push_back(*record_);  // first, so that it is freed even if no kernel starts
  return queue_.scratch(Queue::kept) + Queue::fault_at(record_.value_or(0));
}

void RoutineRun::throw_fault() {
  if (record_) return;
  check(queue_.driver().cuStreamSynchronize(queue_.stream), "running a routine");
  queue_.throw_first_fault(launch_.deferred);
}

void RoutineRun::end() {
  if (!timing_) return;
  timing_->stop(queue_);
  launch_.elapsed = [timing = timing_] { return timing->seconds(); };
}

}  // namespace wf::cuda
