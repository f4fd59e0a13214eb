#include "cuda/text/filters/filter_form.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf::cuda {

Affine index_of_read(const Fn& body, const Term& at) {
  const Id index = body.args(at)[0];
  return affine(body, body[index].kind == Kind::Check ? body.args(body[index])[0] : index);
}

namespace {

constexpr int64_t most_neighbours = 16;           // elements next to a pack
constexpr int64_t most_bound = int64_t(1) << 60;  // of bounds: their sums do not wrap

bool is_small(int64_t x) { return -most_bound < x && x < most_bound; }

// Returns true if the guard of a Check holds only where the mask does.
bool implies(const Fn& body, Id guard, Id mask) {
  const Term& t = body[guard];
  if (guard == mask) return true;
  if (t.kind != Kind::Apply || t.op != Op::and_ || t.type != Type::Bool) return false;
  return implies(body, body.args(t)[0], mask) || implies(body, body.args(t)[1], mask);
}

// Returns true if the Check is of i + c or a constant index, and of a length that is known before the loop.
bool is_testable(const Fn& body, const Term& check) {
  const Affine index = affine(body, body.args(check)[0]);
  const Term& length = body[body.args(check)[1]];
  return index.known && index.sign >= 0 && is_small(index.offset) &&
         (length.kind == Kind::Length || (length.kind == Kind::Literal && is_small(from_bits<int64_t>(length.bits))));
}

// Returns true if the masks of elements follow from reads at i + c and at constant indices, and the values of elements that are not kept need not be
// computed: their Checks are guarded by the mask.
bool is_simple(const Kernel& kernel) {
  const Fn& body = *kernel.body;
  const Compact& c = kernel.compactions[0];
  const std::vector<Id> mask{body.results[c.mask]};
  std::vector<Id> values;
  for (uint32_t value : c.values) values.push_back(body.results[value]);
  const std::vector<bool> of_mask = needed_for(body, mask), of_values = needed_for(body, values);
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    if (of_values[id] && !of_mask[id] && t.kind == Kind::Loop) return false;
    if (of_values[id] && !of_mask[id] && t.kind == Kind::Check && !implies(body, body.args(t)[2], mask[0])) return false;
    if (!of_mask[id]) continue;
    if (t.kind == Kind::Loop || t.kind == Kind::Fold || t.kind == Kind::Foreign) return false;
    if (t.kind == Kind::Check && !is_testable(body, t)) return false;
    if (t.kind != Kind::At) continue;
    const Affine index = index_of_read(body, t);
    if (!index.known || index.sign < 0 || !is_small(index.offset)) return false;
  }
  return true;
}

// Gathers the mask's reads at i + c, by input and in order, in groups of neighbours.
std::vector<FilterForm::Reads> reads_of(const Kernel& kernel, std::span<const InputView> inputs) {
  const Fn& body = *kernel.body;
  const Id mask = body.results[kernel.compactions[0].mask];
  const std::vector<bool> needed = needed_for(body, {&mask, 1});
  std::vector<std::pair<uint32_t, int64_t>> all;  // slots and offsets
  for (Id id = 0; id < body.terms.size(); id++)
    if (needed[id] && body[id].kind == Kind::At && index_of_read(body, body[id]).sign > 0)
      all.emplace_back(body[id].slot, index_of_read(body, body[id]).offset);
  std::ranges::sort(all);
  std::vector<FilterForm::Reads> groups;
  for (const auto& [slot, offset] : all) {
    const uint64_t address = inputs[slot].address + uint64_t(offset) * size_of(kernel.inputs[slot].type);
    if (groups.empty() || groups.back().slot != slot || offset - groups.back().first > most_neighbours)
      groups.push_back({slot, offset, offset, offset, int64_t(16 / size_of(kernel.inputs[slot].type))});
    FilterForm::Reads& group = groups.back();
    group.last = offset;
    if (group.is_aligned() || address % 16 != 0) continue;
    group.packed = offset;
    group.margin = 0;
  }
  return groups;
}

// Returns true if the outputs are elements that the mask reads at i alone, in aligned packs. The other way (skeletons/scan.cuh) then packs them in
// place, and takes 0.6 to 0.8 times as long (bench/results/filters.md).
bool keeps_its_reads(const Kernel& kernel, const std::vector<FilterForm::Reads>& groups) {
  const Fn& body = *kernel.body;
  return std::ranges::all_of(groups, [](const auto& g) { return g.first == g.last && g.is_aligned(); }) &&
         std::ranges::all_of(kernel.compactions[0].values, [&](uint32_t value) {
           const Term& t = body[body.results[value]];
           return t.kind == Kind::At && std::ranges::any_of(groups, [&](const auto& g) {
                    return g.slot == t.slot && index_of_read(body, t).sign > 0 && g.first == index_of_read(body, t).offset;
                  });
         });
}

// The inner indices, as far as they are known.
struct Inner {
  int64_t low, high;
  int64_t from(int64_t bound) const { return high - std::max(low, bound) + 1; }
  int64_t up_to(int64_t bound) const { return std::min(high, bound) - low + 1; }
};

bool is_bound(const Fn& body, Id id) { return body[id].kind == Kind::Literal || body[id].kind == Kind::Length; }

int64_t bound_of(const Fn& body, std::span<const InputView> inputs, Id id) {
  return body[id].kind == Kind::Literal ? from_bits<int64_t>(body[id].bits) : inputs[body[id].slot].length;
}

// Limits `inner` to indices at which the Check of i + c holds, also where i + c >= 0.
void hold(const Fn& body, std::span<const InputView> inputs, Id check, Inner& inner, FilterForm& filter) {
  const Id length = body.args(body[check])[1];
  const int64_t distance = -1 - affine(body, body.args(body[check])[0]).offset;
  inner.low = std::max(inner.low, distance + 1);
  inner.high = std::min(inner.high, bound_of(body, inputs, length) + distance);
  filter.decided.push_back({check, length, distance, true, false});
}

// Decides a comparison of i + c with a bound if it is the same for all of at least `fewest` indices, and limits `inner` to these.
void decide(const Kernel& kernel, std::span<const InputView> inputs, Id id, int64_t fewest, Inner& inner, FilterForm& filter) {
  const Fn& body = *kernel.body;
  const Term& t = body[id];
  if (t.kind != Kind::Apply || info(t.op).arity != 2) return;
  Id left = body.args(t)[0], bound = body.args(t)[1];
  Op op = t.op;
  if (is_bound(body, left)) {
    std::swap(left, bound);
    op = op == Op::lt_ ? Op::gt_ : op == Op::le_ ? Op::ge_ : op == Op::gt_ ? Op::lt_ : op == Op::ge_ ? Op::le_ : op;
  }
  if (!is_bound(body, bound) || body[bound].type != Type::I64) return;
  const Affine index = affine(body, left);
  const int64_t limit = bound_of(body, inputs, bound);
  if (!index.known || index.sign <= 0 || !is_small(limit) || !is_small(index.offset)) return;
  // Indices of at least bound + from have the value `above`, those of at most bound + up_to have `below`.
  const int64_t c = index.offset;
  int64_t from = -c, up_to = -c - 1;
  bool above = false, below = false;
  switch (op) {
    case Op::lt_: below = true; break;
    case Op::ge_: above = true; break;
    case Op::le_: below = true, from++, up_to++; break;
    case Op::gt_: above = true, from++, up_to++; break;
    case Op::eq_: from++; break;
    case Op::ne_: above = below = true, from++; break;
    default: return;
  }
  const bool is_lowest = inner.from(limit + from) >= inner.up_to(limit + up_to);
  if ((is_lowest ? inner.from(limit + from) : inner.up_to(limit + up_to)) < fewest) return;
  if (is_lowest) inner.low = std::max(inner.low, limit + from);
  else inner.high = std::min(inner.high, limit + up_to);
  filter.decided.push_back({id, bound, is_lowest ? from : up_to, is_lowest ? above : below, is_lowest});
}

}  // namespace

bool choose_filter(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form) {
  constexpr int64_t many = int64_t(1) << 22;
  constexpr size_t most_loads = 8;      // of packs by a thread: they are in registers
  constexpr double most_weight = 1600;  // of a thread's part of a tile, which is unrolled
  if (kernel.has_scan() || kernel.compactions.size() != 1 || !kernel.reductions.empty() || !kernel.stores.empty()) return false;
  if (draws(kernel) || !is_simple(kernel)) return false;
  FilterForm filter;
  filter.reads = reads_of(kernel, inputs);
  if (filter.reads.size() > most_loads) return false;
  if (keeps_its_reads(kernel, filter.reads)) return false;
  Inner inner{0, n - 1};
  size_t largest = filter.reads.empty() ? 4 : 1;
  for (const FilterForm::Reads& reads : filter.reads) {
    largest = std::max(largest, size_of(kernel.inputs[reads.slot].type));
    inner.low = std::max(inner.low, reads.margin - reads.first);
    inner.high = std::min(inner.high, inputs[reads.slot].length - 1 - reads.last - reads.margin);
  }
  const Fn& body = *kernel.body;
  const Id mask = body.results[kernel.compactions[0].mask];
  const std::vector<bool> needed = needed_for(body, {&mask, 1});
  for (Id id = 0; id < body.terms.size(); id++) {
    if (!needed[id]) continue;
    if (body[id].kind == Kind::Check && affine(body, body.args(body[id])[0]).sign > 0) hold(body, inputs, id, inner, filter);
    else decide(kernel, inputs, id, n - n / 16, inner, filter);
  }
  if (inner.high - inner.low + 1 < n - n / 16) return false;
  form.pack = int(16 / largest);
  form.rows = n < many ? 1 : 4;
  form.threads = 512;
  const double work = std::max(weight(body), 1.0);
  while (form.rows > 1 && (form.rows * form.pack * work > most_weight || size_t(form.rows) * filter.reads.size() > most_loads))
    form.rows /= 2;
  while (form.pack > 1 && form.pack * work > most_weight) form.pack /= 2;
  form.filter = std::move(filter);
  return true;
}

}  // namespace wf::cuda
