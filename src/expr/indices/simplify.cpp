// A view of an array reads at a sum of digits of its row-major index. digit(b, m, e) is the number (b div m) rem e: the index along an axis of
// extent e, below which m elements lie. The outermost digit, b div m, has no e. A view of a view has digits of sums of digits, which become
// digits of i again by these rules, for 0 <= b, 0 <= r < n and q >= 0:
//
//     split    (q n + r) div n = q, (q n + r) rem n = r; before that, common factors of all of n, q and a part of r are divided out
//     nest     (b div m) div n = b div (m n), digit(b, m, e) div n = digit(b, m n, e / n), digit(b, m, e) rem n = digit(b, m, n) if n divides e
//     merge    digit(b, m, e) c + digit(b, m e, f) c e = digit(b, m, e f) c
//     part     (q n + r) div n = q + r div n, (q n + r) rem n = r rem n for r >= 0
//     compare  b div m + k < c if b < (c - k) m; digit(b, m, e) + k < c if digit(b, m, e) < c - k; ranges that do not overlap decide
//
// so that a transpose of a transpose reads at i. Each rule makes the term smaller; a term that none of them changes stays as it is.
#include "expr/indices/simplify.h"

#include <algorithm>
#include <optional>

#include "expr/rewrite.h"

namespace wf {
namespace {

constexpr int64_t endless = 0;  // the extent of an outermost digit
constexpr size_t most_parts = 16;

struct Digit {
  Id base;
  int64_t below = 1, extent = endless;
  bool operator==(const Digit&) const = default;
};
// A digit times a factor; the base of other terms is the term itself.
struct Multiple {
  Digit digit;
  int64_t factor = 1;
};
// constant + the sum of the parts.
struct Sum {
  int64_t constant = 0;
  std::vector<Multiple> parts;
};

bool is_i64(const Term& t, Op op) { return is_op(t, op) && t.type == Type::I64; }
int64_t literal_value(const Term& t) { return from_bits<int64_t>(t.bits); }

bool is_comparison(Op op) { return op == Op::lt_ || op == Op::le_ || op == Op::gt_ || op == Op::ge_; }

// Returns true if f has quotients, remainders or comparisons of i64.
bool has_rules(const Fn& f) {
  const auto has_rule = [&](const Term& t) {
    if (t.kind != Kind::Apply) return false;
    return is_comparison(t.op) ? f[f.args(t)[0]].type == Type::I64 : is_i64(t, Op::div_) || is_i64(t, Op::rem_);
  };
  return std::ranges::any_of(f.terms, has_rule) ||
         std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return l.is_fold() && has_rules(*l.body); });
}

class SimplifyIndices : public Copy {
 public:
  SimplifyIndices(Builder& to, const Fn& from, std::span<const Range> params) : Copy(to, from), params_(params) {}

  Id apply(Id id, std::span<const Id> x) {
    const Term& term = from[id];
    if (term.kind == Kind::Apply && is_comparison(term.op) && to[x[0]].type == Type::I64)
      if (const auto simple = comparison(term.op, x[0], x[1])) return to.require(*simple, {x[0], x[1]});
    if (term.type != Type::I64 || term.kind != Kind::Apply) return Copy::apply(id, x);
    if (term.op == Op::div_ || term.op == Op::rem_) {
      if (const auto n = literal_of(x[1]); n && *n > 0 && range(x[0]).low >= 0)
        if (const auto simple = term.op == Op::div_ ? quotient(x[0], *n) : remainder(x[0], *n))
          return to.require(*simple, {x[0]});  // what the rules drop may fail
    }
    if (term.op == Op::max_ && range(x[1]).is_in({all_of(Type::I64).low, range(x[0]).low})) return to.require(x[0], {x[1]});
    if (term.op == Op::add_ && (has_digit(x[0]) || has_digit(x[1]))) {
      Sum sum;
      const Id whole = to.apply_typed(Op::add_, x);
      if (collect(whole, 1, sum) && merge(sum)) return build(sum);
      return whole;
    }
    return Copy::apply(id, x);
  }

  // A Check of an index that is always inside is the index.
  Id check(Id, std::span<const Id> x) {
    const auto length = literal_of(x[1]);
    return length && range(x[0]).is_in({0, *length - 1}) ? x[0] : to.check(x[0], x[1], x[2]);
  }

  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    Fn::LoopInfo inside = info(id);
    if (!inside.is_fold()) return Copy::repeat(id, x);
    if (!has_rules(*inside.body)) return to.repeat(inside, x);
    std::vector<Id> operands(x.begin(), x.end());
    inside.body = with_factors(*inside.body, operands);
    std::vector<Range> params{all_of(Type::I64)};
    if (const auto count = literal_of(x[0]); count && *count > 0) params[0] = {0, *count - 1};
    for (size_t k = 1; k < operands.size(); k++) params.push_back(range(operands[k]));
    inside.body = simplify_with(inside.body, params);
    return to.repeat(inside, operands);
  }

  static FnRef simplify_with(const FnRef& f, std::span<const Range> params) {
    if (!has_rules(*f)) return f;
    Builder builder;
    builder.reads_cannot_fail();
    builder.params_cannot_fail();
    SimplifyIndices pass(builder, *f, params);
    return builder.finish(copy_terms(pass, copy_params(builder, *f)));
  }

 private:
  // The body of a fold in which the factors of free values are multiplied, since quotients in it may need them: (q n + j) div n = q. The first
  // operand is the count.
  FnRef with_factors(const Fn& body, std::vector<Id>& operands) {
    Builder builder;
    builder.reads_cannot_fail();
    std::vector<Id> args{builder.param(Type::I64, body.params[0].name)};
    for (size_t k = 1; k < operands.size(); k++) {
      const Id param = builder.param(body.params[k].type, body.params[k].name);
      const Term& free = to[operands[k]];
      const auto factor = is_i64(free, Op::mul_) ? literal_of(to.so_far().args(free)[1]) : std::nullopt;
      args.push_back(factor ? builder.apply(Op::mul_, {param, builder.constant(*factor)}) : param);
      if (factor) operands[k] = to.so_far().args(free)[0];
    }
    return builder.finish(builder.inline_call(body, args));
  }
  std::optional<int64_t> literal_of(Id x) const {
    return is_literal(to[x]) && to[x].type == Type::I64 ? std::optional(literal_value(to[x])) : std::nullopt;
  }
  Range range(Id x) {
    while (ranges_.size() <= x) ranges_.push_back(range_of(to.so_far(), Id(ranges_.size()), ranges_, params_));
    return ranges_[x];
  }
  bool has_digit(Id x) const {
    const Term& t = to[x];
    if (is_i64(t, Op::div_) || is_i64(t, Op::rem_)) return true;
    return (is_i64(t, Op::mul_) || is_i64(t, Op::add_)) &&
           std::ranges::any_of(to.so_far().args(t), [&](Id y) { return has_digit_below(y); });
  }
  // Looks one level deeper only: a sum is flat when it reaches this pass, and its terms are products of digits.
  bool has_digit_below(Id x) const {
    const Term& t = to[x];
    if (is_i64(t, Op::div_) || is_i64(t, Op::rem_)) return true;
    if (!is_i64(t, Op::mul_) && !is_i64(t, Op::add_)) return false;
    return std::ranges::any_of(to.so_far().args(t), [&](Id y) { return is_i64(to[y], Op::div_) || is_i64(to[y], Op::rem_); });
  }

  // ---- terms as digits ------------------------------------------------------------------------------------------------

  Digit digit_of(Id x) {
    const auto operand = [&](Id y, size_t k) { return to.so_far().args(y)[k]; };
    Digit digit{x};
    if (is_i64(to[x], Op::rem_) && literal_of(operand(x, 1)).value_or(0) > 0 && range(operand(x, 0)).low >= 0) {
      digit = {operand(x, 0), 1, *literal_of(operand(x, 1))};
    }
    if (const Id y = digit.base; is_i64(to[y], Op::div_) && literal_of(operand(y, 1)).value_or(0) > 0 && range(operand(y, 0)).low >= 0) {
      digit.below = *literal_of(operand(y, 1));
      digit.base = operand(y, 0);
    }
    return digit;
  }

  // Adds x * factor to the sum; false if it has too many parts or numbers overflow.
  bool collect(Id x, int64_t factor, Sum& sum) {
    const Term& t = to[x];
    const auto operand = [&](size_t k) { return to.so_far().args(x)[k]; };
    if (const auto literal = literal_of(x)) {
      int64_t product;
      return !__builtin_mul_overflow(*literal, factor, &product) && !__builtin_add_overflow(sum.constant, product, &sum.constant);
    }
    if (is_i64(t, Op::add_)) return collect(operand(0), factor, sum) && collect(operand(1), factor, sum);
    if (is_i64(t, Op::mul_))
      if (const auto literal = literal_of(operand(1))) {
        int64_t product;
        return !__builtin_mul_overflow(*literal, factor, &product) && collect(operand(0), product, sum);
      }
    sum.parts.push_back({digit_of(x), factor});
    return sum.parts.size() <= most_parts;
  }

  Id build(const Digit& d) {
    Id x = d.base;
    if (d.below > 1) x = to.apply(Op::div_, {x, to.constant(d.below)});
    return d.extent == endless ? x : to.apply(Op::rem_, {x, to.constant(d.extent)});
  }
  // The outermost digit comes first, as in the functions of views, so that equal sums are one term.
  Id build(Sum sum) {
    std::ranges::stable_sort(sum.parts, std::less(), [](const Multiple& part) { return part.digit.below; });
    Id result = to.constant<int64_t>(0);
    for (const Multiple& part : sum.parts) {
      const Id term = to.apply(Op::mul_, {build(part.digit), to.constant(part.factor)});
      result = to.apply(Op::add_, {term, result});
    }
    return to.apply(Op::add_, {result, to.constant(sum.constant)});
  }

  // ---- rules ----------------------------------------------------------------------------------------------------------

  // digit(b, m, e) c + digit(b, m e, f) c e = digit(b, m, e f) c. Returns true if any two parts were merged.
  static bool merge(Sum& sum) {
    bool any = false;
    for (bool again = true; again;) {
      again = false;
      for (size_t i = 0; i < sum.parts.size() && !again; i++)
        for (size_t j = 0; j < sum.parts.size() && !again; j++) {
          Multiple &low = sum.parts[i], &high = sum.parts[j];
          const int64_t e = low.digit.extent;
          int64_t below, factor, extent = endless;
          if (i == j || e == endless || low.digit.base != high.digit.base) continue;
          if (__builtin_mul_overflow(low.digit.below, e, &below) || high.digit.below != below) continue;
          if (__builtin_mul_overflow(low.factor, e, &factor) || high.factor != factor) continue;
          if (high.digit.extent != endless && __builtin_mul_overflow(e, high.digit.extent, &extent)) continue;
          low.digit.extent = extent;
          sum.parts.erase(sum.parts.begin() + ptrdiff_t(j));
          any = again = true;
        }
    }
    return any;
  }

  // x = n q + r with q >= 0, 0 <= r <= most and no wrapping, if the parts whose factors n divides make q.
  struct Division {
    Sum q, r;
  };
  std::optional<Division> divide(const Sum& x, int64_t n, Wide most) {
    Division d;
    d.q.constant = x.constant / n - (x.constant % n < 0), d.r.constant = x.constant - d.q.constant * n;
    for (const Multiple& part : x.parts) (part.factor % n == 0 ? d.q : d.r).parts.push_back(part);
    for (Multiple& part : d.q.parts) part.factor /= n;
    if (range_of_sum(d.r).is_in({0, most}) && range_of_sum(d.q).low >= 0) return d;
    return std::nullopt;
  }
  Range range_of_sum(const Sum& sum) {
    Wide low = sum.constant, high = sum.constant;
    for (const Multiple& part : sum.parts) {
      Range r = range(build(part.digit));
      if (!r.known()) r = all_of(Type::I64);
      const Wide a = r.low * part.factor, b = r.high * part.factor;
      low += std::min(a, b), high += std::max(a, b);
    }
    return {low, high};
  }

  std::optional<Id> quotient(Id x, int64_t n) {
    if (n == 1) return x;
    if (range(x).high < n) return to.constant<int64_t>(0);
    Sum sum;
    if (!collect(x, 1, sum) || !range_of_sum(sum).is_in(all_of(Type::I64))) return std::nullopt;
    if (const auto division = divide(sum, n, n - 1)) return build(division->q);
    if (sum.parts.size() == 1 && sum.constant == 0 && sum.parts[0].factor == 1) return quotient_of(sum.parts[0].digit, n, x);
    return parted(sum, n, Op::div_);
  }
  std::optional<Id> quotient_of(Digit d, int64_t n, Id x) {
    if (d.base == x) return std::nullopt;
    if (d.extent != endless && d.extent % n != 0) return std::nullopt;
    if (__builtin_mul_overflow(d.below, n, &d.below)) return std::nullopt;
    if (d.extent != endless) d.extent /= n;
    return build(d);
  }

  std::optional<Id> remainder(Id x, int64_t n) {
    if (n == 1) return to.constant<int64_t>(0);
    if (range(x).high < n) return x;
    Sum sum;
    if (!collect(x, 1, sum) || !range_of_sum(sum).is_in(all_of(Type::I64))) return std::nullopt;
    if (const auto division = divide(sum, n, n - 1)) return build(division->r);
    if (sum.parts.size() == 1 && sum.constant == 0 && sum.parts[0].factor == 1) {
      Digit d = sum.parts[0].digit;
      if (d.extent == endless || d.extent % n != 0) return std::nullopt;
      d.extent = n;
      return build(d);
    }
    return parted(sum, n, Op::rem_);
  }

  // (q n + r) div n = q + r div n, and rem: r rem n.
  std::optional<Id> parted(const Sum& sum, int64_t n, Op op) {
    const auto division = divide(sum, n, all_of(Type::I64).high);
    if (!division || division->q.parts.empty()) return reduced(sum, n, op);
    const Id rest = build(division->r);
    const auto simple = op == Op::div_ ? quotient(rest, n) : remainder(rest, n);
    const Id digit = simple ? *simple : to.apply(op, {rest, to.constant(n)});
    return op == Op::div_ ? to.apply(Op::add_, {build(division->q), digit}) : digit;
  }

  // With a common factor c of n and of some parts, and a rest 0 <= r < c: (c q + r) div (c n') = q div n', and rem: c (q rem n') + r.
  std::optional<Id> reduced(const Sum& sum, int64_t n, Op op) {
    for (const Multiple& part : sum.parts) {
      const int64_t c = part.factor;
      if (c <= 1 || n % c != 0) continue;
      const auto division = divide(sum, c, c - 1);
      if (!division) continue;
      const Id q = build(division->q);
      if (op == Op::div_) {
        const auto simple = quotient(q, n / c);
        return simple ? *simple : to.apply(Op::div_, {q, to.constant(n / c)});
      }
      const auto simple = remainder(q, n / c);
      const Id high = simple ? *simple : to.apply(Op::rem_, {q, to.constant(n / c)});
      return to.apply(Op::add_, {to.apply(Op::mul_, {high, to.constant(c)}), build(division->r)});
    }
    return std::nullopt;
  }

  // The value of a comparison that the ranges of its operands decide.
  std::optional<Id> decided(Op op, const Range& x, const Range& y) {
    if (op == Op::gt_ || op == Op::le_) return decided(op == Op::gt_ ? Op::lt_ : Op::ge_, y, x);
    if (!x.known() || !y.known() || (x.high >= y.low && x.low < y.high)) return std::nullopt;
    return to.constant((x.high < y.low) == (op == Op::lt_));
  }

  // x < c or x >= c, where x is a digit + k. A comparison that is one already stays as it is.
  std::optional<Id> comparison(Op op, Id x, Id y) {
    if (const auto value = decided(op, range(x), range(y))) return value;
    const auto literal = literal_of(y);
    Sum sum;
    if (!literal || !collect(x, 1, sum) || !range_of_sum(sum).is_in(all_of(Type::I64))) return std::nullopt;
    if (sum.parts.size() != 1 || sum.parts[0].factor != 1) return std::nullopt;
    Digit digit = sum.parts[0].digit;
    int64_t c;
    if (__builtin_sub_overflow(*literal, sum.constant, &c)) return std::nullopt;
    if ((op == Op::le_ || op == Op::gt_) && __builtin_add_overflow(c, 1, &c)) return std::nullopt;
    const bool is_below = op == Op::lt_ || op == Op::le_, is_quotient = digit.extent == endless && digit.below > 1;
    if (!is_quotient && sum.constant == 0) return std::nullopt;
    if (is_quotient && __builtin_mul_overflow(c, digit.below, &c)) return std::nullopt;
    const Id value = is_quotient ? digit.base : build(digit);
    return to.apply(is_below ? Op::lt_ : Op::ge_, {value, to.constant(c)});
  }

  std::span<const Range> params_;
  std::vector<Range> ranges_;  // of the first terms of `to`
};

}  // namespace

FnRef simplify_indices(FnRef f, const Range& index) {
  std::vector<Range> params;
  for (const Param& p : f->params) params.push_back(params.empty() ? index : all_of(p.type));
  return SimplifyIndices::simplify_with(f, params);
}

}  // namespace wf
