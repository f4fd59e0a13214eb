#include "expr/range.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "expr/affine.h"
#include "expr/guards/guard.h"
#include "expr/indices/narrow.h"
#include "expr/rewrite.h"

namespace wf {
namespace {

Range only(Wide x) { return {x, x}; }
Range either(const Range& x, const Range& y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }
Wide largest_magnitude(const Range& x) { return std::max(x.high, -x.low); }

// A result that may wrap can be any value.
Range fit(Type type, const Range& x) { return x.is_in(all_of(type)) ? x : all_of(type); }

Range literal(Type type, Bits64 bits) {
  return visit(type, [&](auto tag) -> Range {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) return {};
    else return only(Wide(from_bits<T>(bits)));
  });
}

Range product(Type type, const Range& x, const Range& y) {
  Wide corners[4];
  Wide* corner = corners;
  for (Wide a : {x.low, x.high})
    for (Wide b : {y.low, y.high})
      if (__builtin_mul_overflow(a, b, corner++)) return all_of(type);
  const auto [low, high] = std::ranges::minmax(corners);
  return fit(type, {low, high});
}

// The quotient is rounded towards zero, and is 0 if y is 0. It is monotone in x, and in y if y has one sign.
Range quotient(Type type, const Range& x, const Range& y) {
  if (y.low > 0) {
    const auto [low, high] = std::minmax({x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
    return {low, high};
  }
  const Wide most = largest_magnitude(x);
  return fit(type, {-most, most});
}

// The remainder has the sign of x; its magnitude is at most that of x, and less than that of y.
Range remainder(const Range& x, const Range& y) {
  const Wide most = std::max<Wide>(largest_magnitude(y) - 1, 0);
  return {-std::min(std::max<Wide>(-x.low, 0), most), std::min(std::max<Wide>(x.high, 0), most)};
}

Range absolute(Type type, const Range& x) {
  if (x.low >= 0) return x;
  return fit(type, {x.high >= 0 ? 0 : -x.high, largest_magnitude(x)});
}

Range complement(Type type, const Range& x) {
  const Wide last = type == Type::Bool || all_of(type).low == 0 ? all_of(type).high : -1;
  return {last - x.high, last - x.low};
}

Range bitwise(Op op, Type type, const Range& x, const Range& y) {
  if (op == Op::and_) {
    if (x.low >= 0 && y.low >= 0) return {0, std::min(x.high, y.high)};
    if (x.low >= 0) return {0, x.high};
    if (y.low >= 0) return {0, y.high};
    return all_of(type);
  }
  const Range both = either(x, y);
  if (both.low < 0) return all_of(type);
  const int width = std::bit_width(uint64_t(both.high));
  return {op == Op::or_ ? std::max(x.low, y.low) : 0, (Wide(1) << width) - 1};
}

// A shift by a known count multiplies or divides; a right shift by any count moves towards 0 or -1.
Range shifted(Op op, Type type, const Range& x, const Range& count) {
  const bool is_known = count.low == count.high && count.low >= 0 && count.low < Wide(8 * size_of(type));
  if (op == Op::shl_) return is_known ? product(type, x, only(Wide(1) << int(count.low))) : all_of(type);
  if (is_known) return {x.low >> int(count.low), x.high >> int(count.low)};
  return {std::min<Wide>(x.low, 0), std::max<Wide>(x.high, -1)};
}

Range applied(Op op, Type type, const Range (&x)[3]) {
  const Wide width = Wide(8 * size_of(type));
  switch (op) {
    case Op::add_: return fit(type, {x[0].low + x[1].low, x[0].high + x[1].high});
    case Op::sub_: return fit(type, {x[0].low - x[1].high, x[0].high - x[1].low});
    case Op::mul_: return product(type, x[0], x[1]);
    case Op::div_: return quotient(type, x[0], x[1]);
    case Op::rem_: return remainder(x[0], x[1]);
    case Op::min_: return {std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)};
    case Op::max_: return {std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)};
    case Op::neg_: return fit(type, {-x[0].high, -x[0].low});
    case Op::abs_: return absolute(type, x[0]);
    case Op::sign_: return {x[0].low < 0 ? -1 : x[0].low > 0, x[0].high > 0 ? 1 : x[0].high < 0 ? -1 : 0};
    case Op::and_:
    case Op::or_:
    case Op::xor_: return bitwise(op, type, x[0], x[1]);
    case Op::not_: return complement(type, x[0]);
    case Op::shl_:
    case Op::shr_: return shifted(op, type, x[0], x[1]);
    case Op::popcount_:
    case Op::clz_: return {0, width};
    case Op::where_: return either(x[1], x[2]);
    default: return all_of(type);
  }
}

// The values of x in the range for which the comparison with the constant holds, or does not.
Range compared(Op op, bool holds, Range x, Wide constant) {
  if (!holds) {
    constexpr std::pair<Op, Op> opposites[] = {{Op::eq_, Op::ne_}, {Op::lt_, Op::ge_}, {Op::le_, Op::gt_}};
    for (const auto& [a, b] : opposites)
      if (op == a || op == b) return compared(op == a ? b : a, true, x, constant);
    return x;
  }
  switch (op) {
    case Op::eq_: return {std::max(x.low, constant), std::min(x.high, constant)};
    case Op::ne_: return {x.low + (x.low == constant), x.high - (x.high == constant)};
    case Op::lt_: return {x.low, std::min(x.high, constant - 1)};
    case Op::le_: return {x.low, std::min(x.high, constant)};
    case Op::gt_: return {std::max(x.low, constant + 1), x.high};
    case Op::ge_: return {std::max(x.low, constant), x.high};
    default: return x;
  }
}

bool is_of_integers(const Term& term) {
  return term.kind == Kind::Apply && info(term.op).result == Result::Same && !is_in(term.type, Float);
}

// The range of an alternative of a `where` whose condition compares that alternative, or an operand of it, with a constant, as the indices of
// neighbours that wrap around: where(i == 0, n - 1, i - 1).
Range alternative(const Fn& fn, Id condition, bool holds, Id id, std::span<const Range> earlier) {
  const Term& test = fn[condition];
  if (test.kind != Kind::Apply || test.count != 2) return earlier[id];
  const Id x = fn.args(test)[0];
  const Range by = earlier[fn.args(test)[1]];
  if (!earlier[x].known() || !by.known() || by.low != by.high) return earlier[id];
  const Range narrower = compared(test.op, holds, earlier[x], by.low);
  if (!narrower.known()) return earlier[id];
  if (id == x) return narrower;
  if (!is_of_integers(fn[id]) || fn[id].count > 3) return earlier[id];
  Range operands[3];
  for (size_t k = 0; k < fn[id].count; k++) operands[k] = fn.args(id)[k] == x ? narrower : earlier[fn.args(id)[k]];
  return applied(fn[id].op, fn[id].type, operands);
}

}  // namespace

Range all_of(Type type) {
  return visit(type, [](auto tag) -> Range {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) return {};
    else return {Wide(std::numeric_limits<T>::min()), Wide(std::numeric_limits<T>::max())};
  });
}

Range range_of(const Fn& fn, Id id, std::span<const Range> earlier, std::span<const Range> params) {
  const Term& term = fn[id];
  const Range all = all_of(term.type);
  Range x[3];
  const bool is_choice = is_of_integers(term) && term.op == Op::where_;
  for (size_t k = 0; k < std::min<size_t>(term.count, 3); k++) {
    const Id operand = fn.args(term)[k];
    x[k] = is_choice && k > 0 ? alternative(fn, fn.args(term)[0], k == 1, operand, earlier) : earlier[operand];
  }
  switch (term.kind) {
    case Kind::Param: return params.empty() ? all : params[term.slot];
    case Kind::Literal: return literal(term.type, term.bits);
    case Kind::Apply:
      // The type bounds comparisons and tests; nothing is known about floats.
      return is_of_integers(term) ? applied(term.op, term.type, x) : all;
    case Kind::Cast: return term.type != Type::Bool && x[0].is_in(all) ? x[0] : all;
    case Kind::Length: return {0, all.high};
    case Kind::Check:
    case Kind::Require: return x[0];
    case Kind::Argument:
    case Kind::At:
    case Kind::Loop:
    case Kind::Fold:
    case Kind::Pick:
    case Kind::Foreign: return all;
  }
  return all;
}

std::vector<Range> ranges(const Fn& fn, std::span<const Range> params) {
  std::vector<Range> all;
  all.reserve(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) all.push_back(range_of(fn, id, all, params));
  return all;
}

namespace {

struct Proven : Copy {
  Proven(Builder& to, const Fn& from, std::span<const Range> given) : Copy(to, from), params(given), known(ranges(from, given)) {}
  const std::span<const Range> params;
  const std::vector<Range> known;
  bool found = false;

  bool holds(Id check) const {
    const std::span<const Id> x = from.args(check);
    const Range inside{0, known[x[1]].low - 1};
    return known[x[0]].is_in(inside) || holds_under_guard(x[0], x[2], inside);
  }
  // Returns true if the index sign * i + offset is inside for every i for which the guard holds.
  bool holds_under_guard(Id index, Id guard, const Range& inside) const {
    const Affine form = affine(from, index);
    if (is_literal(from[guard]) || !form.known || form.sign == 0 || params.empty()) return false;
    const Range i = narrow(from, guard, params[0]);
    const Wide first = form.sign * i.low + form.offset, last = form.sign * i.high + form.offset;
    return !i.known() || Range{std::min(first, last), std::max(first, last)}.is_in(inside);
  }
  Id check(Id id, std::span<const Id> x) {
    found = found || holds(id);
    return holds(id) ? x[0] : Copy::check(id, x);
  }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    Fn::LoopInfo inside = info(id);
    std::vector<Range> params;
    for (const Param& p : inside.body->params) params.push_back(all_of(p.type));
    if (inside.is_fold()) params[0] = {0, std::max<Wide>(known[from.args(id)[0]].high - 1, 0)};
    for (size_t k = inside.variables; k < params.size(); k++) params[k] = known[from.args(id)[k]];
    const FnRef body = without_proven_checks(inside.body, params);
    found = found || body != inside.body;
    inside.body = body;
    return to.repeat(inside, x);
  }
};

}  // namespace

FnRef without_proven_checks(FnRef f, std::span<const Range> params) {
  if (!has_checks(*f)) return f;
  Builder builder;
  builder.reads_cannot_fail();
  Proven pass(builder, *f, params);
  const std::vector<Id> results = copy_terms(pass, copy_params(builder, *f));
  return pass.found ? builder.finish(results) : f;
}

}  // namespace wf
