#include "expr/indices/pack.h"

#include <algorithm>
#include <map>

#include "expr/indices/neighbours.h"
#include "expr/rewrite.h"

namespace wf {
namespace {

// Sums of products with constants, in one form: of the terms in their order, and the constant last. So equal indices are equal terms.
class IndexSums {
 public:
  explicit IndexSums(Builder& to) : to_(to) {}
  Id add(Id a, Id b) { return combined(a, 1, b, 1); }
  Id subtract(Id a, Id b) { return combined(a, 1, b, uint64_t(-1)); }
  // One factor is a literal.
  Id multiply(Id a, Id b) { return is_literal(to_[b]) ? combined(a, to_[b].bits, b, 0) : combined(b, to_[a].bits, a, 0); }

  struct Sum {
    std::map<Id, uint64_t> factors;
    uint64_t constant = 0;
  };
  Sum sum_of(Id id) const {
    if (is_literal(to_[id])) return {{}, to_[id].bits};
    const auto known = sums_.find(id);
    return known != sums_.end() ? known->second : Sum{{{id, 1}}, 0};
  }

 private:
  Id combined(Id a, uint64_t factor_a, Id b, uint64_t factor_b) {
    Sum all;
    for (const auto& [id, factor] : {std::pair(a, factor_a), std::pair(b, factor_b)}) {
      const Sum sum = sum_of(id);
      for (const auto& [term, count] : sum.factors) all.factors[term] += factor * count;
      all.constant += factor * sum.constant;
    }
    std::erase_if(all.factors, [](const auto& f) { return f.second == 0; });
    Id result = no_id;
    for (const auto& [term, factor] : all.factors) {
      const Id product = factor == 1 ? term : to_.apply(Op::mul_, {term, to_.constant(int64_t(factor))});
      result = result == no_id ? product : to_.apply(Op::add_, {result, product});
    }
    const Id constant = to_.constant(int64_t(all.constant));
    result = result == no_id ? constant : all.constant == 0 ? result : to_.apply(Op::add_, {result, constant});
    sums_.emplace(result, std::move(all));
    return result;
  }

  Builder& to_;
  std::map<Id, Sum> sums_;
};

// A pack's first column, its row, and their bounds.
struct Place {
  Id x, y;
  Range columns, rows;
};

// Copies the body for an element of a pack.
class ElementOfPack : public Copy {
 public:
  ElementOfPack(Builder& builder, const Fn& body, IndexSums& all, const Place& first, int64_t width_of_rows, int64_t right)
      : Copy(builder, body), sums(all), place(first), width(width_of_rows), y(first.y) {
    x = sums.add(first.x, to.constant(right));
    index = sums.add(sums.multiply(y, to.constant(width)), x);
  }
  std::vector<Id> results() { return copy_terms(*this, {&index, 1}); }

  Id apply(Id id, std::span<const Id> a) {
    const Term& t = from[id];
    if (to.type(a.back()) != Type::I64) return Copy::apply(id, a);
    const bool is_row = is_digit_of_index(from, t, Op::div_), is_column = is_digit_of_index(from, t, Op::rem_);
    if ((is_row || is_column) && from_bits<int64_t>(from[from.args(t)[1]].bits) == width) return is_row ? y : x;
    if (t.op == Op::add_) return sums.add(a[0], a[1]);
    if (t.op == Op::sub_) return sums.subtract(a[0], a[1]);
    if (t.op == Op::mul_ && (is_literal(to[a[0]]) || is_literal(to[a[1]]))) return sums.multiply(a[0], a[1]);
    if (a.size() == 2)
      if (const std::optional<Id> known = by_bounds(t.op, a[0], a[1])) return *known;
    return Copy::apply(id, a);
  }

 private:
  // The limits and comparisons that only elements at a border need.
  std::optional<Id> by_bounds(Op op, Id a, Id b) {
    const Range of_a = bounds(a), of_b = bounds(b);
    if (!of_a.known() || !of_b.known()) return std::nullopt;
    const bool below = of_a.high<of_b.low, not_above = of_a.high <= of_b.low, above = of_a.low> of_b.high,
               not_below = of_a.low >= of_b.high;
    const auto decided = [&](bool holds, bool fails) {
      return holds || fails ? std::optional(to.literal(Type::Bool, holds)) : std::nullopt;
    };
    switch (op) {
      case Op::min_: return not_above ? std::optional(a) : not_below ? std::optional(b) : std::nullopt;
      case Op::max_: return not_below ? std::optional(a) : not_above ? std::optional(b) : std::nullopt;
      case Op::eq_: return decided(false, below || above);
      case Op::ne_: return decided(below || above, false);
      case Op::lt_: return decided(below, not_below);
      case Op::le_: return decided(not_above, above);
      case Op::gt_: return decided(above, not_above);
      case Op::ge_: return decided(not_below, below);
      default: return std::nullopt;
    }
  }
  // The bounds of a literal, or of a column and a row, times constants, and a constant. Unknown if the sum may wrap.
  Range bounds(Id id) const {
    const IndexSums::Sum sum = sums.sum_of(id);
    const Wide constant = from_bits<int64_t>(sum.constant);
    Range all{constant, constant};
    for (const auto& [term, bits] : sum.factors) {
      if (term != place.x && term != place.y) return {};
      const Wide factor = from_bits<int64_t>(bits);
      const Range& of_term = term == place.x ? place.columns : place.rows;
      all.low += std::min(factor * of_term.low, factor * of_term.high);
      all.high += std::max(factor * of_term.low, factor * of_term.high);
    }
    return all.is_in(all_of(Type::I64)) ? all : Range{};
  }

  IndexSums& sums;
  const Place& place;
  const int64_t width;
  const Id y;
  Id x, index;
};

// Indices wrap.
int64_t plus_times(int64_t a, int64_t factor, int64_t b) { return int64_t(uint64_t(a) + uint64_t(factor) * uint64_t(b)); }

Plane sum(const Plane& a, const Plane& b, int64_t factor) {
  if (!a.known || !b.known) return {};
  return {true, plus_times(a.x, factor, b.x), plus_times(a.y, factor, b.y), plus_times(a.constant, factor, b.constant)};
}
Plane product(const Plane& a, const Plane& b) {
  const bool scales = a.x == 0 && a.y == 0;
  const Plane& plane = scales ? b : a;
  const int64_t factor = scales ? a.constant : b.constant;
  if (!a.known || !b.known || (!scales && (b.x != 0 || b.y != 0))) return {};
  return {true, plus_times(0, factor, plane.x), plus_times(0, factor, plane.y), plus_times(0, factor, plane.constant)};
}

}  // namespace

FnRef body_of_pack(const Fn& body, int64_t width, int64_t pack, const Range& columns, const Range& rows) {
  Builder builder;
  builder.reads_cannot_fail();
  const Id x = builder.param(Type::I64, "x"), y = builder.param(Type::I64, "y");
  const Place first{x, y, columns, rows};
  IndexSums sums(builder);
  std::vector<Id> results;
  for (int64_t p = 0; p < pack; p++)
    for (Id id : ElementOfPack(builder, body, sums, first, width, p).results()) results.push_back(id);
  return builder.finish(results);
}

std::vector<Plane> planes(const Fn& fn) {
  std::vector<Plane> of(fn.terms.size());
  for (Id id = 0; id < fn.terms.size(); id++) {
    const Term& t = fn[id];
    if (t.type != Type::I64) continue;
    if (t.kind == Kind::Param && t.slot < 2) of[id] = {true, t.slot == 0, t.slot == 1, 0};
    if (is_literal(t)) of[id] = {true, 0, 0, from_bits<int64_t>(t.bits)};
    if (t.kind != Kind::Apply || t.count != 2) continue;
    const Plane &a = of[fn.args(t)[0]], &b = of[fn.args(t)[1]];
    if (t.op == Op::add_) of[id] = sum(a, b, 1);
    if (t.op == Op::sub_) of[id] = sum(a, b, -1);
    if (t.op == Op::mul_) of[id] = product(a, b);
  }
  return of;
}

Range indices_of(const Plane& plane, const Range& columns, const Range& rows) {
  Range index{plane.constant, plane.constant};
  for (const auto& [factor, range] : {std::pair(Wide(plane.x), columns), std::pair(Wide(plane.y), rows)}) {
    index.low += std::min(factor * range.low, factor * range.high);
    index.high += std::max(factor * range.low, factor * range.high);
  }
  return index;
}

}  // namespace wf
