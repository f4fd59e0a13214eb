#include "cpu/law.h"

#include <cmath>
#include <limits>

namespace wf::cpu {
namespace {

bool is_sum_bound(Op f, Op g) { return f == Op::add_ && (g == Op::min_ || g == Op::max_); }

// Returns true if t + x is a sum for which the law holds: integers that do not overflow, floats that are finite.
bool plain_sum(Type type, Bits64 t_bits, Bits64 x_bits) {
  return visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T t = from_bits<T>(t_bits), x = from_bits<T>(x_bits);
    if constexpr (std::is_same_v<T, bool>) return true;
    else if constexpr (std::is_floating_point_v<T>) return std::isfinite(t) && std::isfinite(x);
    else {
      T sum;
      return !__builtin_add_overflow(t, x, &sum);
    }
  });
}

bool is_finite(Type type, Bits64 bits) {
  if (type == Type::F32) return std::isfinite(from_bits<float>(bits));
  if (type == Type::F64) return std::isfinite(from_bits<double>(bits));
  return true;
}

}  // namespace

LawResults::LawResults(const CompiledKernel& compiled, int64_t chunks)
    : totals(size_t(chunks)), best(compiled.reductions.size()), opposite(compiled.reductions.size()) {
  for (size_t r = 0; r < best.size(); r++)
    if (compiled.kernel.reductions[r].by_law) best[r].resize(size_t(chunks)), opposite[r].resize(size_t(chunks));
}

LawScan::LawScan(const CompiledKernel& compiled) : compiled_(compiled), type_(compiled.scan->types[0]) {
  reducers_.resize(compiled.reductions.size());
  for (size_t r = 0; r < compiled.reductions.size(); r++) {
    if (!compiled.kernel.reductions[r].by_law) continue;
    const bool inclusive = compiled.law_inclusive[r];
    if (in_bounds(r)) {
      bounds_wanted_[inclusive] = true;
    } else {
      prefix_wanted_[inclusive] = true;
      reducers_[r] = make_reducer(*compiled.reductions[r]);
    }
  }
  if (prefix_wanted_[0] || prefix_wanted_[1] || !(bounds_wanted_[0] || bounds_wanted_[1])) {
    prefix_wanted_[1] = prefix_wanted_[1] || !prefix_wanted_[0];
    prefixer_ = make_prefixer(*compiled.scan);
    prefixes_ = ColumnBlock(std::vector{type_, type_}, compiled.block);
  }
}

bool LawScan::in_bounds(size_t r) const { return is_sum_bound(compiled_.scan->ops[0], compiled_.reductions[r]->ops[0]); }

void LawScan::clear() {
  const Bits64 neutral = compiled_.scan->neutral[0];
  for (Bounds& bounds : bounds_) bounds = {neutral, *identity_bits(Op::min_, type_), *identity_bits(Op::max_, type_)};
  carry_ = neutral;
  for (auto& reducer : reducers_)
    if (reducer) reducer->clear();
}

void LawScan::add(const void* values, int64_t count) {
  for (bool inclusive : {false, true})
    if (Bounds& bounds = bounds_[inclusive]; bounds_wanted_[inclusive])
      simd_tables().prefixes.sum_bounds[int(type_)](values, count, inclusive, &bounds.carry, &bounds.low, &bounds.high);
  if (!prefixer_) return;
  auto target = [&](bool inclusive) { return prefix_wanted_[inclusive] ? prefixes_.at(inclusive) : nullptr; };
  prefixer_->run({&values, 1}, count, {&carry_, 1}, {{target(false)}, {target(true)}});
  for (size_t r = 0; r < reducers_.size(); r++)
    if (reducers_[r]) {
      const void* prefix = prefixes_.at(compiled_.law_inclusive[r]);
      reducers_[r]->add({&prefix, 1}, count);
    }
}

void LawScan::put(LawResults& results, int64_t chunk) {
  results.totals[chunk] = prefixer_ ? carry_ : bounds_[bounds_wanted_[1]].carry;
  for (size_t r = 0; r < reducers_.size(); r++) {
    if (!compiled_.kernel.reductions[r].by_law) continue;
    Bits64 &best = results.best[r][chunk], &opposite = results.opposite[r][chunk];
    if (reducers_[r]) {
      reducers_[r]->total({&best, 1});
      opposite = best;
    } else {
      const Bounds& bounds = bounds_[compiled_.law_inclusive[r]];
      const bool least = compiled_.reductions[r]->ops[0] == Op::min_;
      best = least ? bounds.low : bounds.high;
      opposite = least ? bounds.high : bounds.low;
    }
  }
}

bool join_by_law(const CompiledKernel& compiled, const LawResults& results, std::vector<Bits64>& scalars, Bits64& total) {
  const Op f = compiled.scan->ops[0];
  const Type type = compiled.scan->types[0];
  auto apply = [&](Op op, Bits64 a, Bits64 b) { return loops().single[int(op)][int(type)](a, b, 0); };
  for (size_t chunk = 0; chunk < results.totals.size(); chunk++) {
    for (size_t r = 0; r < results.best.size(); r++) {
      if (results.best[r].empty()) continue;
      const Op g = compiled.reductions[r]->ops[0];
      const Bits64 best = results.best[r][chunk];
      if (is_sum_bound(f, g) && !(plain_sum(type, total, best) && plain_sum(type, total, results.opposite[r][chunk]))) return false;
      const Bits64 shifted = apply(f, total, best);
      if (f == Op::mul_ && !(is_finite(type, total) && is_finite(type, best) && is_finite(type, shifted))) return false;
      scalars[r] = apply(g, chunk == 0 ? compiled.reductions[r]->start[0] : scalars[r], shifted);
    }
    total = apply(f, total, results.totals[chunk]);
    if ((f == Op::add_ || f == Op::mul_) && !is_finite(type, total)) return false;
  }
  return true;
}

}  // namespace wf::cpu
