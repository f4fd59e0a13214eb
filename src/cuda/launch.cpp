#include "cuda/launch.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace wf::cuda {
namespace {

// Assigns offsets in memory.
class Layout {
 public:
  explicit Layout(size_t first) : size_(first) {}
  size_t take(size_t bytes) {
    const size_t at = size_;
    size_ += (bytes + 15) / 16 * 16;
    return at;
  }
  size_t size() const { return size_; }

 private:
  size_t size_;
};

constexpr int64_t tiles_in_group = 32;  // as in skeletons/look_back.cuh

// Memory for one launch, in the queue's scratch memory and in its zeros.
Addresses addresses_of(Queue& queue, const Executable& executable, int64_t tiles, int64_t blocks, const RowForm& rows,
                       const uint64_t* results, uint32_t fault_record, uint32_t offsets_record) {
  const Signature& signature = executable.signature();
  Layout scratch(Queue::kept), zeros(0);
  Addresses at = {.results = reinterpret_cast<uint64_t>(results),
                  .fault = Queue::fault_at(fault_record),
                  .offsets_fault = Queue::fault_at(offsets_record)};
  if (executable.chained()) {
    const size_t groups = size_t(tiles / tiles_in_group + 1);
    at.counters = zeros.take(16);
    at.tile_words = zeros.take(8 * size_t(signature.local_words) * size_t(tiles));
    at.group_words = zeros.take(8 * size_t(signature.carry_words) * groups);
    at.tile_values = scratch.take(2 * size_t(signature.local_bytes) * size_t(tiles));
    at.group_values = scratch.take(2 * size_t(signature.carry_bytes) * groups);
    at.total = scratch.take(signature.carry_bytes);
  }
  const bool has_tasks = rows.form.uneven || rows.form.parts;
  if (has_tasks) {
    at.queued = zeros.take(8);
    at.fold_counters = zeros.take(4 * size_t(std::max(tiles, rows.tasks)));
    at.tasks = scratch.take(16 * size_t(rows.tasks));
    at.fold_partials = scratch.take(size_t(signature.fold_bytes) * size_t(std::max(tiles * rows.parts * executable.tile(), rows.tasks)));
  }
  if (executable.has_partials()) at.partials = scratch.take(size_t(signature.sums_bytes) * size_t(std::max(tiles, blocks)));
  at.words = scratch.take(8 * signature.arguments.size());
  const CUdeviceptr memory = queue.scratch(scratch.size()), cleared = zeros.size() > 0 ? queue.zeros(zeros.size()) : 0;
  for (CUdeviceptr* address :
       {&at.fault, &at.offsets_fault, &at.tile_values, &at.group_values, &at.total, &at.tasks, &at.fold_partials, &at.partials, &at.words})
    *address += memory;
  for (CUdeviceptr* address : {&at.tile_words, &at.group_words, &at.queued, &at.fold_counters}) *address += cleared;
  at.counters += executable.chained() ? cleared : memory;
  return at;
}

// Returns the values of the signature's arguments.
std::vector<uint64_t> words_of(const Signature& signature, const Addresses& at, std::span<const Bits64> literals, int64_t n,
                               std::span<const InputView> inputs, std::span<const uint64_t> outputs, const RowForm& rows) {
  auto word = [&](const Argument& argument) -> uint64_t {
    switch (argument.kind) {
      using enum Argument::Kind;
      case Count: return uint64_t(n);
      case Fault: return at.fault;
      case OffsetsFault: return at.offsets_fault;
      case Results: return at.results;
      case Counters: return at.counters;
      case Partials: return at.partials;
      case TileWords: return at.tile_words;
      case TileValues: return at.tile_values;
      case GroupWords: return at.group_words;
      case GroupValues: return at.group_values;
      case Total: return at.total;
      case Parts: return uint64_t(rows.parts);
      case RowCount: return uint64_t(rows.count);
      case Capacity: return uint64_t(rows.tasks);
      case Queued: return at.queued;
      case Tasks: return at.tasks;
      case FoldPartials: return at.fold_partials;
      case FoldCounters: return at.fold_counters;
      case Full: return at.full[argument.value];
      case Input: return inputs[argument.value].address;
      case InputLength: return uint64_t(inputs[argument.value].length);
      case Output: return outputs[argument.value];
      case Literal: return literals[argument.value];
      case Constant: return argument.value;
    }
    return 0;
  };
  std::vector<uint64_t> words;
  words.reserve(signature.arguments.size());
  for (const Argument& argument : signature.arguments) words.push_back(word(argument));
  return words;
}

}  // namespace

Outcome launch(Device& device, Queue& queue, Executable& executable, std::span<const Bits64> literals, int64_t n,
               std::span<const InputView> inputs, std::span<const uint64_t> outputs, const FullGroups& full, const RowForm* rows_or_null,
               std::vector<uint32_t>* deferred, RecentTime& time) {
  const Signature& signature = executable.signature();
  const int64_t tile = executable.tile(), tiles = (n + tile - 1) / tile;
  const RowForm rows = rows_or_null ? *rows_or_null : RowForm();
  const int64_t blocks = executable.blocks(n, tiles * rows.parts);
  const size_t result_words = signature.scalars + signature.counts + (signature.law_flag ? 1 : 0);
  uint64_t* results = queue.results(result_words);
  // A launch that waits for its results looks at its checks then. Wrong offsets come before the indices that depend on them.
  bool waits = result_words > 0;
  const auto record_of = [&](bool checks, uint32_t if_it_waits) {
    const std::optional<uint32_t> record = checks && deferred && result_words == 0 ? queue.reserve_fault() : std::nullopt;
    if (record) deferred->push_back(*record);  // now, so that it is freed even if the kernel does not start
    waits |= checks && !record;
    return record.value_or(if_it_waits);
  };
  const uint32_t offsets_record = record_of(signature.checks_offsets, 1), record = record_of(signature.has_checks, 0);
  Addresses at = addresses_of(queue, executable, tiles, blocks, rows, results, record, offsets_record);
  at.full = full;
  std::vector<uint64_t> words = words_of(signature, at, literals, n, inputs, outputs, rows);
  // A launch that waits for its results is timed by the host clock. Other kernels are timed by events; for a small kernel without long rows the
  // time of the call suffices.
  constexpr int64_t small = 1 << 16;
  const bool by_events = !waits && (n >= small || rows_or_null);
  const auto timing = by_events && time.is_due() ? std::make_shared<Timing>(device, queue) : nullptr;
  const auto start = std::chrono::steady_clock::now();
  executable.start(queue, {n, blocks, at, words});
  Outcome outcome;
  if (timing) {
    timing->stop(queue);
    time.set([timing] { return timing->seconds(); });
  }
  if (by_events) outcome.elapsed = time.get();
  if (!waits) return outcome;
  if (result_words > 0) queue.wait_for_results();
  else check(queue.driver().cuStreamSynchronize(queue.stream), "running a kernel");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.elapsed = [seconds] { return seconds; };
  if (signature.has_checks || signature.checks_offsets || (deferred && !deferred->empty())) queue.throw_first_fault(deferred);
  outcome.scalars.assign(results, results + signature.scalars);
  outcome.counts.assign(results + signature.scalars, results + signature.scalars + signature.counts);
  if (signature.law_flag) outcome.law_held = results[signature.scalars + signature.counts] != 0;
  return outcome;
}

void settle(Queue& queue, std::vector<uint32_t>& deferred) {
  check(queue.driver().cuStreamSynchronize(queue.stream), "waiting for checks of indices");
  queue.throw_first_fault(&deferred);
}

}  // namespace wf::cuda
