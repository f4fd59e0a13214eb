#include "cuda/launch.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "engine/engine.h"

namespace wf::cuda {
namespace {

// The same layout as Fault in skeletons/memory.cuh.
struct Fault {
  uint64_t at;
  int64_t index, length;
  unsigned lock;
};

// Assigns offsets in a kernel's scratch memory.
class Layout {
 public:
  size_t take(size_t bytes) {
    const size_t at = size_;
    size_ += (bytes + 15) / 16 * 16;
    return at;
  }
  size_t size() const { return size_; }

 private:
  size_t size_ = Queue::kept;
};

struct Scratch {
  size_t cleared = 0, cleared_bytes = 0;  // set to zero before the kernel starts
  size_t counters = 0, tile_words = 0, group_words = 0, tile_values = 0, group_values = 0, total = 0, partials = 0;
  size_t fold_counters = 0, fold_partials = 0;
  size_t words = 0;  // those that are not parameters
  size_t bytes = 0;
};

constexpr int64_t tiles_in_group = 32;  // as in skeletons/look_back.cuh

Scratch plan_scratch(const Executable& executable, int64_t tiles, int64_t blocks, int64_t parts) {
  const Emitted& e = executable.emitted;
  Scratch s;
  Layout layout;
  if (executable.chained()) {
    const size_t groups = size_t(tiles / tiles_in_group + 1);
    s.cleared = s.counters = layout.take(16);
    s.tile_words = layout.take(8 * size_t(tiles));
    s.group_words = layout.take(8 * groups);
    s.cleared_bytes = layout.size() - s.cleared;
    s.tile_values = layout.take(2 * size_t(e.local_bytes) * size_t(tiles));
    s.group_values = layout.take(2 * size_t(e.carry_bytes) * groups);
    s.total = layout.take(e.carry_bytes);
  }
  if (executable.form.parts) {
    s.cleared = s.fold_counters = layout.take(4 * size_t(tiles));
    s.cleared_bytes = layout.size() - s.cleared;
    s.fold_partials = layout.take(size_t(e.fold_bytes) * size_t(tiles * parts * executable.tile()));
  }
  if (executable.chained() || executable.form.skeleton == Skeleton::Reduce || executable.form.reduces)
    s.partials = layout.take(size_t(e.sums_bytes) * size_t(std::max(tiles, blocks)));
  if (executable.interpreted || e.arguments_in_memory) s.words = layout.take(8 * e.arguments.size());
  s.bytes = layout.size();
  return s;
}

// Rows may differ in length, so a multiprocessor gets several blocks one after another.
constexpr int64_t waves_of_rows = 4;

// Returns the number of blocks. A scan has as many as can be resident at once, a reduction a fixed number per multiprocessor, a map
// one per tile.
int64_t blocks_for(const Device& device, const Executable& executable, int64_t n, int64_t tiles, int64_t parts) {
  const int64_t multiprocessors = device.multiprocessors(), held = multiprocessors * executable.blocks_per_multiprocessor;
  if (executable.chained()) return std::clamp<int64_t>(tiles, 1, held);
  if (executable.form.skeleton == Skeleton::Small) return 1;
  if (executable.interpreted && !executable.interpreted->tier().keeps_order)
    return std::clamp<int64_t>((n + executable.threads - 1) / executable.threads, 1, held);
  if (executable.form.skeleton == Skeleton::Map) return std::min<int64_t>(tiles, 0x7fffffff);
  const Form& form = executable.form;
  if (form.skeleton == Skeleton::Rows && !form.reduces) return std::clamp<int64_t>(tiles * parts, 1, waves_of_rows * held);
  return std::clamp<int64_t>(tiles, 1,
                             multiprocessors * (form.blocks > 0 ? form.blocks : device.threads_per_multiprocessor() / form.threads));
}

// Copies words that are not parameters to device memory. They may change when it returns.
void copy_words(const Queue& queue, CUdeviceptr to, std::span<const uint64_t> words) {
  check(driver().cuMemcpyHtoDAsync(to, words.data(), words.size_bytes(), queue.stream), "copying a kernel's arguments");
}

// Sets all arguments except n and the results. Words that do not fit in the argument are copied to scratch memory.
interpreter::Arguments interpreted_arguments(const Queue& queue, const Interpreted& interpreted, std::span<const uint64_t> words,
                                             CUdeviceptr memory, const Scratch& scratch) {
  interpreter::Arguments a = interpreted.arguments(queue);
  a.fault = memory + Queue::fault_at;
  auto part = [&]<class T>(T*& pointer, size_t at) { pointer = reinterpret_cast<T*>(memory + at); };
  part(a.counters, scratch.counters);
  part(a.partials, scratch.partials);
  part(a.tile_words, scratch.tile_words);
  part(a.tile_values, scratch.tile_values);
  part(a.group_words, scratch.group_words);
  part(a.group_values, scratch.group_values);
  part(a.total, scratch.total);
  const std::span<const uint64_t> first = words.first(std::min<size_t>(words.size(), interpreter::most_words)),
                                  more = words.subspan(first.size());
  std::ranges::copy(first, a.words);
  if (!more.empty()) {
    a.more_words = memory + scratch.words;
    copy_words(queue, a.more_words, more);
  }
  return a;
}

[[noreturn]] void throw_range_error(const Fault& fault) {
  std::string message = "index ";
  message.append(std::to_string(fault.index)).append(" at element ").append(std::to_string(fault.at));
  message.append(" is out of range for a sequence of length ").append(std::to_string(fault.length));
  if (fault.length > 0) message.append("; valid indices are 0 to ").append(std::to_string(fault.length - 1));
  throw RangeError(message);
}

}  // namespace

Outcome launch(Device& device, Queue& queue, const Executable& executable, const Literals& literals, int64_t n,
               std::span<const InputView> inputs, std::span<const uint64_t> outputs, int64_t parts) {
  const Driver& d = driver();
  const Emitted& e = executable.emitted;
  const int64_t tile = executable.tile(), tiles = (n + tile - 1) / tile;
  const int64_t blocks = blocks_for(device, executable, n, tiles, parts);
  const Scratch scratch = plan_scratch(executable, tiles, blocks, parts);
  const CUdeviceptr memory = queue.scratch(scratch.bytes);
  const size_t result_words = e.scalars + e.counts + (e.law_flag ? 1 : 0);
  uint64_t* results = queue.results(result_words + sizeof(Fault) / 8);
  Fault* fault = reinterpret_cast<Fault*>(results + result_words);

  auto word = [&](const Argument& argument) -> uint64_t {
    switch (argument.kind) {
      using enum Argument::Kind;
      case Count: return uint64_t(n);
      case Fault: return memory + Queue::fault_at;
      case Results: return reinterpret_cast<uint64_t>(results);
      case Counters: return memory + scratch.counters;
      case Partials: return memory + scratch.partials;
      case TileWords: return memory + scratch.tile_words;
      case TileValues: return memory + scratch.tile_values;
      case GroupWords: return memory + scratch.group_words;
      case GroupValues: return memory + scratch.group_values;
      case Total: return memory + scratch.total;
      case Parts: return uint64_t(parts);
      case FoldPartials: return memory + scratch.fold_partials;
      case FoldCounters: return memory + scratch.fold_counters;
      case Input: return inputs[argument.index].address;
      case InputLength: return uint64_t(inputs[argument.index].length);
      case Output: return outputs[argument.index];
      case Literal: return literals.values[argument.index];
      case Constant: return executable.interpreted->constant(argument.index);
    }
    return 0;
  };
  std::vector<uint64_t> words;
  words.reserve(e.arguments.size());
  for (const Argument& argument : e.arguments) words.push_back(word(argument));
  if (scratch.cleared_bytes > 0)
    check(d.cuMemsetD8Async(memory + scratch.cleared, 0, scratch.cleared_bytes, queue.stream), "clearing scratch memory");
  // A launch that waits for its results is timed by the host clock. Other kernels are timed by events, which cost more; for a small
  // kernel the time of the call suffices.
  constexpr int64_t small = 1 << 16;
  const bool waits = result_words > 0 || e.has_checks;
  const auto timing = waits || n < small ? nullptr : std::make_shared<Timing>(device, queue);
  const auto start = std::chrono::steady_clock::now();
  interpreter::Arguments interpreted;
  if (executable.interpreted) {
    interpreted = interpreted_arguments(queue, *executable.interpreted, words, memory, scratch);
    interpreted.n = n;
    interpreted.results = reinterpret_cast<uint64_t>(results);
  }
  CUdeviceptr words_in_memory = memory + scratch.words;
  if (e.arguments_in_memory) copy_words(queue, words_in_memory, words);
  void* parameters[] = {executable.interpreted  ? static_cast<void*>(&interpreted)
                        : e.arguments_in_memory ? static_cast<void*>(&words_in_memory)
                                                : words.data()};
  check(d.cuLaunchKernel(executable.function, unsigned(blocks), 1, 1, unsigned(executable.threads), 1, 1, e.shared_bytes, queue.stream,
                         parameters, nullptr),
        "launching a kernel");
  Outcome outcome;
  if (timing) {
    timing->stop(queue);
    outcome.elapsed = [timing] { return timing->seconds(); };
  }
  if (!waits) return outcome;
  if (e.has_checks) check(d.cuMemcpyDtoHAsync(fault, memory + Queue::fault_at, sizeof(Fault), queue.stream), "reading a fault");
  check(d.cuStreamSynchronize(queue.stream), "running a kernel");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.elapsed = [seconds] { return seconds; };
  if (e.has_checks && fault->at != ~uint64_t(0)) {
    queue.clear_fault();
    throw_range_error(*fault);
  }
  outcome.scalars.assign(results, results + e.scalars);
  outcome.counts.assign(results + e.scalars, results + e.scalars + e.counts);
  if (e.law_flag) outcome.law_held = results[e.scalars + e.counts] != 0;
  return outcome;
}

}  // namespace wf::cuda
