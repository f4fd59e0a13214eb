#include "cuda/row_form.h"

#include <algorithm>
#include <bit>

#include "cuda/text/foreign.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

constexpr int64_t busy = 1 << 18;        // threads that keep a large GPU busy
constexpr int64_t least_work = 1 << 16;  // positions of all rows; less is not worth a kernel of its own
constexpr int threads = 256;

// ---- the expected number of positions ----------------------------------------------------------------------------------------

// The value of an integer term that follows from literals and lengths.
std::optional<int64_t> known_value(const Fn& fn, Id id, std::span<const int64_t> lengths) {
  const Term& t = fn[id];
  if (t.kind == Kind::Literal) return from_bits<int64_t>(t.bits);
  if (t.kind == Kind::Length) return lengths[t.slot];
  if (t.kind != Kind::Apply || t.type != Type::I64 || t.count > 2) return std::nullopt;
  Bits64 values[2] = {};
  for (size_t k = 0; k < t.count; k++) {
    if (fn[fn.args(t)[k]].type != Type::I64) return std::nullopt;
    const std::optional<int64_t> value = known_value(fn, fn.args(t)[k], lengths);
    if (!value) return std::nullopt;
    values[k] = to_bits(*value);
  }
  return from_bits<int64_t>(evaluate(t.op, Type::I64, values[0], values[1], 0));
}

// The mean number of positions of a row whose number of positions is not known.
int64_t expected_count(std::span<const int64_t> lengths, int64_t n) {
  int64_t longest = 0;
  for (int64_t length : lengths) longest = std::max(longest, length);
  return std::max<int64_t>(longest / std::max<int64_t>(n, 1), 1);
}

// ---- the distance between reads ----------------------------------------------------------------------------------------------

// The change of an integer term if a variable is incremented: 0, 1 or -1, or something else.
enum class Stride : uint8_t { None, Unit, Other };

Stride sum(Stride a, Stride b) { return a == Stride::None ? b : b == Stride::None ? a : Stride::Other; }

// The stride of each term, given those of the parameters.
std::vector<Stride> strides(const Fn& fn, std::span<const Stride> params) {
  std::vector<Stride> of(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    if (t.kind == Kind::Param) {
      of[id] = params[t.slot];
      continue;
    }
    bool varies = false;
    for (Id x : fn.args(t)) varies = varies || of[x] != Stride::None;
    if (!varies) continue;
    const std::span<const Id> x = fn.args(t);
    const bool is_sum = t.kind == Kind::Apply && (t.op == Op::add_ || t.op == Op::sub_) && t.type == Type::I64;
    if (t.kind == Kind::Check || t.kind == Kind::Require) of[id] = of[x[0]];
    else of[id] = is_sum ? sum(of[x[0]], of[x[1]]) : Stride::Other;
  }
  return of;
}

// The reads of a fold's value: whether some go along the positions, or across the rows, or are the same for all rows.
struct Reads {
  bool along = false, across = false, shared = false;
};

void add_reads(const Fn& body, const Term& fold, const std::vector<Stride>& outside, Reads& reads) {
  const Fn& value = *body.loops[fold.slot].body;
  std::vector<Stride> by_row{Stride::None}, by_position{Stride::Unit};
  for (Id x : body.args(fold).subspan(1)) {
    by_row.push_back(outside[x]);
    by_position.push_back(Stride::None);
  }
  const std::vector<Stride> row = strides(value, by_row), position = strides(value, by_position);
  for (const Term& t : value.terms) {
    if (t.kind != Kind::At) continue;
    const Id index = value.args(t)[0];
    reads.along = reads.along || (position[index] == Stride::Unit && row[index] != Stride::None);
    reads.shared = reads.shared || (position[index] != Stride::None && row[index] == Stride::None);
    reads.across = reads.across || (row[index] == Stride::Unit && position[index] == Stride::Other);
  }
}

int64_t power_above(int64_t x) { return int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(x, 1)))); }

// Returns true if an element is read at an index that was read at the position.
bool gathers(const Fn& value) {
  std::vector<bool> moves(value.terms.size()), is_read(value.terms.size());  // depends on the position, on an element there
  for (Id id = 0; id < value.terms.size(); id++) {
    const Term& t = value[id];
    moves[id] = t.kind == Kind::Param && t.slot == 0;
    for (Id x : value.args(t)) moves[id] = moves[id] || moves[x], is_read[id] = is_read[id] || is_read[x];
    if (t.kind != Kind::At || !moves[id]) continue;
    if (is_read[id]) return true;
    is_read[id] = true;
  }
  return false;
}

// Short rows of unequal lengths that gather are folded flat: no lane waits for a longer row while it has no loads in flight. The only fold's
// states and what its values know of a row fit into shared memory.
bool folds_flat(const Kernel& kernel, int64_t n, int64_t count) {
  constexpr int64_t longest_mean = 128, most_bytes = 32, most_captured = 8;
  const Fn& body = *kernel.body;
  const auto is_fold = [](const Term& t) { return t.kind == Kind::Fold; };
  const auto fold = std::ranges::find_if(body.terms, is_fold);
  if (std::ranges::count_if(body.terms, is_fold) != 1 || fold->count > 1 + most_captured || fold_bytes(kernel) > most_bytes) return false;
  return count <= longest_mean && n >= busy / 4 && gathers(*body.loops[fold->slot].body);
}

// Rows of a warp whose lanes compute the values of all of them, for n rows that read the same elements. More rows share each load, if there
// are enough warps and registers. With divisions and roots, the lanes run out of registers.
int rows_of_warp(const Kernel& kernel, int64_t n) {
  constexpr int64_t fewest_warps = 2048, most_words = 48;
  const Fn& body = *kernel.body;
  const Term& fold = *std::ranges::find_if(body.terms, [&](const Term& t) { return t.kind == Kind::Fold && !unrolls(body, t); });
  const Fn::LoopInfo& loop = body.loops[fold.slot];
  bool is_light = loop.body->loops.empty() && loop.body->foreigns.empty();
  for (const Term& t : loop.body->terms) is_light = is_light && (t.kind != Kind::Apply || info(t.op).cost == Cost::simple);
  size_t bytes = 0;  // of what a lane knows of a row
  for (Id x : body.args(fold).subspan(1)) bytes += std::max<size_t>(size_of(body[x].type), 4);
  for (Type type : loop.combine->result_types()) bytes += std::max<size_t>(size_of(type), 4);
  int rows = is_light ? 8 : 2;
  while (rows > 2 && (n / rows < fewest_warps || int64_t(bytes / 4) * rows > most_words)) rows /= 2;
  return rows;
}

// The queue has room for the tasks of all long rows if they have `positions` in all.
void divide_long_rows(RowForm& rows, bool in_parts, int64_t positions) {
  constexpr int64_t fewest = 1 << 14;
  rows.form.uneven = true;
  rows.form.parts = in_parts;
  rows.parts = 1;
  rows.tasks = fewest + positions / longest_of_slices(rows.form) + positions / part_of_long_row;
}

// ---- rows that are read once ---------------------------------------------------------------------------------------------------

// The number of elements of each row if they are computed, or if several folds read them; otherwise 0.
int64_t elements_of_rows(const Kernel& kernel) {
  if (!kernel.elements.empty()) return kernel.elements[0].count;
  constexpr int64_t shortest = 64, longest = 1 << 15;
  if (!kernel.reductions.empty() || kernel.finish) return 0;
  const Fn& body = *kernel.body;
  int64_t count = 0;
  for (const Term& t : body.terms) {
    if (t.kind != Kind::Fold || !is_literal(body[body.args(t)[0]])) continue;
    const auto steps = from_bits<int64_t>(body[body.args(t)[0]].bits);
    if (steps < shortest || steps > longest) continue;
    if (steps == count) return count;
    count = steps;
  }
  return 0;
}

// The number of elements, rounded up by at most a quarter or 31, so that rows of similar lengths share a compiled kernel.
int64_t rounded_count(int64_t count) {
  const auto step = std::max<int64_t>(32, int64_t(std::bit_floor(uint64_t(count))) / 4);
  return (count + step - 1) / step * step;
}

// Elements of memory for a row. The rows of a warp begin in different banks, and each at a multiple of 16 bytes.
int capacity_for(int64_t count, int slices, size_t smallest) {
  const int apart = slices >= 32 ? 0 : std::max(slices <= 4 ? 4 * slices : slices, int(16 / smallest));
  return int(rounded_count(count)) + apart;
}

// The size of the smallest element that is kept.
size_t smallest_kept(const Kernel& kernel, const Form& form) {
  size_t smallest = 16;
  for (uint32_t slot : inputs_of(kernel, form.row_terms)) smallest = std::min(smallest, size_of(kernel.inputs[slot].type));
  return smallest;
}

// Returns true if all folds have so few positions that rows can be kept.
bool folds_few(const Fn& body) {
  return std::ranges::all_of(body.terms, [&](const Term& t) {
    if (t.kind != Kind::Fold) return true;
    const Term& count = body[body.args(t)[0]];
    return is_literal(count) && from_bits<int64_t>(count.bits) <= INT32_MAX / 2;
  });
}

// Slices that can hold the elements of a row in registers, or 0. All folds must be in any order, with a position per element. Loops over the
// elements of a slice are unrolled.
int slices_to_hold(const Kernel& kernel, const Form& form, int64_t count) {
  constexpr int64_t most_words = 32, shortest = 64, fewest_of_block = 128, most_of_block = 1024;
  constexpr double most_instructions = 6000;
  const Fn& body = *kernel.body;
  double instructions = kernel.elements.empty() ? 0 : weight(*kernel.elements[0].value);
  for (const Term& t : body.terms) {
    if (t.kind != Kind::Fold) continue;
    const Term& positions = body[body.args(t)[0]];
    const Fn::LoopInfo& fold = body.loops[t.slot];
    if (!is_literal(positions) || from_bits<int64_t>(positions.bits) != count || !commutes(*fold.combine)) return 0;
    instructions += weight(*fold.body) + weight(*fold.combine);
  }
  int64_t words = 0;  // of an element
  for (uint32_t slot : inputs_of(kernel, form.row_terms)) {
    if (size_of(kernel.inputs[slot].type) > 4) return 0;
    words++;
  }
  if (count % 4 != 0 || count < shortest || words == 0) return 0;
  const int64_t all = rounded_count(count), wanted = int64_t(std::bit_ceil(uint64_t(all * words))) / most_words;
  const int64_t slices = wanted <= 32 ? std::clamp<int64_t>(power_above(count) / 8, wanted, 32) : std::max(wanted, fewest_of_block);
  const int64_t of_slice = (all + slices - 1) / slices;
  return slices <= most_of_block && double(of_slice) * instructions <= most_instructions ? int(slices) : 0;
}

// A row belongs to a warp's part, or to a block if it is long. Its elements are kept in shared memory if they fit.
std::optional<RowForm> choose_whole_rows(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n) {
  constexpr int64_t fewest_rows = 64, longest_of_warp = 2048, most_shared = 160 << 10;
  constexpr int64_t most_threads_of_direct = 512, shortest_of_direct = 256;
  const int64_t count = elements_of_rows(kernel);
  if (count == 0 || n < fewest_rows) return std::nullopt;
  RowForm rows;
  rows.count = count;
  Form& form = rows.form;
  form.skeleton = Skeleton::Rows;
  form.row_terms = find_row_terms(kernel, lengths, n, count);
  if (const int slices = slices_to_hold(kernel, form, count)) {
    form.slices = slices;
    form.threads = slices > 32 ? slices : threads;
    form.held = int((rounded_count(count) + 4 * slices - 1) / (4 * slices) * 4);
  } else if (count < longest_of_warp) {
    form.threads = threads;
    // A slice has eight elements, unless that makes rows of so few slices that their banks conflict.
    form.slices = int(std::clamp<int64_t>(power_above(count) / (count < 32 ? 4 : 8), 1, 32));
  } else {
    form.threads = form.slices = int(std::clamp<int64_t>(int64_t(std::bit_floor(uint64_t(count))) / 32, 128, 1024));
  }
  form.row_capacity = capacity_for(count, form.slices, smallest_kept(kernel, form));
  const bool is_kept = folds_few(*kernel.body) && kept_bytes(kernel, form) <= most_shared && !inputs_of(kernel, form.row_terms).empty();
  if (!is_kept) {
    form.held = 0;
    std::erase_if(form.row_terms, [](const RowTerm& t) { return t.kind == RowTerm::Element; });
    form.row_capacity = 0;
  }
  // Blocks of few threads load rows to registers directly: others of the multiprocessor compute in the meantime. Short rows without elements, of
  // which little is stored, are faster by way of shared memory (bench/results/gpu_rows.md).
  const bool is_short = kernel.elements.empty() && count < shortest_of_direct;
  if (form.held > 0 && form.threads <= most_threads_of_direct && !is_short) form.row_capacity = 0;
  if (const auto shared = is_kept ? find_shared_value(kernel, form.row_terms) : std::nullopt) form.row_terms.push_back(*shared);
  // Without elements, rows are worth keeping if several folds read them.
  const auto reads_once = [&](const RowTerm& t) { return t.function == form.row_terms[0].function; };
  if (kernel.elements.empty() && std::ranges::all_of(form.row_terms, reads_once)) return std::nullopt;
  return rows;
}

}  // namespace

int64_t kept_bytes(const Kernel& kernel, const Form& form) {
  int64_t bytes = 0;
  for (uint32_t slot : inputs_of(kernel, form.row_terms)) bytes += int64_t(size_of(kernel.inputs[slot].type));
  return bytes * form.row_capacity * (form.threads / form.slices);
}

std::string RowForm::describe() const {
  std::string long_rows;
  if (form.uneven) {
    long_rows = "; those of more than " + std::to_string(longest_of_slices(form)) + " positions by blocks";
    if (form.parts) long_rows += ", in parts of " + std::to_string(part_of_long_row);
  }
  if (form.flat) return "flat, " + std::to_string(form.threads) + " by a block" + long_rows;
  if (form.slices == 1) return "each by one thread" + long_rows;
  if (form.shares) return std::to_string(32 / form.slices) + " by a warp, which read the same elements";
  std::string text = "each by " + std::to_string(form.slices) + " threads";
  if (form.held > 0) return text + ", along it, in registers";
  if (form.row_capacity > 0) return text + ", along it, in shared memory";
  if (parts > 1) text += " of each of " + std::to_string(parts) + " blocks";
  return text + (form.across ? ", across " + std::to_string(form.threads / form.slices) + " rows" : ", along it") + long_rows;
}

bool commutes(const Fn& combine) {
  for (size_t c = 0; c < combine.results.size(); c++)
    if (!column_op(combine, c)) return false;
  return true;
}

std::vector<int> groups_of_folds(const Fn& body) {
  std::vector<int> group(body.terms.size());
  for (Id id = 0; id < body.terms.size(); id++)
    if (const Term& t = body[id]; t.kind == Kind::Fold && !unrolls(body, t)) group[id] = commutes(*body.loops[t.slot].combine) ? 1 : 2;
  return group;
}

LinearReads linear_reads(const Fn& value) {
  // The degree of each term in the position; 2: not linear.
  std::vector<int> degree(value.terms.size());
  std::vector<bool> by_row(value.terms.size());
  for (Id id = 0; id < value.terms.size(); id++) {
    const Term& t = value[id];
    if (t.kind == Kind::Param) degree[id] = t.slot == 0, by_row[id] = t.slot > 0;
    int most = 0, sum = 0;
    for (Id x : value.args(t)) most = std::max(most, degree[x]), sum += degree[x], by_row[id] = by_row[id] || by_row[x];
    if (most == 0) continue;
    const bool is_integer = t.kind == Kind::Apply && t.type == Type::I64;
    if (t.kind == Kind::Check || t.kind == Kind::Require) degree[id] = degree[value.args(t)[0]];
    else if (is_integer && (t.op == Op::add_ || t.op == Op::sub_ || t.op == Op::neg_)) degree[id] = most;
    else degree[id] = is_integer && t.op == Op::mul_ ? std::min(sum, 2) : 2;
  }
  auto without_checks = [&](Id id) {
    while (value[id].kind == Kind::Check || value[id].kind == Kind::Require) id = value.args(id)[0];
    return id;
  };
  LinearReads reads;
  reads.is_in_range.resize(value.terms.size());
  for (Id id = 0; id < value.terms.size(); id++) {
    const Term& t = value[id];
    if (t.kind != Kind::At && t.kind != Kind::Check) continue;
    if (t.kind == Kind::Check) {
      const Term& length = value[value.args(t)[1]];
      const bool is_position = length.kind == Kind::Param && length.slot == 0;
      if (is_position || (length.kind != Kind::Literal && length.kind != Kind::Length && length.kind != Kind::Param)) continue;
    }
    const Id index = without_checks(value.args(t)[0]);
    if (degree[index] > 1) continue;
    auto test = std::ranges::find(reads.tests, index, &LinearReads::Test::index);
    if (test == reads.tests.end()) test = reads.tests.insert(test, {index, {}});
    test->terms.push_back(id);
    reads.is_in_range[id] = true;
  }
  reads.is_streamed.resize(value.terms.size());
  if (gathers(value))
    for (const LinearReads::Test& test : reads.tests)
      for (Id id : test.terms) reads.is_streamed[id] = degree[test.index] == 1 && by_row[test.index];
  return reads;
}

size_t fold_bytes(const Kernel& kernel) {
  size_t bytes = 4;
  for (const Fn::LoopInfo& loop : kernel.body->loops)
    if (loop.is_fold()) bytes = std::max(bytes, 8 * loop.combine->results.size());
  return bytes;
}

std::optional<RowForm> choose_rows(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n) {
  const Fn& body = *kernel.body;
  if (kernel.has_scan() || !kernel.compactions.empty() || reduces_in_order(kernel, false) || calls_foreign(kernel)) return std::nullopt;
  const std::vector<Stride> outside = strides(body, std::vector<Stride>(body.params.size(), Stride::Unit));
  Reads reads;
  int64_t count = 0;
  int folds = 0;
  bool is_known = true;
  for (const Term& t : body.terms) {
    if (t.kind != Kind::Fold) continue;
    folds += !unrolls(body, t);
    const std::optional<int64_t> known = known_value(body, body.args(t)[0], lengths);
    is_known = is_known && known;
    count = std::max(count, known ? *known : expected_count(lengths, n));
    add_reads(body, t, outside, reads);
  }
  if (folds == 0 || n == 0 || count <= 0 || count > INT64_MAX / n || n * count < least_work) return std::nullopt;
  if (auto whole = choose_whole_rows(kernel, lengths, n)) return whole;
  if (!kernel.elements.empty()) return std::nullopt;

  RowForm rows;
  Form& form = rows.form;
  form.skeleton = Skeleton::Rows;
  form.threads = threads;
  form.across = reads.across && !reads.along;
  form.reduces = !kernel.reductions.empty() || kernel.finish;
  int64_t in_block;  // rows
  if (form.across) {
    in_block = n >= busy ? threads : std::min<int64_t>(32, power_above(n));
  } else {
    // As many slices as the machine has room for, at least the elements of a cache line. Most of unequal rows are shorter than the mean. So many
    // of them have fewer slices, which saves more steps that combine slices than it costs in reads (bench/results/filters.md).
    const int64_t room = power_above(busy / n), wanted = reads.along ? 32 : room;
    const int64_t most = power_above(count) / (is_known ? 4 : 8), fewest = is_known ? most : power_above(count) / 32;
    const int64_t slices = std::min(wanted, std::clamp(room, fewest, most));
    const bool by_blocks = n * 32 < busy / 2 && count >= 4 * threads;
    form.slices = by_blocks ? threads : int(std::clamp<int64_t>(slices, 1, 32));
    in_block = threads / form.slices;
  }
  form.slices = threads / int(in_block);
  constexpr int64_t fewest_shared = 512;
  form.shares = folds == 1 && reads.shared && !reads.along && !reads.across && is_known && form.slices <= 32 && count >= fewest_shared;
  if (form.shares) form.slices = 32 / rows_of_warp(kernel, n);
  form.across = form.across && form.slices > 1;
  const int64_t units = (n + threads / form.slices - 1) / (threads / form.slices);
  const bool divides = folds == 1 && (form.across || form.slices == threads);
  if (divides) rows.parts = std::clamp<int64_t>(busy / threads / units, 1, std::max<int64_t>(1, count / (16 * form.slices)));
  form.parts = rows.parts > 1;
  rows.reduces_apart = form.parts && form.reduces;
  if (!is_known && !form.across && !form.reduces) {
    form.flat = folds_flat(kernel, n, count);
    if (form.flat) form.slices = 1;
    divide_long_rows(rows, folds == 1, n * count);
  }
  return rows;
}

}  // namespace wf::cuda
