#include "cuda/window.h"

#include <algorithm>
#include <map>

#include "expr/range.h"
#include "expr/rewrite.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

bool is_digit(const Fn& fn, const Term& t, Op op) {
  const auto is_index = [&](Id id) { return fn[id].kind == Kind::Param && fn[id].slot == 0; };
  return is_op(t, op) && is_index(fn.args(t)[0]) && is_literal(fn[fn.args(t)[1]]);
}

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
    const bool is_row = is_digit(fn, t, Op::div_), is_column = is_digit(fn, t, Op::rem_);
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

// Operations whose results on integers of 64 bits are those on the same integers of 32 bits, if they fit.
bool is_narrow(Op op) {
  switch (op) {
    case Op::add_:
    case Op::sub_:
    case Op::mul_:
    case Op::div_:
    case Op::rem_:
    case Op::min_:
    case Op::max_:
    case Op::neg_:
    case Op::where_:
    case Op::eq_:
    case Op::ne_:
    case Op::lt_:
    case Op::le_:
    case Op::gt_:
    case Op::ge_: return true;
    default: return false;
  }
}

// Indices of at most this magnitude, and a constant more or less, fit into 32 bits.
constexpr int64_t most_magnitude = int64_t(1) << 30;

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

// A block's first column and row, and their bounds.
struct Place {
  Id x, y;
  Range columns, rows;
};

// Copies the body for an element of a block.
class ElementOfBlock : public Copy {
 public:
  ElementOfBlock(Builder& builder, const Fn& body, IndexSums& all, const Place& first, int64_t width_of_rows, int64_t right, int64_t below)
      : Copy(builder, body), sums(all), place(first), width(width_of_rows) {
    x = sums.add(first.x, to.constant(right));
    y = sums.add(first.y, to.constant(below));
    index = sums.add(sums.multiply(y, to.constant(width)), x);
  }
  std::vector<Id> results() { return copy_terms(*this, {&index, 1}); }

  Id apply(Id id, std::span<const Id> a) {
    const Term& t = from[id];
    if (to.type(a.back()) != Type::I64) return Copy::apply(id, a);
    const bool is_row = is_digit(from, t, Op::div_), is_column = is_digit(from, t, Op::rem_);
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
  // The bounds of a literal, or of a column or row and a constant.
  Range bounds(Id id) const {
    const IndexSums::Sum sum = sums.sum_of(id);
    const Wide constant = from_bits<int64_t>(sum.constant);
    if (sum.factors.empty()) return {constant, constant};
    const auto& [term, factor] = *sum.factors.begin();
    if (sum.factors.size() > 1 || factor != 1 || (term != place.x && term != place.y)) return {};
    const Range& of_term = term == place.x ? place.columns : place.rows;
    return {of_term.low + constant, of_term.high + constant};
  }

  IndexSums& sums;
  const Place& place;
  const int64_t width;
  Id x, y, index;
};

}  // namespace

std::optional<int64_t> neighbourhood_width(const Fn& fn) {
  constexpr int64_t shortest = 32, longest = INT32_MAX;
  constexpr int fewest = 3;  // reads
  std::optional<int64_t> width;
  for (const Term& t : fn.terms) {
    if (!is_digit(fn, t, Op::rem_)) continue;
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

bool choose_window(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form) {
  constexpr int64_t fewest = 1 << 18, lowest_rows = 16;  // fewer elements take less time than choosing this form
  if (n < fewest || n > most_magnitude || kernel.outputs.empty()) return false;
  const Fn& body = *kernel.body;
  const std::optional<int64_t> width = neighbourhood_width(body);
  if (!width || n % *width != 0 || n / *width < lowest_rows) return false;
  const Range index{0, n - 1}, fits{-most_magnitude, most_magnitude};
  const std::vector<Range> known = ranges(body, {&index, 1});
  bool in_range = true;
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    if (t.kind == Kind::Check || (t.type == Type::I64 && !known[id].is_in(fits))) return false;
    if (t.kind == Kind::Apply && (t.type == Type::I64 || body[body.args(t)[t.count - 1]].type == Type::I64) && !is_narrow(t.op))
      return false;
    if (t.kind == Kind::At) in_range = in_range && known[body.args(t)[0]].is_in({0, Wide(inputs[t.slot].length) - 1});
  }
  constexpr size_t most_terms = 3000;
  int high = 4, pack = 4;
  for (Type type : kernel.outputs) pack = std::min(pack, int(16 / size_of(type)));
  while (*width % pack != 0) pack /= 2;
  while (pack > 1 && size_t(high * pack) * body.terms.size() > most_terms) pack /= 2;
  while (high > 1 && size_t(high * pack) * body.terms.size() > most_terms) high /= 2;
  form.streams.clear();
  bool aligned = true;
  for (const InputView& input : inputs) aligned = aligned && input.address % 16 == 0;
  form.window = Window{*width, high, in_range, aligned};
  form.pack = pack;
  form.rows = high;
  return true;
}

FnRef body_of_block(const Fn& body, const Form& form, bool is_inner) {
  Builder builder;
  builder.reads_cannot_fail();
  const int64_t width = form.window->width;
  const Id x = builder.param(Type::I64, "x"), y = builder.param(Type::I64, "y");
  const int64_t border = is_inner ? form.pack : 0;
  const Place first{x, y, {border, width - form.pack - border}, {0, most_magnitude}};
  IndexSums sums(builder);
  std::vector<Id> results;
  for (int r = 0; r < form.window->high; r++)
    for (int p = 0; p < form.pack; p++)
      for (Id id : ElementOfBlock(builder, body, sums, first, width, p, r).results()) results.push_back(id);
  return builder.finish(results);
}

std::optional<PackRead> pack_read(const Fn& block, const Form& form, const Term& read) {
  const int64_t pack = form.pack;
  if (pack == 1 || !form.window->aligned || !form.window->in_range) return std::nullopt;
  PackRead found{block.args(read)[0], 0, 0};
  if (const Term& index = block[found.base]; is_op(index, Op::add_) && is_literal(block[block.args(index)[1]])) {
    found.offset = from_bits<int64_t>(block[block.args(index)[1]].bits);
    found.base = block.args(index)[0];
  }
  // The base is x and the begin of a row.
  const Term& sum = block[found.base];
  if (!is_op(sum, Op::add_)) return std::nullopt;
  const auto is_x = [&](Id id) { return block[id].kind == Kind::Param && block[id].slot == 0; };
  const Id a = block.args(sum)[0], b = block.args(sum)[1], row = is_x(a) ? b : a;
  if ((!is_x(a) && !is_x(b)) || !is_op(block[row], Op::mul_) || !is_literal(block[block.args(row)[1]])) return std::nullopt;
  const auto length = from_bits<int64_t>(block[block.args(row)[1]].bits);
  if (length < form.window->width || length % pack != 0) return std::nullopt;
  // Elements at borders read as far in these rows as the packs of inner blocks do.
  const int64_t column = ((found.offset + pack) % length + length) % length - pack;
  if (column >= 2 * pack) return std::nullopt;
  found.place = int((column + pack) % pack);
  found.offset -= found.place;
  return found;
}

std::shared_ptr<const Kernel> unrolled_window(const Kernel& kernel) {
  constexpr size_t most_terms = 1000;
  const bool is_map =
      !kernel.has_scan() && kernel.compactions.empty() && kernel.reductions.empty() && !kernel.finish && kernel.elements.empty();
  const bool has_columns = std::ranges::any_of(kernel.body->terms, [&](const Term& t) { return is_digit(*kernel.body, t, Op::rem_); });
  if (!is_map || !has_columns) return nullptr;
  auto unrolled = std::make_shared<Kernel>(kernel);
  unrolled->body = unroll_folds(kernel.body, most_terms);
  return unrolled->body && neighbourhood_width(*unrolled->body) ? unrolled : nullptr;
}

}  // namespace wf::cuda
