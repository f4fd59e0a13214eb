#include "cpu/program/columns.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cpu/instruction_sets.h"
#include "cpu/loops/isa.h"

namespace wf::cpu {

const Simd& simd_tables() {
  using namespace simd;
  struct CompiledSet {
    Isa isa;
    Simd tables;
  };
#define SET(name) {Isa::name, {folds_##name, prefixes_##name, compresses_##name, streams_##name}},
  static const CompiledSet sets[] = {WF_INSTRUCTION_SETS};
#undef SET
  static const CompiledSet& chosen = *std::ranges::find(sets, isa(), &CompiledSet::isa);
  return chosen.tables;
}

std::optional<simd::Monoid> monoid_of(Op op) {
  switch (op) {
#define WF_IN_lanes(name) \
  case Op::name##_:       \
    return simd::Monoid::name##_;
#define WF_IN_none(name)
#define OP(name, monoid) WF_IN_##monoid(name)
#include "ops/names.def"
#undef WF_IN_lanes
#undef WF_IN_none
    default: return std::nullopt;
  }
}

ColumnBlock::ColumnBlock(std::span<const Type> types, int64_t capacity) : capacity_(capacity) {
  int64_t bytes = 0, room = (capacity + tile - 1) / tile * tile;
  for (Type type : types) {
    offsets_.push_back(bytes);
    sizes_.push_back(int64_t(size_of(type)));
    bytes += room * sizes_.back();
  }
  memory_.reset(static_cast<std::byte*>(::operator new(size_t(bytes), std::align_val_t(64))));
}

Bits64 read_bits(const void* from, int64_t size) {
  Bits64 bits = 0;
  std::memcpy(&bits, from, size_t(size));
  return bits;
}
Bits64 ColumnBlock::get(int k, int64_t i) const { return read_bits(at(k, i), sizes_[k]); }
void ColumnBlock::set(int k, int64_t i, Bits64 bits) const { std::memcpy(at(k, i), &bits, size_t(sizes_[k])); }

namespace {

// The operation that a term applies to parameters k and m + k, if that is all.
std::optional<Op> column_op(const Fn& fn, const Term& term, uint32_t k, uint32_t m) {
  if (term.kind != Kind::Apply || term.count != 2) return std::nullopt;
  const Term &a = fn[fn.args(term)[0]], &b = fn[fn.args(term)[1]];
  if (a.kind != Kind::Param || b.kind != Kind::Param) return std::nullopt;
  bool in_order = a.slot == k && b.slot == m + k, swapped = b.slot == k && a.slot == m + k;
  return in_order || (swapped && info(term.op).laws & Comm) ? std::optional(term.op) : std::nullopt;
}

// The value of result k where parameter m is false, if the result is parameter m + k where it is true.
const Term* unless_restarted(const Fn& fn, uint32_t k, uint32_t m) {
  const Term& term = fn[fn.results[k]];
  if (term.kind != Kind::Apply || term.op != Op::where_) return nullptr;
  auto is_param = [&](const Term& x, uint32_t slot) { return x.kind == Kind::Param && x.slot == slot; };
  const auto args = fn.args(term);
  return is_param(fn[args[0]], m) && is_param(fn[args[1]], m + k) ? &fn[args[2]] : nullptr;
}

// Returns true if column 0 is a bool that restarts all others (see Combine::restarts_in_registers).
bool has_restarts(const Fn& fn, uint32_t m) {
  if (m < 2 || fn[fn.results[0]].type != Type::Bool || column_op(fn, fn[fn.results[0]], 0, m) != Op::or_) return false;
  for (uint32_t k = 1; k < m; k++)
    if (!unless_restarted(fn, k, m)) return false;
  return true;
}

}  // namespace

bool Combine::has_register_form(const Fn& fn) {
  const auto m = uint32_t(fn.results.size());
  for (uint32_t k = 0; k < m; k++) {
    const std::optional<Op> op = column_op(fn, fn[fn.results[k]], k, m);
    if (!op || !monoid_of(*op)) return false;
  }
  return true;
}

Combine::Combine(FnRef function, std::vector<Bits64> no_elements)
    : fn(std::move(function)), identity(std::move(no_elements)), types(fn->result_types()), one(fn) {
  const uint32_t m = uint32_t(types.size());
  for (uint32_t k = 0; k < m; k++) start.push_back(neutral_start(*fn, k, identity[k]));
  restarts = has_restarts(*fn, m);
  for (uint32_t k = 0; k < m; k++) {
    const Term& term = restarts && k > 0 ? *unless_restarted(*fn, k, m) : (*fn)[fn->results[k]];
    std::optional<Op> op = column_op(*fn, term, k, m);
    std::optional<simd::Monoid> monoid = op ? monoid_of(*op) : std::nullopt;
    if (!monoid) {
      ops.clear(), monoids.clear(), neutral.clear(), restarts = false;
      break;
    }
    ops.push_back(*op);
    monoids.push_back(*monoid);
    // The result is combined with the start, which hides NaNs unless it is one. Values that restart are not.
    const bool hides_nan = info(*op).laws & Idem && !is_nan(types[k], start[k]) && !restarts;
    neutral.push_back(hides_nan ? *identity_bits(*op, types[k]) : neutral_bits(*op, types[k]));
  }
  if (!in_registers()) {
    std::vector<uint32_t> all(m);
    std::iota(all.begin(), all.end(), 0u);
    program = BlockProgram::compile(*fn, all, false);
  }
}

std::vector<Type> Combine::operand_types() const {
  std::vector<Type> both = types;
  both.insert(both.end(), types.begin(), types.end());
  return both;
}

}  // namespace wf::cpu
