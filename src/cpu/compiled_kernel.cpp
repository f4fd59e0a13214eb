#include "cpu/compiled_kernel.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "cpu/cost.h"
#include "cpu/program/compile.h"
#include "cpu/program/folds/fold_code.h"
#include "cpu/program/instruction.h"
#include "cpu/threads/chunks.h"
#include "cpu/worker.h"

namespace wf::cpu {
namespace {

constexpr int64_t serial_length = 32768;  // fewer elements of a cheap kernel do not repay a helper
constexpr int64_t few_chunks = 8;         // of serial_length elements or some more: they take less than 50 us
constexpr int64_t few_rows = 16;
constexpr int64_t fewest_adjacent_rows = 2048;  // rows that are neighbours in memory: 8 KiB or more that are read at once
constexpr int64_t usual_workers = 16;
constexpr int64_t chunk_bytes = 1 << 20;        // a chunk that is read once
constexpr int64_t chunk_bytes_in_l2 = 1 << 18;  // a chunk that is read twice, or buffered
constexpr int64_t most_chunks = 1 << 16;        // no machine needs more, and each has a record
constexpr int64_t vector_elements = 16;         // of f32 in the widest vectors; fewer take as long
constexpr int64_t time_of_chunk = 2'000;        // nanoseconds, of loops; taking a chunk costs some 200
constexpr int64_t time_of_waking = 3'000;       // nanoseconds, of one thread
constexpr int64_t prefix_bytes = 4096;          // a block's prefixes share L1 with the body's registers
constexpr int64_t near_input = 1 << 20;         // bytes of an input whose elements are read at any indices: more are far from a core
constexpr int64_t cost_of_far_read = 64;        // in additions
constexpr int64_t cost_of_near_read = 16;       // a gather loads one element at a time

// The fewest rows, or elements that are evaluated twice or wait for each other, of this cost that repay a helper (threads/helpers.h).
int64_t repays_a_helper(int64_t cost, int64_t least) { return std::max(serial_length * 16 / (15 + cost), least); }
// The same of other elements. Fewer are read faster by the one core whose cache contains them.
int64_t repays_a_chunk(int64_t cost) { return std::max<int64_t>(serial_length * 12 / (3 + cost), 512); }

// used[k]: some result reads parameter k.
std::vector<bool> used_params(const Fn& fn) {
  std::vector<bool> needed(fn.terms.size()), used(fn.params.size());
  for (Id id : fn.results) needed[id] = true;
  for (Id id = Id(fn.terms.size()); id-- > 0;) {
    if (!needed[id]) continue;
    for (Id arg : fn.args(id)) needed[arg] = true;
    if (fn[id].kind == Kind::Param) used[fn[id].slot] = true;
  }
  return used;
}

// The inputs that the program reads at any indices, or in strides, once for each such read: a literal in an index costs what an argument does.
std::vector<uint32_t> gathered_inputs(const BlockProgram::Impl& program) {
  std::vector<uint32_t> slots;
  for (const Stream& stream : program.streams) {
    const Walk* walk = stream.walk == Stream::no_walk ? nullptr : &program.walks[stream.walk];
    if (walk ? walk->shift != 0 || walk->has_argument() : stream.stride != 1 && stream.stride != -1) slots.push_back(stream.slot);
  }
  for (const Phase& phase : program.phases)
    for (const Instruction& i : phase.code)
      if (i.kind == Instruction::Kind::Gather) slots.push_back(i.detail);
  return slots;
}

// Returns true if the body has folds, and all of them fold rows of equal counts by groups of lanes (folds/across.h).
bool folds_across(const BlockProgram::Impl& program) {
  auto goes_across = [&](const Instruction& i) {
    if (i.kind != Instruction::Kind::Fold) return true;
    const FoldCode& fold = *program.folds[i.detail];
    const Location::From count = program.locations[program.operands[i.operands]].from;
    const bool is_number = count == Location::From::Literal || count == Location::From::Uniform;
    return fold.prefers_across && fold.lanes != no_lanes && is_number;
  };
  return !program.folds.empty() &&
         std::ranges::all_of(program.phases, [&](const Phase& phase) { return std::ranges::all_of(phase.code, goes_across); });
}

int64_t bytes_per_element(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Input& input : kernel.inputs) bytes += int64_t(size_of(input.type));
  for (const Compact& compact : kernel.compactions)
    for (uint32_t output : compact.outputs) bytes += int64_t(size_of(kernel.outputs[output]));
  return std::max<int64_t>(bytes, 1);
}

}  // namespace

int64_t traffic_bytes(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  int64_t bytes = 0;
  for (uint32_t k = 0; k < kernel.outputs.size(); k++)
    bytes += launch.n * elements_per_index(kernel, k) * int64_t(size_of(kernel.outputs[k]));
  for (size_t k = 0; k < launch.inputs.size(); k++)
    bytes += std::min(launch.inputs[k].length, launch.n) * int64_t(size_of(kernel.inputs[k].type));
  return bytes;
}

CompiledKernel::CompiledKernel(const Kernel& original, int64_t n)
    : kernel(original), neighbours(neighbours_of(original, n)), result_types(original.body->result_types()) {
  if (neighbours) kernel.body = neighbours->body;
  const Fn& body = *kernel.body;
  std::vector<uint32_t> early(body.results.size());
  std::iota(early.begin(), early.end(), 0u);
  if (kernel.has_scan()) {
    const Scan& s = kernel.scan[0];
    scan = std::make_unique<Combine>(s.combine, s.identity);
    early = s.values;
    const std::vector<bool> used = used_params(body);
    const size_t m = s.values.size();
    for (size_t k = 0; k < m; k++) {
      exclusive_used.push_back(used[1 + k]);
      inclusive_used.push_back(used[1 + m + k]);
    }
  }
  std::vector<bool> is_early(body.results.size()), is_law(body.results.size());
  for (uint32_t r : early) is_early[r] = true;
  for (const Reduction& r : kernel.reductions) {
    reductions.push_back(std::make_unique<Combine>(r.combine, r.identity));
    law_inclusive.push_back(r.by_law && body[body.results[r.values[0]]].slot > kernel.scan[0].values.size());
    if (r.by_law) is_law[r.values[0]] = true;
  }
  for (size_t k = 0; k < is_early.size(); k++) {
    has_phase_1 = has_phase_1 || !is_early[k];
    phase_1_by_law = phase_1_by_law || !(is_early[k] || is_law[k]);
  }
  only_stores = !scan && kernel.elements.empty() && !neighbours && reductions.empty() && kernel.compactions.empty();
  program = BlockProgram::compile(body, CompileOptions{.early = early, .indexed = true, .in_runs = only_stores});
  block = program->block();
  if (scan && !kernel.scan[0].by_law)
    for (Type type : scan->types) block = std::min(block, prefix_bytes / int64_t(size_of(type)));
  replacements = replacements_of(kernel);
  decisive = decisive_reductions(kernel);
  permuted = PermutedCopy::of(kernel);
  if (kernel.finish) finish.emplace(kernel.finish);
  if (!kernel.elements.empty()) {
    elements.emplace(kernel.elements[0]);
    block = std::clamp<int64_t>(chunk_bytes_in_l2 / (elements->count * bytes_per_element(kernel)), 1, block);
  }

  is_chained_ = (kernel.has_scan() && !kernel.scan[0].by_law) || !kernel.compactions.empty();
  largest_chunk_ = (is_chained_ ? chunk_bytes_in_l2 : chunk_bytes) / bytes_per_element(kernel);
  if (!decisive.empty()) largest_chunk_ = 0;  // the smallest that repays taking it: a chunk is computed to its end
  folds_ = has_folds(body);
  loops_ =
      !folds_ && !scan && !elements && !neighbours && std::ranges::any_of(body.terms, [](const Term& t) { return t.kind == Kind::Loop; });
  goes_across_ = std::ranges::any_of(program->impl().folds, [](const auto& fold) { return fold->across != nullptr; });
  shares_blocks_ = !elements && folds_across(program->impl());
  cost_ = cost(body, {}) + cost_of_folding();
  for (const auto& reduction : reductions)
    if (!is_chained_ && reduction->program && !replacements.element) cost_ += cost(*reduction->fn, {});
  if (!neighbours) gathered_ = gathered_inputs(program->impl());
  // Native code folds whole tiles only. A tree's bracketing would depend on how a block is cut.
  cuts_blocks_ = !scan && !elements && std::ranges::all_of(reductions, [](const auto& r) { return r->in_registers(); });
  spans = cuts_blocks_ && kernel.compactions.empty();
  auto is_stored = [&](size_t k) { return std::ranges::find(kernel.stores, uint32_t(k), &Store::value) != kernel.stores.end(); };
  stores_rows = only_stores && program->run() == 0 && program->folds_rows();
  for (size_t k = 0; k < result_types.size(); k++) stores_rows = stores_rows && is_stored(k);
  ends_in_tree = !scan && !elements && kernel.stores.empty() && kernel.compactions.empty() && reductions.size() == 1 &&
                 reductions[0]->program && kernel.reductions[0].mask == no_mask && !replacements.element;
  // A kernel that is not cached would be compiled for each run.
  const bool gains = epilogue() || std::ranges::any_of(programs(), [](const auto& p) { return native::gains(*p); });
  tier.emplace(!has_foreign(kernel) && gains);
}

CompiledKernel::~CompiledKernel() {
  for (std::atomic<Worker*>& worker : idle_) delete worker.load();
}

// All programs that runs evaluate block by block.
std::vector<std::shared_ptr<const BlockProgram>> CompiledKernel::programs() const {
  std::vector<std::shared_ptr<const BlockProgram>> all{program};
  for (const auto& reduction : reductions) all.push_back(reduction->program);
  for (const auto& test : {replacements.exact, replacements.possible, replacements.element}) all.push_back(test);
  if (scan) all.push_back(scan->program);
  if (elements) all.push_back(elements->program);
  if (neighbours) all.insert(all.end(), {neighbours->inner, neighbours->edges});
  std::erase(all, nullptr);
  return all;
}

// The folds of the reductions that native code computes together with the body.
std::optional<native::Epilogue> CompiledKernel::epilogue() const {
  if (!cuts_blocks_) return std::nullopt;
  native::Epilogue all{{}, std::vector<bool>(result_types.size())};
  for (const Store& store : kernel.stores) all.read[store.value] = true;
  for (const Compact& compact : kernel.compactions) {
    all.read[compact.mask] = true;
    for (uint32_t value : compact.values) all.read[value] = true;
  }
  for (size_t r = 0; r < reductions.size(); r++) {
    const Reduction& reduction = kernel.reductions[r];
    const auto mask = reduction.mask == no_mask ? std::nullopt : std::optional(reduction.mask);
    for (size_t k = 0; k < reduction.values.size(); k++)
      all.folds.push_back({reduction.values[k], reductions[r]->ops[k], reductions[r]->types[k], mask, reductions[r]->begins_with_nan(k)});
    if (mask) all.folds.push_back({*mask, Op::or_, Type::Bool});  // Reducer::taken
  }
  const bool gains = all.folds.size() > 1 || !program->impl().phases[0].code.empty();
  return !all.folds.empty() && gains ? std::optional(std::move(all)) : std::nullopt;
}

std::vector<native::Ending> CompiledKernel::endings() const {
  std::vector<native::Ending> all;
  if (auto ending = epilogue()) all.push_back({program, *std::move(ending)});
  if (ends_in_tree) {
    native::Epilogue tree{{}, std::vector<bool>(result_types.size())};
    tree.tree = reductions[0].get(), tree.values = kernel.reductions[0].values;
    all.push_back({program, std::move(tree)});
  }
  if (replacements.element) all.push_back({replacements.element, {.folds = {}, .read = {}, .selects = true}});
  return all;
}

int64_t CompiledKernel::price_of_native() const { return native::price(programs(), endings()); }

void CompiledKernel::compile_native() const {
  if (price_of_native() > native::most_price) return;
  try {
    std::vector<const Combine*> combines;
    for (const auto& reduction : reductions) combines.push_back(reduction.get());
    native::compile(programs(), combines, endings(), {!scan && kernel.compactions.empty(), only_stores});
  } catch (const std::exception& e) { native::note_failure(e.what()); }  // the kernel stays interpreted
}

bool CompiledKernel::is_native() const {
  auto has_native = [](const std::shared_ptr<const BlockProgram>& p) { return p && p->native(); };
  return has_native(program) || (neighbours && has_native(neighbours->inner)) || has_native(replacements.element) ||
         (scan && has_native(scan->program)) || std::ranges::any_of(reductions, [&](const auto& r) { return has_native(r->program); });
}

int64_t CompiledKernel::chunk_length(const Launch& launch) const {
  if (scan && kernel.scan[0].axis.exists()) return chunk_of_vectors(kernel.scan[0].axis, launch.n);
  if (folds_) {
    const int64_t rows = chunk_of_rows(launch), run = std::max<int64_t>(program->run(), 1);
    return (rows + run - 1) / run * run;
  }
  if (loops_) return chunk_of_loops(launch.n);
  const int64_t smallest = smallest_chunk(launch);
  // Few chunks are a power of two, so that as many workers have equal parts.
  const auto few = std::max<int64_t>(int64_t(std::bit_floor(uint64_t(launch.n / smallest))), 1);
  const int64_t length = few < 16 ? (launch.n + few - 1) / few : chunk_of(launch.n / 16, smallest, launch.n);
  return std::max<int64_t>((length + block - 1) / block, 1) * block;
}

// The cost of combining one element. The bits of a sum depend on the chunks and must not depend on whether other reductions of the same values
// join it, so that values count rather than reductions; the first one belongs to the cost of reading.
int64_t CompiledKernel::cost_of_folding() const {
  std::set<uint32_t> values;
  for (const Reduction& reduction : kernel.reductions) values.insert(reduction.values.begin(), reduction.values.end());
  int64_t cost = 0;
  for (uint32_t value : values) cost += width(result_types[value]);
  return std::max<int64_t>(cost - 1, 0);
}

// The fewest elements of a chunk of a kernel without folds and loops.
int64_t CompiledKernel::smallest_chunk(const Launch& launch) const {
  int64_t cost = cost_;
  for (uint32_t slot : gathered_)
    cost += launch.inputs[slot].length * int64_t(size_of(kernel.inputs[slot].type)) > near_input ? cost_of_far_read : cost_of_near_read;
  return is_chained_ ? repays_a_helper(cost, 512) : repays_a_chunk(cost);
}

WayAlong CompiledKernel::way_along(int64_t n) const {
  const ScanAxis& axis = kernel.scan[0].axis;
  const int64_t size = axis.length * axis.inner;
  if (goes_in_strips(axis, *scan->fn)) return WayAlong::strips;
  if (!scan->in_registers()) return WayAlong::rows;
  return size <= serial_length || n / size >= usual_workers ? WayAlong::whole : WayAlong::parts;
}

// A chunk is whole vectors if one thread scans each: their prefixes do not depend on the chunks. It is a strip of columns, as many as a block has
// elements, or fewer if strips would not occupy all threads. Parts depend on lengths alone.
int64_t CompiledKernel::chunk_of_vectors(const ScanAxis& axis, int64_t n) const {
  const int64_t parts = 4 * int64_t(worker_count()), size = axis.length * axis.inner;
  switch (way_along(n)) {
    case WayAlong::whole:
      return std::max<int64_t>(std::clamp(n / parts, std::min(serial_length, largest_chunk_), largest_chunk_) / size, 1) * size;
    case WayAlong::rows: return std::max<int64_t>(std::min(n / parts, largest_chunk_) / size, 1) * size;
    case WayAlong::parts: return chunk_of(n / (4 * usual_workers), serial_length, n) / block * block;
    case WayAlong::strips: break;
  }
  const int64_t width = std::clamp<int64_t>(n / axis.length / parts, 1, std::min(block, axis.inner));
  return std::min((width + tile - 1) / tile * tile, block);
}

std::optional<int64_t> CompiledKernel::strips(int64_t n, int64_t width) const {
  if (!scan || !kernel.scan[0].axis.exists() || way_along(n) != WayAlong::strips) return std::nullopt;
  const ScanAxis& axis = kernel.scan[0].axis;
  return n / (axis.length * axis.inner) * ((axis.inner + width - 1) / width);
}

int64_t CompiledKernel::chunk_of(int64_t wanted, int64_t smallest, int64_t n) const {
  return std::max(std::clamp(wanted, smallest, std::max(smallest, largest_chunk_)), n / most_chunks);
}

// Few rows that threads may share are one chunk, and so are rows across that are not many: the fold itself splits them among threads
// (folds/fold_state.h, folds/across.h).
int64_t CompiledKernel::chunk_of_rows(const Launch& launch) const {
  std::vector<int64_t> inputs;
  for (const InputBuffer& input : launch.inputs) inputs.push_back(input.length);
  const Lengths lengths{launch.n, inputs};
  const int64_t longest = longest_fold(*kernel.body, lengths);
  const bool splits = longest >= shortest_shared;
  if (splits && launch.n < few_rows) return few_rows;
  if (shares_blocks_ && longest >= fewest_of_wide && launch.n <= widest_block) return widest_block;
  int64_t cost_of_row = cost(*kernel.body, lengths);
  for (const RowElements& e : kernel.elements) cost_of_row += e.count * cost(*e.value, lengths);
  // Rows that are folded across usually cost the same, so that a chunk for each worker suffices. Wider chunks read longer runs. The bits of
  // a reduction or a scan depend on the chunks, which must not depend on the number of workers then.
  const int64_t workers = reductions.empty() && !scan ? worker_count() : usual_workers;
  const int64_t adjacent = splits ? fewest_adjacent_rows : std::clamp(launch.n / workers, tile, fewest_adjacent_rows);
  const int64_t smallest = repays_a_helper(cost_of_row, goes_across_ ? adjacent : 1);
  const int64_t length = chunk_of(launch.n / 64, smallest, launch.n);
  return length < tile ? length : (length + tile - 1) / tile * tile;
}

// A loop may have any number of steps, so a few vectors may repay a thread. The bits of reductions depend on the chunks, so that their
// length depends on the kernel and on n alone. Otherwise it depends on the number of workers, too, on the tier (interpreting a tile takes
// about as long as interpreting a vector) and on the time per vector: a chunk should take longer than taking it.
int64_t CompiledKernel::chunk_of_loops(int64_t n) const {
  const bool is_free = reductions.empty();
  const int64_t workers = is_free ? worker_count() : usual_workers, time = is_free ? vector_time_.load(std::memory_order_relaxed) : 0;
  const int64_t unit = !is_free ? 2 * tile : is_native() ? vector_elements : tile;
  const int64_t least = std::max(unit, time > 0 ? time_of_chunk / time * vector_elements : 0);
  const int64_t length = chunk_of(n / std::max<int64_t>(4 * workers, 16), least, n);
  const int64_t step = length >= block ? block : length >= tile ? tile : unit;
  return (length + step - 1) / step * step;
}

bool CompiledKernel::is_short(int64_t chunks) const {
  const bool has_long_elements = folds_ || loops_ || elements || (scan && kernel.scan[0].axis.exists() && !scan->in_registers());
  return !has_long_elements && chunks < few_chunks;
}

int64_t CompiledKernel::time_that_repays() { return time_of_waking * int64_t(worker_count()); }

bool CompiledKernel::repays_threads(int64_t elements) const {
  const int64_t vectors = (elements + vector_elements - 1) / vector_elements;
  const int64_t least = time_that_repays();
  return vector_time_.load(std::memory_order_relaxed) * std::min(vectors, least) >= least;
}

void CompiledKernel::note_time(int64_t elements, int64_t nanoseconds) const {
  const int64_t vectors = (elements + vector_elements - 1) / vector_elements;
  vector_time_.store(std::max<int64_t>(nanoseconds / vectors, 1), std::memory_order_relaxed);
}

std::unique_ptr<Worker> CompiledKernel::take_worker(int number) const {
  Worker* idle = number < most_idle ? idle_[number].exchange(nullptr, std::memory_order_acquire) : nullptr;
  return idle ? std::unique_ptr<Worker>(idle) : std::make_unique<Worker>(*this);
}

void CompiledKernel::give_back(int number, std::unique_ptr<Worker> worker) const {
  Worker* none = nullptr;
  if (number < most_idle && idle_[number].compare_exchange_strong(none, worker.get(), std::memory_order_release)) worker.release();
}

}  // namespace wf::cpu
