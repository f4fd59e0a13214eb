#include "cuda/window.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "cuda/strip.h"
#include "cuda/text/literals.h"
#include "expr/indices/neighbours.h"
#include "expr/recent.h"
#include "expr/rewrite.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

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
  const Id y;
  Id x, index;
};

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

FnRef body_of_strip(const Fn& body, const Window& window, int64_t pack) {
  return body_of_pack(body, window.width, pack, window.columns(pack), window.rows());
}

namespace {

// Returns true if the strips of these rows and columns read inputs alone, in range. Sets the elements to which all their rows are aligned.
bool strips_fit(const Fn& body, std::span<const InputView> inputs, int64_t height, Window& window) {
  const std::optional<Strip> strip = strip_of(*body_of_strip(body, window, 1));
  if (!strip) return false;
  const Range rows{window.margin, height - window.margin - 1}, columns = window.columns(1);
  const std::vector<Plane> all = planes(*strip->step);
  for (const Term& t : strip->step->terms) {
    if (t.kind != Kind::At) continue;
    const InputView& input = inputs[t.slot];
    const Plane& plane = all[strip->step->args(t)[0]];
    Range index{plane.constant, plane.constant};
    for (const auto& [factor, low, high] : {std::tuple(Wide(plane.x), columns.low, columns.high),
                                            std::tuple(Wide(plane.y), rows.low + strip->lag - strip->depth, rows.high + strip->lag)}) {
      index.low += std::min(factor * low, factor * high);
      index.high += std::max(factor * low, factor * high);
    }
    if (!index.is_in({0, Wide(input.length) - 1})) return false;
    if (plane.y == 0) continue;
    if (plane.x != 1 || input.address % 16 != 0 || input.length % plane.y != 0) window.alignment = 1;
    window.alignment = std::gcd(window.alignment, std::abs(plane.y));
  }
  return true;
}

// The rows of a strip: few enough for all multiprocessors.
int64_t rows_of_strips(int64_t n, int64_t pack) {
  constexpr int64_t highest = 128, lowest = 16, threads = int64_t(1) << 17;
  int64_t high = highest;
  while (high > lowest && n / (pack * high) < threads) high /= 2;
  return high;
}

std::optional<Window> find_window(const Kernel& kernel, int64_t width, std::span<const InputView> inputs, int64_t n) {
  const Fn& body = *kernel.body;
  const Range index{0, n - 1}, fits{-most_magnitude, most_magnitude};
  const std::vector<Range> known = ranges(body, {&index, 1});
  for (Id id = 0; id < body.terms.size(); id++) {
    const Term& t = body[id];
    if (t.kind == Kind::Check || (t.type == Type::I64 && !known[id].is_in(fits))) return std::nullopt;
    if (t.kind == Kind::Apply && (t.type == Type::I64 || body[body.args(t)[t.count - 1]].type == Type::I64) && !is_narrow(t.op))
      return std::nullopt;
    if (t.kind == Kind::At && !known[body.args(t)[0]].is_in({0, Wide(inputs[t.slot].length) - 1})) return std::nullopt;
  }
  size_t widest = 1;
  for (Type type : kernel.outputs) widest = std::max(widest, size_of(type));
  const auto pack = int64_t(std::min<size_t>(16, 32 / widest));
  const int64_t height = n / width;
  for (int64_t margin : {0, 1, 2, 4, 8}) {
    Window window{width, margin > 0 ? height : 0, margin, rows_of_strips(n, pack), pack, pack};
    if (window.packs() < 1 || height - 2 * margin < window.high) break;
    if (strips_fit(body, inputs, height, window)) return window;
  }
  return std::nullopt;
}

// Everything on which a window depends.
struct Question {
  Kernel kernel;
  std::vector<Bits64> in_text;  // literals of the text, as those of indices
  std::vector<int64_t> inputs;  // n, and the lengths and alignments
  bool operator==(const Question& other) const {
    return in_text == other.in_text && inputs == other.inputs && same_structure(kernel, other.kernel, false);
  }
};

std::optional<Window> known_window(const Kernel& kernel, int64_t width, std::span<const InputView> inputs, int64_t n) {
  constexpr size_t most = 64;
  static auto& known = *new Recent<Question, std::optional<Window>>(most);  // never destroyed: threads may still run while the process ends
  Question question{kernel, literals_of(kernel).in_text, {n}};
  for (const InputView& input : inputs) {
    question.inputs.push_back(input.length);
    question.inputs.push_back(int64_t(input.address % 16));
  }
  Hash hash;
  hash(structure_hash(kernel, false));
  hash(question.in_text);
  hash(question.inputs);
  if (const auto found = known.find(hash.value, question)) return *found;
  const std::optional<Window> window = find_window(kernel, width, inputs, n);
  known.keep(hash.value, std::move(question), window);
  return window;
}

}  // namespace

bool choose_window(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form) {
  constexpr int64_t fewest = 1 << 18;  // fewer elements take less time than choosing this form
  if (n < fewest || n > most_magnitude || kernel.outputs.empty()) return false;
  const std::optional<int64_t> width = neighbourhood_width(*kernel.body);
  if (!width || n % *width != 0) return false;
  form.window = known_window(kernel, *width, inputs, n);
  if (!form.window) return false;
  form.pack = int(form.window->pack);
  form.rows = int(form.window->high);
  return true;
}

std::shared_ptr<const Kernel> unrolled_window(const Kernel& kernel) {
  constexpr size_t most_terms = 1000;
  const bool is_map =
      !kernel.has_scan() && kernel.compactions.empty() && kernel.reductions.empty() && !kernel.finish && kernel.elements.empty();
  const bool has_columns =
      std::ranges::any_of(kernel.body->terms, [&](const Term& t) { return is_digit_of_index(*kernel.body, t, Op::rem_); });
  if (!is_map || !has_columns) return nullptr;
  auto unrolled = std::make_shared<Kernel>(kernel);
  unrolled->body = unroll_folds(kernel.body, most_terms);
  return unrolled->body && neighbourhood_width(*unrolled->body) ? unrolled : nullptr;
}

}  // namespace wf::cuda
