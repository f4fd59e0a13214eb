#include "cuda/form.h"

#include <algorithm>

#include "cuda/routines/full_groups.h"
#include "cuda/row_form.h"
#include "cuda/skeletons/bytecode.h"
#include "cuda/text/bytes.h"
#include "cuda/text/filters/filter_form.h"
#include "cuda/window.h"
#include "expr/affine.h"
#include "expr/indices/walk.h"
#include "expr/terms.h"
#include "plan/plan.h"

namespace wf::cuda {
namespace {

double weight_of(Op op) {
  switch (info(op).cost) {
    case Cost::simple: return 1;
    case Cost::quotient: return 20;
    case Cost::root:
    case Cost::light:
    case Cost::heavy: return 40;
    case Cost::special: return 160;
  }
  return 1;
}

}  // namespace

// The number decides how far loops are unrolled.
double weight(const Fn& fn) {
  double sum = 0;
  for (const Term& t : fn.terms) {
    if (is_op(t, Op::div_) || is_op(t, Op::rem_)) {
      sum += is_literal(fn[fn.args(t)[1]]) ? 6 : weight_of(t.op);  // by a multiplication
    } else if (t.kind == Kind::Apply) {
      sum += weight_of(t.op);
    } else if (t.kind == Kind::At || t.kind == Kind::Check) {
      sum += 4;
    } else if (t.kind == Kind::Foreign) {
      sum += 40;
    }
  }
  for (const Fn::LoopInfo& loop : fn.loops) sum += 10 + weight(*loop.body);
  return sum;
}

namespace {

Stream stream_of(const Fn& body, Id id, std::span<const InputView> inputs, int64_t n) {
  const Term& at = body[id];
  Id index = body.args(at)[0];
  if (body[index].kind == Kind::Check) index = body.args(index)[0];
  const Affine a = affine(body, index);
  if (!a.known || a.sign == 0 || n == 0) return {id, Load::BoundsChecked};
  const int64_t first = a.offset, last = a.sign > 0 ? a.offset + (n - 1) : a.offset - (n - 1);
  const InputView& input = inputs[at.slot];
  if (std::min(first, last) < 0 || std::max(first, last) >= input.length) return {id, Load::BoundsChecked};
  const uint64_t address = input.address + uint64_t(first) * size_of(at.type);
  return {id, a.sign > 0 && address % 16 == 0 ? Load::Packed : Load::Single};
}

// Packs are of at most 16 elements.
constexpr int64_t most_pack = 16;

// A walk is loaded in packs if every run consists of whole packs, wherever packs begin, and in one access if each pack is aligned.
Stream walk_stream_of(const Fn& body, Id id, std::span<const InputView> inputs, int64_t n) {
  const Term& at = body[id];
  const InputView& input = inputs[at.slot];
  const Stream any{id, Load::BoundsChecked};
  const std::optional<Walk> walk = walk_of(body, body.args(at)[0]);
  const auto range = walk && n > 0 ? bounds_of(*walk, n) : std::nullopt;
  if (!range || range->low < 0 || range->high >= input.length) return any;
  const Walk::Axis& inner = walk->axes[0];
  if (inner.extent % most_pack != 0 || walk->shift % most_pack != 0) return any;
  if (inner.stride == 0) return {id, Load::Repeats};
  bool is_aligned = (input.address + uint64_t(walk->base) * size_of(at.type)) % 16 == 0;
  for (size_t k = 1; k < walk->axes.size(); k++) is_aligned = is_aligned && walk->axes[k].stride % most_pack == 0;
  if (inner.stride == 1 && is_aligned) return {id, Load::Runs};
  return {id, Load::Strided, inner.stride};
}

// The tiles of a map that reads neighbours of its output at a distance, but along another axis reads neighbours.
std::optional<Tiles> tiles_of(const Fn& body, int64_t n) {
  constexpr int64_t fewest = int64_t(1) << 16, shortest = 32;  // elements; a shorter axis does not fill tiles
  if (n < fewest || !body.loops.empty()) return std::nullopt;
  for (Id id = 0; id < body.terms.size(); id++) {
    if (body[id].kind != Kind::At) continue;
    const std::optional<Walk> walk = walk_of(body, body.args(id)[0]);
    if (!walk || walk->shift != 0 || walk->axes[0].extent < shortest || std::abs(walk->axes[0].stride) < shortest) continue;
    int64_t below = 1;
    for (size_t k = 0; k + 1 < walk->axes.size(); k++) {
      below *= walk->axes[k].extent;
      const bool is_last = k + 2 == walk->axes.size();
      const int64_t extent = is_last ? 0 : walk->axes[k + 1].extent, period = is_last ? below : below * extent;
      if (std::abs(walk->axes[k + 1].stride) == 1 && n % period == 0 && (is_last ? n / below : extent) >= shortest)
        return Tiles{walk->axes[0].extent, below, extent};
    }
  }
  return std::nullopt;
}

std::vector<Type> stream_types(const Kernel& kernel, const Form& form) {
  std::vector<Type> types;
  for (const Stream& s : form.streams) types.push_back((*kernel.body)[s.term].type);
  return types;
}

// Returns the bytes per index of all streams.
size_t stream_bytes(const Kernel& kernel, const Form& form) {
  size_t sum = 0;
  for (Type type : stream_types(kernel, form)) sum += size_of(type);
  return sum;
}

// Returns the bytes per index of compaction outputs that cannot reuse a stream's memory.
size_t compacted_bytes(const Kernel& kernel, const Form& form) {
  size_t sum = 0;
  for (const Compact& c : kernel.compactions)
    for (uint32_t output : c.outputs)
      if (!stream_with_room(kernel, form, output)) sum += size_of(kernel.outputs[output]);
  return sum;
}

// Returns the elements of the largest type per 16-byte access. A chained kernel reads what may be outside of an input one element at a time:
// packs of 8 bytes keep the lanes' reads close together.
int widest_pack(const Kernel& kernel, const Form& form, bool chained) {
  const Fn& body = *kernel.body;
  size_t largest = 1;
  for (const Stream& s : form.streams) largest = std::max(largest, size_of(body[s.term].type));
  for (Id id = 0; chained && id < body.terms.size(); id++) {
    if (body[id].kind != Kind::At || std::ranges::any_of(form.streams, [&](const Stream& s) { return s.term == id; })) continue;
    const Affine at = affine(body, body.args(body[id])[0]);
    if (at.known && at.sign != 0) largest = std::max(largest, 2 * size_of(body[id].type));
  }
  for (const Store& s : kernel.stores) largest = std::max(largest, size_of(kernel.outputs[s.output]));
  return int(16 / largest);
}

// Returns true if the distance of neighbouring indices' reads is fixed and more than one element, as for short rows.
bool reads_in_strides(const Fn& body) {
  return std::ranges::any_of(linear_reads(body).tests, [&](const LinearReads::Test& test) { return !affine(body, test.index).known; });
}

// Returns the number of columns of Sums, which all reductions of the kernel share.
size_t sum_columns(const Kernel& kernel, const Form& form) {
  size_t columns = !form.by_law ? 0 : form.bounded ? 1 : 2;
  for (const Reduction& r : kernel.reductions) columns += r.values.size();
  return columns;
}

// The most instructions of an unrolled loop. Longer loops of reductions are compute-bound: unrolling them costs compile time and gains no speed,
// unless the elements of a pack share blocks of random words. Maps gain: a fused body of five functions is 1.25 times as fast
// (bench/results/functions.md).
constexpr double unrolled_weight = 200, unrolled_weight_of_draws = 800, unrolled_weight_of_maps = 2000,
                 unrolled_weight_of_drawn_maps = 2500;
constexpr size_t most_pack_bytes = 256;
constexpr int most_pack_of_draws = 4;  // 32-bit words per block
constexpr int most_scattered_pack = 4;

bool rolls(const Kernel& kernel, const Form& form) {
  const int copies = form.by_bytes ? form.pack / 4 : form.pack;
  const double most = form.skeleton == Skeleton::Map ? unrolled_weight_of_maps : draws(kernel) ? unrolled_weight_of_draws : unrolled_weight;
  return copies * std::max(weight(*kernel.body), 1.0) > most;
}

// The number of a reduction's blocks decides the order in which elements are combined. So it depends on the form alone, not on the
// compiled code's occupancy. A bandwidth-bound reduction fills each multiprocessor once. If arithmetic, shared memory or a warp's run of
// tiles is the limit, several waves of blocks leave a multiprocessor less idle. The numbers are multiples of likely occupancies. Twelve
// blocks are faster for a long body and slower for a plain sum (bench/results/gpu.md).
constexpr int blocks_staged = 6, blocks_in_order = 8, blocks_rolled = 12;

// Returns true if a fold of a warp takes few instructions: of few columns, by few operations.
bool folds_cheaply(const Kernel& kernel, const Form& form) {
  constexpr size_t most_columns = 3;
  constexpr double most_weight = 8;
  double all = 0;
  for (const Reduction& r : kernel.reductions) all += weight(*r.combine);
  return sum_columns(kernel, form) <= most_columns && all <= most_weight;
}

// In order, a lane reads `rows` consecutive packs, and then the warp folds. If a fold is cheap, runs of 32 bytes waste the least of a
// load's cache lines. Otherwise runs have 128 bytes and are loaded through shared memory.
void choose_runs(const Kernel& kernel, Form& form, size_t bytes) {
  constexpr size_t run_bytes = 128, static_shared = 40 << 10;
  const bool cheap_fold = folds_cheaply(kernel, form);
  form.rows = !cheap_fold ? 16 : form.pack >= 16 ? 4 : 2;
  while (form.rows > 1 && form.rows * form.pack * bytes > run_bytes) form.rows /= 2;
  form.threads = 256;
  const size_t shared = size_t(form.threads) * size_t(form.rows + 1) * size_t(form.pack) * struct_bytes(stream_types(kernel, form));
  form.staged = !cheap_fold && !form.streams.empty() && form.rows > 1 && shared <= static_shared;
  if (!form.staged) form.threads = 512;
  form.blocks = form.staged ? blocks_staged : form.rolled ? blocks_rolled : blocks_in_order;
}

// If the order is free, a thread has several packs in flight: four in reductions and in maps that draw numbers, whose packs share the keys of all
// rounds, or that number segments, which they seek once per tile; two in other maps. Small blocks, which a multiprocessor replaces one by one, are
// the fastest for maps: by 5 to 12 percent for functions of 30 to 50 instructions (bench/results/functions.md).
void choose_accesses(const Kernel& kernel, Form& form) {
  constexpr size_t row_bytes = 64;
  const size_t bytes = std::max<size_t>(stream_bytes(kernel, form), 1);
  const bool is_map = form.skeleton == Skeleton::Map;
  while (form.pack > 1 && form.pack * bytes > most_pack_bytes) form.pack /= 2;
  form.rolled = rolls(kernel, form);
  form.by_bytes = form.by_bytes && !form.rolled;
  if (!is_map && reduces_in_order(kernel, form.by_law)) return choose_runs(kernel, form, bytes);
  form.threads = is_map ? 128 : 512;
  form.blocks = !is_map && form.rolled ? blocks_rolled : 0;
  form.rows = form.rolled ? 1 : !is_map || draws(kernel) || has_segments(kernel) ? 4 : 2;
  const double most_weight = !is_map ? unrolled_weight : draws(kernel) ? unrolled_weight_of_drawn_maps : unrolled_weight_of_maps;
  while (form.rows > 1 && (form.rows * form.pack * bytes > row_bytes || form.rows * form.pack * weight(*kernel.body) > most_weight))
    form.rows /= 2;
}

// Returns true if the body reads elements at indices that it loads or computes otherwise than from its own by adding a number.
bool reads_elsewhere(const Fn& body) {
  return std::ranges::any_of(body.terms, [&](const Term& t) {
    if (t.kind != Kind::At) return false;
    const Id index = body.args(t)[0];
    return !affine(body, body[index].kind == Kind::Check ? body.args(index)[0] : index).known;
  });
}

// As many blocks occupy the multiprocessors.
constexpr int64_t busy_blocks = 256, busy_gathering_blocks = 24;
// Positions from which longer tiles of numbers are faster than more blocks (bench/results/programs.md).
constexpr int64_t many_numbers = int64_t(1) << 22;

// Tiles have at most 36 KiB, so that three blocks of two tiles each fit on a multiprocessor.
constexpr size_t shared_budget = 72 << 10, most_shared = 160 << 10;

// Few elements are divided into tiles of one row, and of one element per thread if they are gathered: more blocks wait for memory at the same time.
// Threads that gather have three rows at most, and registers to wait for several elements (bench/results/programs.md).
void choose_tile(const Kernel& kernel, Form& form, int64_t n) {
  form.rows = interpreter::most_rows;
  form.threads = 384;
  auto bytes = [&] { return size_t(form.tile()) * (stream_bytes(kernel, form) * stages + compacted_bytes(kernel, form)); };
  const size_t columns = kernel.has_scan() ? kernel.scan[0].values.size() : 1;
  while (form.rows > 1 && (bytes() > shared_budget || size_t(form.rows) * columns > 16)) form.rows /= 2;
  form.gathers = kernel.compactions.empty() && reads_elsewhere(*kernel.body);
  if (form.gathers) form.rows = std::min(form.rows, 3);
  if (n < (form.gathers ? busy_gathering_blocks : busy_blocks) * form.tile()) form.rows = 1, form.pack = form.gathers ? 1 : form.pack;
  while (form.pack > 1 && bytes() > most_shared) form.pack /= 2;
  // Streams that do not fit are read from global memory twice.
  while (bytes() > most_shared && !form.streams.empty()) form.streams.pop_back();
  while (bytes() > most_shared && form.threads > 32) form.threads /= 2;
  form.rolled = rolls(kernel, form);
  form.bulk = !form.streams.empty() && std::ranges::all_of(form.streams, [](const Stream& s) { return s.load == Load::Packed; }) &&
              form.tile() % 16 == 0;
}

// A scan along an axis: packs along rows, single elements of neighbouring columns. As many warps share a vector as it occupies. If there are few
// vectors, they share each one until the device is full. A lane's elements stay in registers.
void choose_along(const Kernel& kernel, Form& form, int64_t n) {
  constexpr int64_t busy_warps = 1 << 12;
  constexpr size_t most_shared_of_folds = 40 << 10;
  constexpr double most_weight = 1000;
  const ScanAxis& axis = kernel.scan[0].axis;
  form.skeleton = Skeleton::Along;
  form.across = axis.inner > 1;
  if (form.across) form.pack = 1;
  while (axis.length % form.pack != 0) form.pack /= 2;
  const size_t columns = kernel.scan[0].values.size(), bytes = std::max<size_t>(stream_bytes(kernel, form), 1);
  const double work = std::max(weight(*kernel.body) + weight(*kernel.scan[0].combine), 1.0);
  form.rows = form.across ? 16 : 4;
  while (form.rows > 1 && (form.rows * form.pack * (bytes + 8 * columns) > 256 || form.rows * form.pack * work > most_weight))
    form.rows /= 2;
  while (form.pack > 1 && form.pack * work > most_weight) form.pack /= 2;
  const int64_t of_warp = form.across ? form.rows : 32 * form.pack * form.rows;
  const int64_t vectors = form.across ? n / axis.length / 32 : n / axis.length;
  form.threads = 256;
  while (form.threads > 32 && 2 * size_t(form.threads) * 8 * columns > most_shared_of_folds) form.threads /= 2;
  const int most_down = form.threads / 32;
  while (form.down < most_down && form.down * of_warp < axis.length && (form.down < 2 || form.down * vectors < busy_warps || !form.across))
    form.down *= 2;
}

// Loops may run long. So elements with loops are spread over as many threads and multiprocessors as they can occupy.
constexpr int64_t busy_threads = 1 << 18;
constexpr int fewest_threads = 32;

void spread(Form& form, int64_t n) {
  form.rows = 1;
  while (form.pack > 1 && n / form.pack < busy_threads) form.pack /= 2;
  while (form.threads > fewest_threads && n / (form.pack * form.threads) < busy_blocks) form.threads /= 2;
}

// A thread of the one block for few elements reads its elements one after another. A reduction by several blocks waits for them.
int64_t most_of_one_block(const Kernel& kernel) {
  constexpr int64_t few_gathered = 512;
  const bool is_chained = kernel.has_scan() || !kernel.compactions.empty(), reduces = !kernel.reductions.empty() || kernel.finish;
  return (is_chained || !reduces) && reads_elsewhere(*kernel.body) ? few_gathered : few_elements;
}

}  // namespace

bool draws(const Kernel& kernel) {
  return std::ranges::any_of(kernel.body->terms, [](const Term& t) { return is_op(t, Op::philox32_) || is_op(t, Op::philox64_); });
}

size_t struct_bytes(const std::vector<Type>& types) {
  size_t bytes = 0, largest = 1;
  auto aligned = [&](size_t size) { return (bytes + size - 1) / size * size; };
  for (Type type : types) {
    const size_t size = size_of(type);
    bytes = aligned(size) + size;
    largest = std::max(largest, size);
  }
  return aligned(largest);
}

std::optional<size_t> stream_with_room(const Kernel& kernel, const Form& form, uint32_t output) {
  std::vector<bool> taken(form.streams.size());
  for (const Compact& c : kernel.compactions)
    for (uint32_t o : c.outputs) {
      size_t s = 0;
      while (s < taken.size() && (taken[s] || (*kernel.body)[form.streams[s].term].type != kernel.outputs[o])) s++;
      if (o == output) return s < taken.size() ? std::optional(s) : std::nullopt;
      if (s < taken.size()) taken[s] = true;
    }
  return std::nullopt;
}

std::vector<uint32_t> early_values(const Kernel& kernel) {
  std::vector<uint32_t> values;
  if (kernel.has_scan()) values = kernel.scan[0].values;
  for (const Compact& c : kernel.compactions) values.push_back(c.mask);
  return values;
}

std::vector<uint32_t> sink_values(const Kernel& kernel, bool by_law) {
  std::vector<uint32_t> values;
  for (const Store& s : kernel.stores) values.push_back(s.value);
  for (const Scatter& s : kernel.scatters) values.insert(values.end(), {s.index, s.value});
  for (const RowElements& e : kernel.elements) values.insert(values.end(), e.row.begin(), e.row.end());
  for (const Compact& c : kernel.compactions) {
    values.push_back(c.mask);
    values.insert(values.end(), c.values.begin(), c.values.end());
  }
  for (const Reduction& r : kernel.reductions) {
    if (r.mask != no_mask) values.push_back(r.mask);
    if (!(by_law && r.by_law)) values.insert(values.end(), r.values.begin(), r.values.end());
  }
  if (by_law) values.push_back(kernel.scan[0].values[0]);
  return values;
}

bool reduces_in_order(const Kernel& kernel, bool by_law) {
  return by_law || std::ranges::any_of(kernel.reductions, [](const Reduction& r) { return !commutes(*r.combine); });
}

// Returns the reads whose index is a Check of the input's length.
std::vector<Id> checked_reads(const Fn& body, std::span<const InputView> inputs) {
  std::vector<Id> reads;
  for (Id id = 0; id < body.terms.size(); id++) {
    if (body[id].kind != Kind::At || body[body.args(id)[0]].kind != Kind::Check) continue;
    const Term& length = body[body.args(body.args(id)[0])[1]];
    if (is_literal(length) && int64_t(length.bits) == inputs[body[id].slot].length) reads.push_back(id);
  }
  return reads;
}

// Returns true if a map that scatters bools looks for full groups. All multiprocessors are busy with one block each.
bool seeks_full_groups(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, size_t shared_memory) {
  constexpr int64_t fewest_elements = int64_t(1) << 22;
  constexpr size_t other_bytes = 48 << 10;
  if (kernel.scatters.size() != 1 || n < fewest_elements || shared_memory < most_bytes_of_full_groups + other_bytes) return false;
  const Scatter& s = kernel.scatters[0];
  return bytes_of_full_groups(s.op, kernel.outputs[s.output], n, inputs[s.base].length) > 0;
}

// Elements at indices that the body computes otherwise than by adding a number: in 32 bits, if they fit.
void choose_narrow(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form) {
  const Fn& body = *kernel.body;
  if (form.by_bytes || !body.loops.empty() || !body.foreigns.empty() || has_segments(kernel) || !reads_elsewhere(body)) return;
  const Range index{0, n - 1};
  const std::vector<Range> known = ranges(body, {&index, 1});
  form.narrow = fits_32_bits(body, known);
  for (Id id = 0; form.narrow && id < body.terms.size(); id++)
    if (const Term& t = body[id]; t.kind == Kind::At && known[body.args(t)[0]].is_in({0, Wide(inputs[t.slot].length) - 1}))
      form.within.push_back(id);
}

Form choose_form(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, bool by_law, size_t shared_memory) {
  Form form;
  const bool along = kernel.has_scan() && kernel.scan[0].axis.exists();
  if (n <= most_of_one_block(kernel) && !along) {
    form.skeleton = Skeleton::Small;
    form.threads = interpreter::most_threads;
    return form;
  }
  form.by_law = by_law;
  form.bounded = by_law && prefixes_fit(kernel, n);
  form.checked = checked_reads(*kernel.body, inputs);
  const bool chained = (kernel.has_scan() && !by_law) || !kernel.compactions.empty();
  form.skeleton = chained ? Skeleton::Scan : kernel.reductions.empty() && !kernel.finish ? Skeleton::Map : Skeleton::Reduce;
  if (along) form.by_law = form.bounded = false;
  if (chained && choose_filter(kernel, inputs, n, form)) return form;
  const bool numbers = has_segments(kernel);
  if (form.skeleton == Skeleton::Map && !numbers && choose_window(kernel, inputs, n, form)) return form;
  for (Id id = 0; id < kernel.body->terms.size(); id++) {
    if ((*kernel.body)[id].kind != Kind::At) continue;
    if (kernel.inputs[(*kernel.body)[id].slot].of_segments) {
      form.streams.push_back({id, Load::Segments});
      continue;
    }
    Stream stream = stream_of(*kernel.body, id, inputs, n);
    if (stream.load == Load::BoundsChecked && !chained) stream = walk_stream_of(*kernel.body, id, inputs, n);
    if (stream.load != Load::BoundsChecked) form.streams.push_back(stream);
  }
  form.pack = widest_pack(kernel, form, chained);
  if (!kernel.scatters.empty()) form.pack = std::min(form.pack, most_scattered_pack);
  if (draws(kernel)) form.pack = std::min(form.pack, most_pack_of_draws);
  // A warp's load takes as long as it touches cache lines: neighbouring threads must have neighbouring indices.
  if (!chained && !reduces_in_order(kernel, by_law) && reads_in_strides(*kernel.body)) form.pack = 1;
  if (along) return choose_along(kernel, form, n), form;
  form.by_bytes = !chained && fits_bytes(kernel, form);
  if (chained) choose_tile(kernel, form, n);
  else choose_accesses(kernel, form);
  if (numbers && n < many_numbers) form.rows = 1;
  if (form.skeleton == Skeleton::Map && !form.rolled && !numbers) form.tiles = tiles_of(*kernel.body, n);
  if (form.tiles) form.threads = 256;
  while (form.tiles && form.tiles->inner % form.pack != 0) form.pack /= 2;
  if (!kernel.body->loops.empty() && !chained && !reduces_in_order(kernel, by_law)) spread(form, n);
  else if (form.skeleton == Skeleton::Map && !form.rolled) form.full_groups = seeks_full_groups(kernel, inputs, n, shared_memory);
  if (form.full_groups) form.threads = 1024;
  if (!chained) choose_narrow(kernel, inputs, n, form);
  return form;
}

// There are enough vectors, and enough elements next to each other, either of one vector or of neighbours. A GPU is not busy with 1024 long
// columns: 2^18 rows take 4.8 ms on an H200, and 2.3 ms with transposes.
bool scans_along(const ScanAxis& axis, int64_t elements) {
  constexpr int64_t fewest_vectors = 1024, fewest_elements = 1 << 16, shortest_row = 256, fewest_neighbours = 16;
  constexpr int64_t longest_of_few = 4096, many_columns = 2048;
  const int64_t vectors = elements / axis.length;
  const bool has_runs = axis.inner == 1 ? axis.length >= shortest_row
                                        : axis.inner >= fewest_neighbours && (axis.length <= longest_of_few || vectors >= many_columns);
  return has_runs && elements >= fewest_elements && vectors >= fewest_vectors;
}

}  // namespace wf::cuda
