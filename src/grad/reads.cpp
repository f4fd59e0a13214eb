#include "grad/reads.h"

#include <algorithm>
#include <numeric>

#include "expr/indices/walk.h"
#include "expr/terms.h"
#include "grad/pass.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"

namespace wf {

bool IndexView::is_fixed() const {
  return std::ranges::all_of(view.strides, [](int64_t s) { return s == 0; });
}

namespace {

// factor * i + offset, with sums and products by literals alone. What is checked is within its bounds, where the element is read.
struct LinearIndex {
  int64_t factor, offset;
};
std::optional<LinearIndex> line_of(const Fn& f, Id id) {
  const Term& t = f[id];
  if (t.type != Type::I64) return std::nullopt;
  if (is_literal(t)) return LinearIndex{0, from_bits<int64_t>(t.bits)};
  if (t.kind == Kind::Param && t.slot == 0) return LinearIndex{1, 0};
  if (t.kind == Kind::Check) return line_of(f, f.args(t)[0]);
  if (t.kind != Kind::Apply || (t.op != Op::add_ && t.op != Op::sub_ && t.op != Op::mul_)) return std::nullopt;
  const auto a = line_of(f, f.args(t)[0]), b = line_of(f, f.args(t)[1]);
  if (!a || !b || (t.op == Op::mul_ && b->factor != 0)) return std::nullopt;
  const auto combined = [&](int64_t x, int64_t y) -> std::optional<int64_t> {
    int64_t result;
    if (t.op == Op::add_ ? __builtin_add_overflow(x, y, &result) : __builtin_sub_overflow(x, y, &result)) return std::nullopt;
    return result;
  };
  if (t.op == Op::mul_) {
    int64_t factor, offset;
    if (__builtin_mul_overflow(a->factor, b->offset, &factor) || __builtin_mul_overflow(a->offset, b->offset, &offset)) return std::nullopt;
    return LinearIndex{factor, offset};
  }
  const auto factor = combined(a->factor, b->factor), offset = combined(a->offset, b->offset);
  return factor && offset ? std::optional(LinearIndex{*factor, *offset}) : std::nullopt;
}

}  // namespace

std::optional<IndexView> index_view(const Fn& f, Id index, int64_t n) {
  if (f[index].kind == Kind::Check) index = f.args(index)[0];
  if (const auto line = line_of(f, index)) {
    const bool is_simple = line->factor == 0 || (line->factor == 1 && line->offset == 0);
    if (n < 0 && !is_simple) return std::nullopt;
    return IndexView{{line->offset, {line->factor}}, {n}};
  }
  const auto walk = n < 0 ? std::nullopt : walk_of(f, index);
  if (!walk || walk->shift != 0) return std::nullopt;
  IndexView made{{walk->base, {}}, {}};
  int64_t below = 1;
  for (size_t k = 0; k < walk->axes.size() && below < std::max<int64_t>(n, 1); k++) {
    const bool is_last = k + 1 == walk->axes.size();
    const int64_t left = (n + below - 1) / below, extent = is_last ? left : std::min(left, walk->axes[k].extent);
    made.extents.insert(made.extents.begin(), extent);
    made.view.strides.insert(made.view.strides.begin(), walk->axes[k].stride);
    below *= extent;
  }
  return made;
}

std::optional<int64_t> row_length(const Fn& f, Id index, int64_t n) {
  if (f[index].kind == Kind::Check) index = f.args(index)[0];
  if (n <= 0 || !is_op(f[index], Op::add_)) return std::nullopt;
  for (const bool swaps : {false, true}) {
    const auto rows = index_view(f, f.args(index)[swaps], n);
    const Term& place = f[f.args(index)[!swaps]];
    if (!rows || rows->view.strides.empty() || rows->view.offset != 0 || place.kind != Kind::Check) continue;
    const Term& length = f[f.args(place)[1]];
    const int64_t row = rows->view.strides.back();
    int64_t below = row;
    bool is_dense = is_literal(length) && from_bits<int64_t>(length.bits) <= row;
    for (size_t k = rows->extents.size(); k-- > 0; below *= rows->extents[k]) is_dense = is_dense && rows->view.strides[k] == below;
    if (is_dense) return row;
  }
  return std::nullopt;
}

namespace {

// A digit of i that an index of x depends on: its extent, the step of x's index, and the step of i.
struct IndexDigit {
  int64_t extent, step, of_i;
};

// Sums c over the digits that the index does not depend on, which are then left out.
NodeRef without_repeats(IndexView& index, const NodeRef& c, Type type) {
  std::vector<int32_t> repeated;
  for (size_t k = 0; k < index.extents.size(); k++)
    if (index.view.strides[k] == 0 && index.extents[k] != 1) repeated.push_back(int32_t(k));
  if (repeated.empty()) return c;
  const NodeRef sums = reduce_axes(closed(op_fn(Op::add_, type)), {0}, reshape(c, index.extents), repeated, true);
  for (int32_t k : repeated) index.extents[size_t(k)] = 1;
  return sums;
}

// The digits from the largest step down, without those of extent 1. Those that count down count up from the other end.
std::vector<IndexDigit> digits_of(const IndexView& index, int64_t& offset, int64_t& of_i) {
  std::vector<IndexDigit> digits;
  int64_t below = 1;
  for (size_t k = index.extents.size(); k-- > 0; below *= index.extents[k]) {
    IndexDigit d{index.extents[k], index.view.strides[k], below};
    if (d.extent == 1) continue;
    if (d.step < 0) {
      offset += (d.extent - 1) * d.step, of_i += (d.extent - 1) * d.of_i;
      d.step = -d.step, d.of_i = -d.of_i;
    }
    digits.push_back(d);
  }
  std::ranges::stable_sort(
      digits, [](const IndexDigit& a, const IndexDigit& b) { return a.step != b.step ? a.step > b.step : a.extent < b.extent; });
  return digits;
}

// Moves the digits that the others' indices overlap to `looped`.
std::vector<IndexDigit> take_overlapping(std::vector<IndexDigit>& digits) {
  std::vector<IndexDigit> nested, looped;
  int64_t reach = 0;  // of the digits below
  for (size_t k = digits.size(); k-- > 0;) {
    const IndexDigit& d = digits[k];
    (d.step > reach ? nested : looped).push_back(d);
    if (d.step > reach) reach += (d.extent - 1) * d.step;
  }
  digits.assign(nested.rbegin(), nested.rend());
  return looped;
}

// c at the i whose nested digits lead from `first` to x's index j, or 0 if there is none.
Id element_at(Builder& b, Type type, Id from, std::span<const IndexDigit> digits, Id of_i, int64_t n) {
  const Id zero = b.constant<int64_t>(0);
  const bool is_divided = std::ranges::any_of(digits, [](const IndexDigit& d) { return d.step != 1; });
  Id rest = is_divided ? b.apply(Op::max_, {from, zero}) : from;  // quotients of what cannot be negative are simplified
  Id i = of_i, is_read = b.apply(Op::ge_, {from, zero});
  const auto also = [&](Id condition) { is_read = b.apply(Op::and_, {is_read, condition}); };
  for (const IndexDigit& d : digits) {
    const Id step = b.constant(d.step), digit = d.step == 1 ? rest : b.apply(Op::div_, {rest, step});
    if (d.step != 1) rest = b.apply(Op::rem_, {rest, step});
    also(b.apply(Op::lt_, {digit, b.constant(d.extent)}));
    i = b.apply(Op::add_, {i, b.apply(Op::mul_, {digit, b.constant(d.of_i)})});
  }
  if (digits.empty() || digits.back().step != 1) also(b.apply(Op::eq_, {rest, zero}));
  also(b.apply(Op::lt_, {i, b.constant(n)}));
  return b.apply(Op::where_, {is_read, b.at(0, 0, type, i), b.literal(type, 0)});
}

// The same, summed over the looped digits.
Id sum_at(Builder& b, Type type, Id from, std::span<const IndexDigit> digits, std::span<const IndexDigit> looped, int64_t of_i, int64_t n) {
  if (looped.empty()) return element_at(b, type, from, digits, b.constant(of_i), n);
  Builder body;
  Id place = body.param(Type::I64, "o"), first = body.param(Type::I64, "from"), i = body.constant(of_i);
  int64_t count = 1;
  for (const IndexDigit& d : looped) {
    Id digit = count == 1 ? place : body.apply(Op::div_, {place, body.constant(count)});
    if (&d != &looped.back()) digit = body.apply(Op::rem_, {digit, body.constant(d.extent)});
    first = body.apply(Op::sub_, {first, body.apply(Op::mul_, {digit, body.constant(d.step)})});
    i = body.apply(Op::add_, {i, body.apply(Op::mul_, {digit, body.constant(d.of_i)})});
    count *= d.extent;
  }
  const FnRef value = body.finish({element_at(body, type, first, digits, i, n)});
  const Id none = b.literal(type, 0);
  return b.fold(b.constant(count), {&none, 1}, {&from, 1}, value, op_fn(Op::add_, type))[0];
}

}  // namespace

NodeRef transposed_view(const IndexView& given, const NodeRef& c, const NodeRef& x) {
  const Type type = c->types()[0];
  const int64_t n = c->length(), all = length_of(given.extents);
  IndexView index = given;
  if (x->length() == 0 || n == 0) return zeros_like(x, type);
  const NodeRef summed = all == n ? without_repeats(index, c, type) : c;
  int64_t offset = index.view.offset, of_i = 0;
  std::vector<IndexDigit> digits = digits_of(index, offset, of_i);
  const int64_t length = length_of(index.extents);
  const std::vector<IndexDigit> looped = take_overlapping(digits);
  if (looped.empty() && offset == 0 && length == x->length() && all == n) {  // each element is read once
    std::vector<int64_t> extents, strides;
    bool is_dense = true;
    for (int64_t below = 1; const IndexDigit& d : std::vector<IndexDigit>(digits.rbegin(), digits.rend())) {
      extents.insert(extents.begin(), d.extent), strides.insert(strides.begin(), d.of_i);
      is_dense = is_dense && d.step == below;
      below *= d.extent;
    }
    if (is_dense) {
      const std::vector<int64_t> flat{length};
      return over_domain_of(x, view_of(reshape(summed, flat), {of_i, strides}, extents));
    }
  }
  return computed(x, domain_of(x), {summed}, [&](Builder& b, Id j) {
    const Id from = b.apply(Op::sub_, {j, b.constant(offset)});
    return std::vector<Id>{sum_at(b, type, from, digits, looped, of_i, all == n ? length : n)};
  });
}

}  // namespace wf
