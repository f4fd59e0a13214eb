#include "cuda/form.h"

#include <algorithm>

#include "plan/plan.h"

namespace wf::cuda {
namespace {

// What one evaluation costs in instructions, roughly; it decides how often the text is unrolled.
double weight(const Fn& fn) {
  double sum = 0;
  for (const Term& t : fn.terms) {
    if (t.kind == Kind::Apply) {
      const bool is_math = info(t.op).on == TypeClass::Float && info(t.op).result == Result::Same && t.op != Op::fma_;
      const bool divides = t.op == Op::div_ || t.op == Op::rem_;
      sum += is_math ? 40 : divides ? 20 : 1;
    } else if (t.kind == Kind::At || t.kind == Kind::Check) {
      sum += 4;
    } else if (t.kind == Kind::Foreign) {
      sum += 40;
    }
  }
  for (const Fn::LoopInfo& loop : fn.loops) sum += 10 + weight(*loop.body);
  return sum;
}

Stream stream_of(const Fn& body, Id id, std::span<const Place> inputs, int64_t n) {
  const Term& at = body[id];
  Id index = body.args(at)[0];
  if (body[index].kind == Kind::Check) index = body.args(index)[0];
  const Affine a = affine(body, index);
  if (!a.known || a.sign == 0 || n == 0) return {id, Load::Guarded};
  const int64_t first = a.offset, last = a.sign > 0 ? a.offset + (n - 1) : a.offset - (n - 1);
  const Place& input = inputs[at.slot];
  if (std::min(first, last) < 0 || std::max(first, last) >= input.length) return {id, Load::Guarded};
  const uint64_t address = input.address + uint64_t(first) * size_of(at.type);
  return {id, a.sign > 0 && address % 16 == 0 ? Load::Packed : Load::Single};
}

// Bytes of all streams for one index.
size_t stream_bytes(const Kernel& kernel, const Form& form) {
  size_t sum = 0;
  for (const Stream& s : form.streams) sum += size_of((*kernel.body)[s.term].type);
  return sum;
}

size_t compacted_bytes(const Kernel& kernel) {
  size_t sum = 0;
  for (const Compact& c : kernel.compactions)
    for (uint32_t output : c.outputs) sum += size_of(kernel.outputs[output]);
  return sum;
}

// Elements of the largest type to a 16-byte access.
int widest_pack(const Kernel& kernel, const Form& form) {
  size_t largest = 1;
  for (const Stream& s : form.streams) largest = std::max(largest, size_of((*kernel.body)[s.term].type));
  for (const Store& s : kernel.stores) largest = std::max(largest, size_of(kernel.outputs[s.output]));
  return int(16 / largest);
}

constexpr double unrolled_weight = 1600;  // instructions of the body's copies in one loop
constexpr size_t row_bytes = 64;          // a thread has in flight
constexpr size_t most_row_bytes = 256;

// What all reductions of the kernel carry together.
size_t sum_columns(const Kernel& kernel, const Form& form) {
  size_t columns = form.by_law ? 2 : 0;
  for (const Reduction& r : kernel.reductions) columns += r.values.size();
  return columns;
}

// In order, a lane takes `rows` packs that follow each other, and then the warp folds: longer runs are folded seldom, shorter ones
// waste less of a load's cache lines. Measured on an H200: 32 bytes are best while a fold is cheap, 128 where it is not.
int rows_in_order(const Kernel& kernel, const Form& form) {
  const bool cheap_fold = sum_columns(kernel, form) <= 3;
  return cheap_fold ? (form.pack >= 16 ? 4 : 2) : 8;
}

void choose_rows(const Kernel& kernel, Form& form) {
  const size_t bytes = std::max<size_t>(stream_bytes(kernel, form), 1);
  const double each = std::max(weight(*kernel.body), 1.0);
  while (form.pack > 1 && (form.pack * bytes > most_row_bytes || form.pack * each > unrolled_weight)) form.pack /= 2;
  const bool in_order = form.skeleton == Skeleton::Reduce && reduces_in_order(kernel, form.by_law);
  if (form.skeleton == Skeleton::Reduce) form.threads = 512;
  form.rows = in_order ? rows_in_order(kernel, form) : 4;
  const size_t most = in_order ? most_row_bytes : row_bytes;
  while (form.rows > 1 && (form.rows * form.pack * bytes > most || form.rows * form.pack * each > unrolled_weight)) form.rows /= 2;
}

// Tiles of 32 KiB, two deep, so that three blocks fit on a multiprocessor; with what a compaction keeps, of 16 KiB. A third
// stage costs more than it gives: a tile that is claimed earlier is published later (scan at 0.63 of copy instead of 0.87
// on an H200).
constexpr size_t shared_budget = 72 << 10, most_shared = 160 << 10;

void choose_tile(const Kernel& kernel, Form& form) {
  const double each = std::max(weight(*kernel.body), 1.0);
  const size_t kept = compacted_bytes(kernel);
  form.stages = 2;
  form.rows = kept > 0 ? 4 : 8;
  if (kept > 0) form.threads = 384;
  auto bytes = [&] { return size_t(form.tile()) * (stream_bytes(kernel, form) * size_t(form.stages) + kept); };
  size_t columns = kernel.has_scan() ? kernel.scan[0].values.size() : 1;
  auto too_much = [&] {
    return bytes() > shared_budget || form.rows * form.pack * each > unrolled_weight / 2 || size_t(form.rows) * columns > 16;
  };
  while (form.rows > 1 && too_much()) form.rows /= 2;
  while (form.pack > 1 && (bytes() > most_shared || form.pack * each > unrolled_weight)) form.pack /= 2;
  // Streams that do not fit are read from memory, twice.
  while (bytes() > most_shared && !form.streams.empty()) form.streams.pop_back();
  while (bytes() > most_shared && form.threads > 32) form.threads /= 2;
  form.bulk = !form.streams.empty() &&
              std::ranges::all_of(form.streams, [](const Stream& s) { return s.load == Load::Packed; }) &&
              form.tile() % 16 == 0;
}

}  // namespace

std::vector<bool> needed_for(const Fn& fn, std::span<const Id> results) {
  std::vector<bool> needed(fn.terms.size());
  for (Id id : results) needed[id] = true;
  for (Id id = Id(fn.terms.size()); id-- > 0;)
    if (needed[id])
      for (Id arg : fn.args(id)) needed[arg] = true;
  return needed;
}

std::vector<bool> depends_on_prefix(const Fn& body) {
  std::vector<bool> depends(body.terms.size());
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    depends[id] = t.kind == Kind::Param && t.slot > 0;
    for (Id arg : body.args(t)) depends[id] = depends[id] || depends[arg];
  }
  return depends;
}

bool reduces_in_order(const Kernel& kernel, bool by_law) {
  return by_law || std::ranges::any_of(kernel.reductions, [](const Reduction& r) {
           std::optional<Op> op = as_op(*r.combine);
           return !op || !(info(*op).laws & Comm);
         });
}

Form choose_form(const Kernel& kernel, std::span<const Place> inputs, int64_t n, bool by_law) {
  Form form;
  form.by_law = by_law;
  const bool chained = (kernel.has_scan() && !by_law) || !kernel.compactions.empty();
  form.skeleton = chained ? Skeleton::Scan : kernel.reductions.empty() && !kernel.finish ? Skeleton::Map : Skeleton::Reduce;
  for (Id id = 0; id < kernel.body->terms.size(); id++) {
    if ((*kernel.body)[id].kind != Kind::At) continue;
    Stream stream = stream_of(*kernel.body, id, inputs, n);
    if (stream.load != Load::Guarded) form.streams.push_back(stream);
  }
  form.pack = widest_pack(kernel, form);
  if (chained) choose_tile(kernel, form);
  else choose_rows(kernel, form);
  return form;
}

}  // namespace wf::cuda
