#include "cuda/routines/sort.h"

#include <functional>

#include "cuda/compile.h"

namespace wf::cuda {

Sorter::Kernels Sorter::kernels_of(const RoutineCall& call) {
  const SortText sort = sort_text(call);
  const uint64_t hash = std::hash<std::string>()(sort.text);
  if (auto known = kernels_.find(hash, sort.text)) return *known;
  const std::string code = machine_code(sort.text, device_.architecture());
  CUmodule module = nullptr;
  check(driver().cuModuleLoadData(&module, code.data()), "loading the kernels of a sort");
  auto function = [&](const char* name) {
    CUfunction found = nullptr;
    check(driver().cuModuleGetFunction(&found, module, name), "finding a kernel of a sort");
    return found;
  };
  const Kernels kernels{function("warpfold_sort_tiles"), function("warpfold_find_begins"), function("warpfold_merge_tiles"), sort.threads,
                        sort.tile()};
  kernels_.keep(hash, sort.text, kernels);
  return kernels;
}

// The launches of one run.
class Sorter::Pass {
 public:
  Pass(const Kernels& kernels, Queue& queue, int64_t n)
      : kernels_(kernels), queue_(queue), n_(n), tiles_((n + kernels.tile - 1) / kernels.tile) {
    begins_ = queue.scratch(Queue::kept + 8 * size_t(tiles_)) + Queue::kept;
  }

  void sort_tiles(const Columns& from, const Columns& to) { start(kernels_.sort_tiles, tiles_, from, to, 0, 0); }

  void merge(const Columns& from, const Columns& to, int64_t run, int64_t pair) {
    start(kernels_.find_begins, (tiles_ + kernels_.threads - 1) / kernels_.threads, from, to, run, pair);
    start(kernels_.merge_tiles, tiles_, from, to, run, pair);
  }

 private:
  void start(CUfunction function, int64_t blocks, const Columns& from, const Columns& to, int64_t run, int64_t pair) {
    std::vector<uint64_t> words = from;
    words.insert(words.end(), to.begin(), to.end());
    for (int64_t word : {n_, run, pair}) words.push_back(uint64_t(word));
    words.push_back(begins_);
    void* parameters[] = {words.data()};
    check(
        driver().cuLaunchKernel(function, unsigned(blocks), 1, 1, unsigned(kernels_.threads), 1, 1, 0, queue_.stream, parameters, nullptr),
        "launching a kernel of a sort");
  }

  const Kernels& kernels_;
  Queue& queue_;
  const int64_t n_, tiles_;
  CUdeviceptr begins_;
};

void Sorter::run(const RoutineCall& call, Launch& launch) {
  const int64_t n = launch.n;
  if (n == 0) return;
  const Kernels kernels = kernels_of(call);
  Queue& queue = device_.queue();
  std::vector<Buffer::Lease> leases;
  Columns inputs[2], output, scratch;
  const size_t columns = call.types.size();
  for (size_t k = 0; k < launch.inputs.size(); k++) {
    const InputBuffer& input = launch.inputs[k];
    leases.push_back(Buffer::device(input.buffer, pool_));
    inputs[k / columns].push_back(reinterpret_cast<uint64_t>(leases.back().address()) +
                                  uint64_t(input.offset) * size_of(call.types[k % columns]));
  }
  for (const BufferRef& buffer : launch.outputs) {
    leases.push_back(Buffer::device_for_writing(buffer, pool_));
    output.push_back(reinterpret_cast<uint64_t>(leases.back().address()));
  }
  for (Type type : call.types) {
    leases.push_back(Buffer::device_for_writing(Buffer::make(pool_, size_t(n) * size_of(type)), pool_));
    scratch.push_back(reinterpret_cast<uint64_t>(leases.back().address()));
  }
  std::lock_guard lock(queue.mutex);
  auto timing = std::make_shared<Timing>(device_, queue);
  Pass pass(kernels, queue, n);
  if (call.routine.kind == Routine::Merge) {
    const int64_t split = launch.inputs[0].length;
    join(queue, call, inputs[0], inputs[1], split, n, scratch);
    pass.merge(scratch, output, split, n);
  } else {
    int passes = 0;
    for (int64_t run = kernels.tile; run < n; run *= 2) passes++;
    Columns *from = passes % 2 ? &scratch : &output, *to = passes % 2 ? &output : &scratch;
    pass.sort_tiles(inputs[0], *from);
    for (int64_t run = kernels.tile; run < n; run *= 2) {
      pass.merge(*from, *to, run, 2 * run);
      std::swap(from, to);
    }
  }
  timing->stop(queue);
  launch.elapsed = [timing] { return timing->seconds(); };
}

// Copies two inputs into one set of columns, one after the other.
void Sorter::join(const Queue& queue, const RoutineCall& call, const Columns& first, const Columns& second, int64_t split, int64_t n,
                  const Columns& to) {
  for (size_t k = 0; k < call.types.size(); k++) {
    const size_t size = size_of(call.types[k]), bytes = size_t(split) * size;
    auto copy = [&](uint64_t target, uint64_t source, size_t count) {
      if (count > 0) check(driver().cuMemcpyDtoDAsync(target, source, count, queue.stream), "copying columns to merge");
    };
    copy(to[k], first[k], bytes);
    copy(to[k] + bytes, second[k], size_t(n - split) * size);
  }
}

}  // namespace wf::cuda
