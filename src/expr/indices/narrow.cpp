// digit(i, m, e) is (i div m) rem e: see simplify.cpp. A bound of a digit bounds the index: the least i >= low with digit(i) >= c is low itself
// or the first index of a group of m that has the digit c.
#include "expr/indices/narrow.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "expr/terms.h"

namespace wf {
namespace {

// (i div below) rem extent + constant, where i >= 0 is parameter 0; without rem if the extent is 0.
struct Operand {
  Wide below = 1, extent = 0;
  int64_t constant = 0;
};

std::optional<int64_t> literal_of(const Fn& f, Id x) {
  return is_literal(f[x]) && f[x].type == Type::I64 ? std::optional(from_bits<int64_t>(f[x].bits)) : std::nullopt;
}

std::optional<Operand> operand_of(const Fn& f, Id x, const Range& index) {
  Operand operand;
  if (is_op(f[x], Op::add_)) {
    const auto constant = literal_of(f, f.args(x)[1]);
    if (!constant) return std::nullopt;
    operand.constant = *constant;
    x = f.args(x)[0];
  }
  for (const Op op : {Op::rem_, Op::div_}) {
    if (!is_op(f[x], op)) continue;
    const auto n = literal_of(f, f.args(x)[1]);
    if (!n || *n <= 0) return std::nullopt;
    (op == Op::rem_ ? operand.extent : operand.below) = *n;
    x = f.args(x)[0];
  }
  if (f[x].kind != Kind::Param || f[x].slot != 0) return std::nullopt;
  // No sum wraps.
  if (!Range{index.low + operand.constant, index.high + operand.constant}.is_in(all_of(Type::I64))) return std::nullopt;
  return operand;
}

// The indices whose digit is in [low, high].
Range with_digit(Range index, const Operand& digit, Wide low, Wide high) {
  const Wide period = digit.extent == 0 ? index.high + digit.below : digit.below * digit.extent;
  const Wide largest = period / digit.below - 1;
  low = std::max<Wide>(low, 0), high = std::min(high, largest);
  if (low > high) return {};
  const auto start = [&](Wide i) { return i - i % period; };
  const auto number = [&](Wide i) { return i % period / digit.below; };
  if (number(index.low) < low) index.low = start(index.low) + low * digit.below;
  else if (number(index.low) > high) index.low = start(index.low) + period + low * digit.below;
  if (number(index.high) > high) index.high = start(index.high) + (high + 1) * digit.below - 1;
  else if (number(index.high) < low) index.high = start(index.high) - period + (high + 1) * digit.below - 1;
  return index;
}

Range narrow_by_comparison(const Fn& f, const Term& comparison, bool holds, const Range& index) {
  const auto operand = operand_of(f, f.args(comparison)[0], index);
  const auto literal = literal_of(f, f.args(comparison)[1]);
  if (!operand || !literal) return index;
  const Wide bound = Wide(*literal) - operand->constant;
  const Range all = all_of(Type::I64);
  const auto below = [&](Wide end) {
    return holds ? with_digit(index, *operand, all.low, end - 1) : with_digit(index, *operand, end, all.high);
  };
  const auto from = [&](Wide start) {
    return holds ? with_digit(index, *operand, start, all.high) : with_digit(index, *operand, all.low, start - 1);
  };
  switch (comparison.op) {
    case Op::lt_: return below(bound);
    case Op::le_: return below(bound + 1);
    case Op::gt_: return from(bound + 1);
    case Op::ge_: return from(bound);
    default: return index;
  }
}

}  // namespace

Range narrow(const Fn& f, Id condition, Range index) {
  struct Part {
    Id id;
    bool holds;
  };
  std::vector<Part> open{{condition, true}};
  while (!open.empty() && index.known() && index.low >= 0) {
    const auto [id, holds] = open.back();
    const Term& term = f[id];
    open.pop_back();
    if (term.kind != Kind::Apply) continue;
    const std::span<const Id> x = f.args(term);
    if (term.op == Op::not_) open.push_back({x[0], !holds});
    else if (term.op == (holds ? Op::and_ : Op::or_)) open.insert(open.end(), {{x[0], holds}, {x[1], holds}});
    else if (x.size() == 2) index = narrow_by_comparison(f, term, holds, index);
  }
  return index;
}

}  // namespace wf
