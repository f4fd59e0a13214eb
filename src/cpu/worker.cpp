#include "cpu/worker.h"

#include <algorithm>

#include "cpu/map.h"
#include "engine/cancellation.h"

namespace wf::cpu {
namespace {

ScanMode scan_mode(const Kernel& kernel, bool by_law, bool alone) {
  if (!kernel.has_scan()) return ScanMode::none;
  if (kernel.scan[0].axis.exists()) return ScanMode::along;
  if (by_law) return ScanMode::by_law;
  return alone ? ScanMode::carry : ScanMode::chain;
}

// Returns true if a chunk waits for what the chunk on its left passes on.
bool in_order(const CompiledKernel& compiled, int64_t n, bool by_law) {
  const Kernel& kernel = compiled.kernel;
  if (!kernel.has_scan() || by_law) return !kernel.compactions.empty();
  return !kernel.scan[0].axis.exists() || compiled.way_along(n) == WayAlong::parts;
}

std::vector<PartView> views_of(const std::vector<InputPart>& parts, int64_t size) {
  std::vector<PartView> views;
  views.reserve(parts.size());
  int64_t begin = 0;
  for (const InputPart& part : parts) {
    views.push_back({part.buffer->host() + part.offset * size, begin, part.end, int64_t(part.buffer->capacity()) / size - part.offset});
    begin = part.end;
  }
  return views;
}

// parts: the memory of the views of inputs of parts.
Few<InputView> views_of(const Launch& launch, std::vector<std::vector<PartView>>& parts) {
  Few<InputView> views;
  views.reserve(launch.inputs.size());
  for (size_t k = 0; k < launch.inputs.size(); k++) {
    const InputBuffer& input = launch.inputs[k];
    const Input& read_as = launch.kernel->inputs[k];
    const auto size = int64_t(size_of(read_as.source_type()));
    if (input.parts) {
      parts.push_back(views_of(*input.parts, size));
      views.push_back({.data = nullptr, .length = input.length, .parts = parts.back()});
      continue;
    }
    const std::byte* elements = input.buffer->host();
    const int64_t length = input.length - (read_as.of_segments && !read_as.lacks_end);
    views.push_back({elements + input.offset * size, length, int64_t(input.buffer->capacity()) / size - input.offset, read_as.of_segments});
  }
  return views;
}

void lower_to(std::atomic<int64_t>& least, int64_t value) {
  int64_t known = least.load(std::memory_order_relaxed);
  while (value < known && !least.compare_exchange_weak(known, value, std::memory_order_relaxed)) {}
}

int64_t chunk_count(int64_t n, int64_t length) { return (n + length - 1) / length; }

}  // namespace

Run::Run(const CompiledKernel& compiled_, const Launch& launch_, bool by_law, int workers)
    : compiled(compiled_),
      launch(launch_),
      inputs(views_of(launch_, parts)),
      chunk_length(compiled_.chunk_length(launch_)),
      chunks(compiled_.strips(launch_.n, chunk_length).value_or(chunk_count(launch_.n, chunk_length)),
             in_order(compiled_, launch_.n, by_law) ? 1 : workers),
      mode(scan_mode(compiled_.kernel, by_law, workers == 1 || chunks.count() <= 1)),
      way(compiled_.neighbours && launch_.begin == 0 ? compiled_.neighbours->way(launch_.n, inputs, launch_.in_place)
                                                     : Neighbours::Way::by_body),
      stream(!launch_.in_place && worth_streaming(traffic_bytes(launch_))),
      kept(compiled_.kernel.compactions.size()) {
  for (const BufferRef& output : launch.outputs) outputs.push_back(output->host_for_writing());
  if (compiled.scan) carry = compiled.scan->start;
  if (!launch.scan_start.empty()) carry.assign(launch.scan_start.begin(), launch.scan_start.end());
  if (mode == ScanMode::along && compiled.way_along(launch.n) == WayAlong::parts)
    carries = ColumnBlock(compiled.scan->types, compiled.kernel.scan[0].axis.inner);
  if (mode == ScanMode::by_law) law.emplace(compiled, chunks.count());
  if (chunks.count() <= 1) return;  // then the worker itself holds the result
  ends = std::vector<std::atomic<int64_t>>(compiled.decisive.size());
  for (std::atomic<int64_t>& end : ends) end.store(INT64_MAX, std::memory_order_relaxed);
  for (const auto& reduction : compiled.reductions)
    partials.push_back({ColumnBlock(reduction->types, chunks.count()), std::vector<uint8_t>(size_t(chunks.count()))});
}

bool Run::is_decided(int64_t begin) const {
  const auto is_after = [&](const std::atomic<int64_t>& end) { return end.load(std::memory_order_relaxed) <= begin; };
  return !ends.empty() && std::ranges::all_of(ends, is_after);
}

Worker::Worker(const CompiledKernel& compiled) : compiled_(compiled), frame_(compiled.program) {
  const Kernel& kernel = compiled.kernel;
  for (const auto& reduction : compiled.reductions) {
    auto selector = compiled.replacements.element ? std::make_unique<Selector>(*reduction, compiled.replacements) : nullptr;
    selector_ = selector.get();
    reducers_.push_back(selector ? std::move(selector) : make_reducer(*reduction));
  }
  for (const Compact& compact : kernel.compactions) {
    std::vector<Type> types;
    for (uint32_t output : compact.outputs) types.push_back(kernel.outputs[output]);
    compactors_.push_back(std::make_unique<Compactor>(std::move(types)));
  }
  if (compiled.elements) elements_.emplace(*compiled.elements);
  if (compiled.neighbours) inner_.emplace(compiled.neighbours->inner);
  if (compiled.neighbours && compiled.neighbours->edges) edges_.emplace(compiled.neighbours->edges);
  if (!compiled.scan) return;
  const uint32_t m = uint32_t(compiled.scan->columns());
  const int64_t block = compiled.block;
  exclusive_ = ColumnBlock(compiled.scan->types, block);
  inclusive_ = ColumnBlock(compiled.scan->types, block);
  prefixer_ = make_prefixer(*compiled.scan);
  if (const ScanAxis& axis = kernel.scan[0].axis; axis.exists()) {
    if (goes_in_strips(axis, *compiled.scan->fn)) column_prefixes_.emplace(*compiled.scan, block);
    else if (compiled.scan->in_registers()) array_prefixes_.emplace(*compiled.scan, axis);
  }
  if (kernel.scan[0].by_law) law_ = std::make_unique<LawScan>(compiled);
  for (uint32_t k = 0; k < m; k++) {
    targets_.exclusive.push_back(compiled.exclusive_used[k] ? exclusive_.at(int(k)) : nullptr);
    targets_.inclusive.push_back(compiled.inclusive_used[k] ? inclusive_.at(int(k)) : nullptr);
    frame_.bind_param(1 + k, exclusive_.at(int(k)));
    frame_.bind_param(1 + m + k, inclusive_.at(int(k)));
  }
  if (kernel.scan[0].axis.exists()) return;
  std::vector<bool> is_placed(1 + 2 * m);
  for (const Store& s : kernel.stores) {
    const Fn& body = *kernel.body;
    const Term& term = body[body.results[s.value]];
    if (term.kind != Kind::Param || term.slot == 0 || is_placed[term.slot]) continue;
    is_placed[term.slot] = true;
    stored_prefixes_.push_back({s.output, int((term.slot - 1) % m), term.slot > m});
  }
}

void Worker::begin(Run& run) {
  run_ = &run;
  run.workers.fetch_add(1, std::memory_order_relaxed);
  fault_ = {};
  if (compiled_.tier->waits()) began_ = std::chrono::steady_clock::now();
  frame_.bind_inputs(run.inputs, run.launch.arguments);
  frame_.may_use_threads(run.chunks.count() == 1);
  frame_.store_past_caches(run.stream && compiled_.only_stores);
  for (auto& reducer : reducers_) {
    reducer->bind_inputs(run.inputs, run.launch.arguments);
    reducer->begin(run.launch.n);
  }
  if (elements_) elements_->bind_inputs(run.inputs, run.launch.arguments);
  inner_row_ = -1;
  if (run.way == Neighbours::Way::through_rows) {
    inner_->bind_inputs(run.inputs, run.launch.arguments);
    if (edges_) edges_->bind_inputs(run.inputs, run.launch.arguments);
  }
  if (prefixer_) prefixer_->bind_inputs(run.inputs);
  if (column_prefixes_) column_prefixes_->bind_inputs(run.inputs);
}

void Worker::run_chunk(int64_t chunk) {
  const Launch& launch = run_->launch;
  const int64_t begin = launch.begin + chunk * run_->chunk_length, end = std::min(begin + run_->chunk_length, launch.begin + launch.n);
  if (run_->is_decided(begin)) {
    run_->left_out.fetch_add(end - begin, std::memory_order_relaxed);
    return;
  }
  for (auto& reducer : reducers_) reducer->clear();
  if (selector_ && run_->chunks.count() == 1) selector_->begin_with_identity();
  if (!compactors_.empty()) begin_compactions(chunk);
  switch (run_->mode) {
    case ScanMode::none:
      if (run_->way == Neighbours::Way::through_rows) run_through_rows(begin, end);
      else
        for (int64_t at = begin; at < end;) at += run_->way == Neighbours::Way::by_rows ? run_row(at, end) : run_block(at, end);
      break;
    case ScanMode::by_law:
      scan_by_law(begin, end);
      law_->put(*run_->law, chunk);
      break;
    case ScanMode::along:
      if (column_prefixes_) scan_columns(chunk);
      else if (array_prefixes_) scan_arrays(chunk, begin, end);
      else scan_rows(begin, end);
      break;
    case ScanMode::carry: scan_with_carry(begin, end); break;
    case ScanMode::chain: scan_in_chain(chunk, begin, end); break;
  }
  leave_results(chunk);
}

std::byte* Worker::output_at(uint32_t output, int64_t at) const {
  return run_->outputs[output] + at * int64_t(size_of(compiled_.kernel.outputs[output]));
}

// Returns true if whole tiles may be written to these elements of an output, none of which is read any more. Only the last elements of an output may
// be followed by undefined ones.
bool Worker::has_tiles(uint32_t output, int64_t at, int64_t count) const {
  if (run_->launch.in_place || at % tile != 0) return false;
  const auto end = (at + count + tile - 1) / tile * tile * int64_t(size_of(compiled_.kernel.outputs[output]));
  return count % tile == 0 ||
         (at + count == run_->launch.begin + run_->launch.n && end <= int64_t(run_->launch.outputs[output]->capacity()));
}

// Results are computed in the outputs if these have tiles, and the caches are to contain them or native code stores past them.
void Worker::place_results(Frame& frame, int64_t at, int64_t count) {
  for (const Store& s : compiled_.kernel.stores) {
    const bool in_output = has_tiles(s.output, at, count) && (!run_->stream || frame.stores_past_caches(s.value));
    frame.place_result(s.value, in_output ? output_at(s.output, at) : nullptr);
  }
}

// The number of elements, `count` or fewer, that native code may fold at once.
int64_t Worker::room_for(int64_t count) const {
  for (const auto& reducer : reducers_) count = std::min(count, reducer->room());
  return count;
}

// Computes a block that begins at `at`, or more where the memory of the frame is not needed, and returns the number of its elements. Native
// code folds whole tiles.
int64_t Worker::run_block(int64_t at, int64_t end) {
  stop_if_canceled();
  if (selector_)
    if (const int64_t skipped = selector_->skip(at, end)) return skipped;
  if (const int64_t run = compiled_.program->run(); run != 0) end = std::min(end, at + run - at % run);
  if (compiled_.stores_rows && !run_->launch.in_place)
    if (const int64_t folded = run_rows_of_matrix(at, end)) return folded;
  if (compiled_.ends_in_tree && frame_.folds())
    if (const int64_t combined = run_tree(at, end)) return combined;
  int64_t count = end - at;
  const bool folding = frame_.folds() && !compiled_.ends_in_tree && count >= tile;
  if (folding) count = count / tile * tile;
  if (folding && !(compiled_.kernel.stores.empty() && compiled_.kernel.compactions.empty())) count = room_for(count);
  place_results(frame_, at, count);
  if (const int64_t whole = count; whole > compiled_.block) {
    count = std::max(compiled_.spans ? frame_.span(at, whole) : 0, compiled_.block);
    if (count < whole) place_results(frame_, at, count);
  }
  if (folding) {
    lanes_.clear();
    for (size_t r = 0; r < reducers_.size(); r++) {
      const bool all = compiled_.kernel.reductions[r].mask == no_mask;
      for (int k = 0; k < compiled_.reductions[r]->columns(); k++) lanes_.push_back(reducers_[r]->lanes(k, all));
      if (!all) lanes_.push_back(reducers_[r]->taken());
    }
    for (int64_t done = 0, part; done < count; done += part) {
      part = room_for(count - done);
      frame_.run_folding(lanes_.data(), at + done, part);
      for (const auto& reducer : reducers_) reducer->note_folded(part);
    }
  } else {
    frame_.run(0, at, count);
  }
  sink_block(at, count, folding);
  return count;
}

// Computes elements from `at` on and combines them several times in native code, the only sink. Returns their number, or 0 if native code cannot.
int64_t Worker::run_tree(int64_t at, int64_t end) {
  Reducer& tree = *reducers_[0];
  int64_t count = tree.begin_halved(end - at);
  if (count > compiled_.block) count = tree.begin_halved(std::max(frame_.span(at, count), compiled_.block));
  if (count == 0) return 0;
  lanes_.clear();
  for (int k = 0; k < compiled_.reductions[0]->columns(); k++) lanes_.push_back(tree.halved(k));
  frame_.run_folding(lanes_.data(), at, count);
  tree.add_halved(count);
  return count;
}

// Folds rows of a matrix from `at` on, whose totals are the only results. Returns their number, or 0 if the rows are too long. Totals that are
// stored past the caches are computed in memory that the second-level cache contains.
int64_t Worker::run_rows_of_matrix(int64_t at, int64_t end) {
  constexpr int64_t rows_at_once = 1 << 15;
  const int64_t count = std::min(end - at, rows_at_once);
  if (run_->stream && totals_.columns() == 0) totals_ = ColumnBlock(compiled_.result_types, rows_at_once);
  lanes_.resize(compiled_.result_types.size());
  for (const Store& s : compiled_.kernel.stores) lanes_[s.value] = run_->stream ? totals_.at(int(s.value)) : output_at(s.output, at);
  if (!frame_.fold_rows(at, count, lanes_)) return 0;
  for (const Store& s : compiled_.kernel.stores) store(s.output, lanes_[s.value], at, count);
  return count;
}

void Worker::scan_by_law(int64_t begin, int64_t end) {
  const int64_t block = compiled_.block;
  law_->clear();
  for (int64_t at = begin; at < end; at += block) {
    const int64_t count = std::min(block, end - at);
    frame_.run(0, at, count);
    law_->add(frame_.result(compiled_.kernel.scan[0].values[0]), count);
    if (compiled_.phase_1_by_law) frame_.run(1, at, count);
    sink_block(at, count);
  }
}

// folded: native code has folded the reductions.
void Worker::sink_block(int64_t at, int64_t count, bool folded) {
  const Kernel& kernel = compiled_.kernel;
  for (const Store& s : kernel.stores) store(s.output, frame_.result(s.value), at, count);
  if (elements_) store_elements(at, count);
  auto columns_of = [&](const std::vector<uint32_t>& values) {
    columns_.clear();
    for (uint32_t value : values) columns_.push_back(frame_.result(value));
  };
  auto mask_of = [&](uint32_t mask) { return static_cast<const uint8_t*>(frame_.result(mask)); };
  for (size_t r = 0; r < reducers_.size(); r++) {
    const Reduction& reduction = kernel.reductions[r];
    if (reduction.by_law && run_->mode == ScanMode::by_law) continue;
    if (folded) continue;
    columns_of(reduction.values);
    if (reduction.mask == no_mask) reducers_[r]->add(columns_, count);
    else reducers_[r]->add_masked(columns_, mask_of(reduction.mask), count);
  }
  for (size_t c = 0; c < compactors_.size(); c++) {
    columns_of(kernel.compactions[c].values);
    compactors_[c]->add(columns_, mask_of(kernel.compactions[c].mask), count);
  }
}

void Worker::store(uint32_t output, const void* values, int64_t at, int64_t count) {
  std::byte* const target = output_at(output, at);
  if (values != target) write_block(values, target, count * int64_t(size_of(compiled_.kernel.outputs[output])), run_->stream);
}

void Worker::store_elements(int64_t begin, int64_t count) {
  const RowElements& elements = compiled_.kernel.elements[0];
  columns_.clear();
  for (uint32_t value : elements.row) columns_.push_back(frame_.result(value));
  elements_->run(begin, count, columns_, [&](int64_t at, int64_t computed) {
    for (const Store& s : elements.stores) store(s.output, elements_->result(s.value), at, computed);
  });
}

// The only worker knows the offset already, and compacts into the outputs.
void Worker::begin_compactions(int64_t chunk) {
  compacts_directly_ = run_->chunks.count() == 1 || (!run_->stream && is_alone(run_->kept_turn, chunk));
  for (size_t c = 0; c < compactors_.size(); c++) {
    if (!compacts_directly_) {
      compactors_[c]->begin_buffered(run_->chunk_length);
      continue;
    }
    outputs_.clear();
    for (uint32_t output : compiled_.kernel.compactions[c].outputs) outputs_.push_back(output_at(output, run_->kept[c]));
    compactors_[c]->begin_direct(outputs_);
  }
}

void Worker::leave_results(int64_t chunk) {
  std::vector<Partials>& partials = run_->partials;
  for (size_t r = 0; r < partials.size(); r++) {
    operands_.resize(size_t(partials[r].values.columns()));
    partials[r].taken[chunk] = reducers_[r]->total(operands_);
    if (!partials[r].taken[chunk]) continue;
    for (int k = 0; k < partials[r].values.columns(); k++) partials[r].values.set(k, chunk, operands_[k]);
    if (!run_->ends.empty()) lower_to(run_->ends[r], compiled_.decisive[r].end(operands_[0], run_->launch.arguments));
  }
  if (!compactors_.empty()) write_compacted(chunk);
  if (run_->stream) simd_tables().streams.fence();
}

// Wait for the offset from the chunk on the left, publish the next offset, then copy the elements out.
void Worker::write_compacted(int64_t chunk) {
  run_->kept_turn.wait(chunk, run_->chunks);
  offsets_ = run_->kept;
  for (size_t c = 0; c < compactors_.size(); c++) run_->kept[c] += compactors_[c]->kept();
  run_->kept_turn.pass(chunk);
  if (compacts_directly_) return;
  for (size_t c = 0; c < compactors_.size(); c++) {
    outputs_.clear();
    for (uint32_t output : compiled_.kernel.compactions[c].outputs) outputs_.push_back(run_->outputs[output]);
    compactors_[c]->write(outputs_, offsets_[c], run_->stream);
  }
}

FoldWays Worker::fold_ways() const {
  FoldWays ways = frame_.fold_ways();
  if (run_->way != Neighbours::Way::through_rows) return ways;
  ways.add(inner_->fold_ways());
  if (edges_) ways.add(edges_->fold_ways());
  return ways;
}

void Worker::note_faults() {
  RangeFault fault = fault_;
  if (prefixer_) prefixer_->note_fault(fault);
  for (auto& reducer : reducers_) reducer->note_fault(fault);
  auto note = [&](const RangeFault& other) {
    if (other.at >= 0 && (fault.at < 0 || other.at < fault.at)) fault = other;
  };
  note(frame_.fault());
  if (edges_ && run_->way == Neighbours::Way::through_rows) {
    RangeFault at_edge = edges_->fault();
    const int64_t margin = compiled_.neighbours->margin;
    if (at_edge.at >= 0) at_edge.at = at_edge.at / (2 * margin) * compiled_.neighbours->width + at_edge.at % (2 * margin) - margin;
    note(at_edge);
  }
  if (fault.at < 0) return;
  std::lock_guard lock(run_->fault_mutex);
  if (run_->fault.at < 0 || fault.at < run_->fault.at) run_->fault = fault;
}

void Worker::end() {
  note_faults();
  for (auto& compactor : compactors_) compactor->release();
  if (!began_) return;
  compiled_.tier->add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - *began_).count());
  began_.reset();
}

// The start is combined with the result from the left; this changes nothing if it is a true identity.
void Worker::total(size_t r, std::span<Bits64> results) {
  if (selector_ && selector_->contains_identity()) {
    selector_->total(results);
    return;
  }
  const Combine& reduction = *compiled_.reductions[r];
  const size_t m = reduction.identity.size();
  operands_.resize(2 * m);
  std::ranges::copy(reduction.start, operands_.begin());
  if (reducers_[r]->total(std::span(operands_).subspan(m))) reduction.one(operands_, run_->inputs, results, fault_);
  else std::ranges::copy(reduction.identity, results.begin());
}

void Worker::join(size_t r, std::span<Bits64> results) {
  const Partials& partials = run_->partials[r];
  columns_.clear();
  for (int k = 0; k < partials.values.columns(); k++) columns_.push_back(partials.values.at(k));
  reducers_[r]->clear();
  reducers_[r]->add_masked(columns_, partials.taken.data(), int64_t(partials.taken.size()));
  total(r, results);
}

}  // namespace wf::cpu
