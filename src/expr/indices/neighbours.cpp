#include "expr/indices/neighbours.h"

#include <algorithm>

#include "expr/terms.h"

namespace wf {

bool is_digit_of_index(const Fn& fn, const Term& t, Op op) {
  const auto is_index = [&](Id id) { return fn[id].kind == Kind::Param && fn[id].slot == 0; };
  return is_op(t, op) && is_index(fn.args(t)[0]) && is_literal(fn[fn.args(t)[1]]);
}

namespace {

// The change of an index from one column to the next.
enum class Step : uint8_t { None, One, Other };

std::vector<Step> steps(const Fn& fn, int64_t width) {
  std::vector<Step> of(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    const std::span<const Id> x = fn.args(t);
    if (t.kind == Kind::Param) of[id] = t.slot == 0 ? Step::One : Step::None;
    const auto is_step = [&](Step step) { return [&, step](Id operand) { return of[operand] == step; }; };
    if (std::ranges::all_of(x, is_step(Step::None))) continue;
    of[id] = Step::Other;
    if (t.kind == Kind::Check || t.kind == Kind::Require) of[id] = of[x[0]];
    if (t.kind != Kind::Apply || t.type != Type::I64) continue;
    const bool is_row = is_digit_of_index(fn, t, Op::div_), is_column = is_digit_of_index(fn, t, Op::rem_);
    if ((is_row || is_column) && from_bits<int64_t>(fn[x[1]].bits) == width) of[id] = is_row ? Step::None : Step::One;
    const bool selects = t.op == Op::min_ || t.op == Op::max_ || t.op == Op::where_,
               is_sum = t.op == Op::add_ || (t.op == Op::sub_ && of[x[1]] == Step::None);
    const std::span<const Id> summands = t.op == Op::where_ ? x.subspan(1) : x;
    if (selects && std::ranges::none_of(summands, is_step(Step::Other)))
      of[id] = std::ranges::any_of(summands, is_step(Step::One)) ? Step::One : Step::None;
    if (is_sum && std::ranges::none_of(x, is_step(Step::Other)) && std::ranges::count_if(x, is_step(Step::One)) == 1) of[id] = Step::One;
  }
  return of;
}

}  // namespace

std::optional<int64_t> neighbourhood_width(const Fn& fn) {
  constexpr int64_t shortest = 32, longest = INT32_MAX;
  constexpr int fewest = 3;  // reads
  std::optional<int64_t> width;
  for (const Term& t : fn.terms) {
    if (!is_digit_of_index(fn, t, Op::rem_)) continue;
    const auto extent = from_bits<int64_t>(fn[fn.args(t)[1]].bits);
    if (extent > 0 && (!width || extent < *width)) width = extent;
  }
  if (!width || *width < shortest || *width > longest || !fn.loops.empty() || !fn.foreigns.empty()) return std::nullopt;
  const std::vector<Step> of = steps(fn, *width);
  int reads = 0;
  for (const Term& t : fn.terms) {
    if (t.kind != Kind::At) continue;
    const Step step = of[fn.args(t)[0]];
    if (step == Step::Other) return std::nullopt;
    reads += step == Step::One;
  }
  return reads >= fewest ? width : std::nullopt;
}

}  // namespace wf
