#include "cuda/text/normal_roots.h"

#include <algorithm>
#include <optional>

#include "expr/terms.h"

namespace wf::cuda {
namespace {

// A bound is the literal in a sum with numbers that are not negative: rounding is monotone, so no sum is less than its literal.
struct Range {
  bool is_negative = true;    // or may be
  std::optional<Id> literal;  // the number is at least this literal, if the literal is above 0
};

Range sum(const Range& a, const Range& b) {
  if (a.literal && !b.is_negative) return {false, a.literal};
  if (b.literal && !a.is_negative) return {false, b.literal};
  return {a.is_negative || b.is_negative, {}};
}

}  // namespace

NormalRoots normal_roots(const Fn& fn) {
  NormalRoots found;
  found.is_root.resize(fn.terms.size());
  std::vector<Range> ranges(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    if (t.type != Type::F32) continue;
    const std::span<const Id> x = fn.args(t);
    const auto product = [&]() -> Range { return {x[0] != x[1] && (ranges[x[0]].is_negative || ranges[x[1]].is_negative), {}}; };
    if (is_literal(t) && from_bits<float>(t.bits) > 0) ranges[id] = {false, id};
    if (is_op(t, Op::abs_)) ranges[id] = {false, {}};
    if (is_op(t, Op::mul_)) ranges[id] = product();
    if (is_op(t, Op::add_)) ranges[id] = sum(ranges[x[0]], ranges[x[1]]);
    if (is_op(t, Op::fma_)) ranges[id] = sum(product(), ranges[x[2]]);
    if (!is_op(t, Op::rsqrt_) || !ranges[x[0]].literal) continue;
    found.is_root[id] = true;
    if (std::ranges::find(found.literals, *ranges[x[0]].literal) == found.literals.end()) found.literals.push_back(*ranges[x[0]].literal);
  }
  return found;
}

}  // namespace wf::cuda
