#include "cpu/reductions/selection.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "cpu/program/compile.h"
#include "expr/guards/guard.h"
#include "expr/range.h"
#include "expr/rewrite.h"

namespace wf::cpu {
namespace {

// The condition under which the right element is selected, as a term of the combining function or its negation.
struct Condition {
  Id term;
  bool negated;
};

std::optional<Condition> condition_of(const Fn& fn) {
  const auto m = uint32_t(fn.results.size());
  auto is_param = [&](Id id, uint32_t slot) { return fn[id].kind == Kind::Param && fn[id].slot == slot; };
  std::optional<Condition> all;
  for (uint32_t k = 0; k < m; k++) {
    const Term& result = fn[fn.results[k]];
    if (result.kind != Kind::Apply || result.op != Op::where_) return std::nullopt;
    const std::span<const Id> args = fn.args(result);
    const bool negated = is_param(args[1], k);
    if (!is_param(args[1], negated ? k : m + k) || !is_param(args[2], negated ? m + k : k)) return std::nullopt;
    if (all && (all->term != args[0] || all->negated != negated)) return std::nullopt;
    all = Condition{args[0], negated};
  }
  return all;
}

// Copies terms with the comparisons that the ranges of their operands decide as literals. For each bool, makes a simpler one that is true
// where it is true, and rarely elsewhere: equality and isnan rarely hold, so other conditions beside them are dropped.
struct Decided : Copy {
  Decided(Builder& to, const Fn& from, std::span<const Range> params)
      : Copy(to, from), known(ranges(from, params)), simpler(from.terms.size(), no_id) {}
  std::vector<Range> known;
  std::vector<Id> simpler;  // no_id: the copy itself

  Id possible(Id id) const { return simpler[id] == no_id ? here[id] : simpler[id]; }

  Id apply(Id id, std::span<const Id> x) {
    const Op op = from[id].op;
    if (from[id].type == Type::Bool && (op == Op::or_ || op == Op::and_)) {
      const Id a = possible(from.args(id)[0]), b = possible(from.args(id)[1]);
      simpler[id] = op == Op::or_ ? either(a, b) : rarely_holds(a) ? a : rarely_holds(b) ? b : to.apply(Op::and_, {a, b});
    }
    return decided(id, x);
  }

 private:
  bool is(Id id, Op op) const { return to[id].kind == Kind::Apply && to[id].op == op; }
  Id operand(Id id, size_t k) const { return to.so_far().args(id)[k]; }

  bool rarely_holds(Id id) const { return is(id, Op::eq_) || is(id, Op::isnan_); }

  Id either(Id x, Id y) {
    if (const Id joined = joined_in_order(x, y); joined != no_id) return joined;
    if (const Id joined = joined_in_order(y, x); joined != no_id) return joined;
    return to.apply(Op::or_, {x, y});
  }

  // a < b or a == b is a <= b; a <= b or isnan(b) holds only where b < a does not.
  Id joined_in_order(Id x, Id y) {
    if (is(x, Op::lt_) && is(y, Op::eq_)) {
      const Id a = operand(x, 0), b = operand(x, 1);
      const bool same = (operand(y, 0) == a && operand(y, 1) == b) || (operand(y, 0) == b && operand(y, 1) == a);
      if (same) return to.apply(Op::le_, {a, b});
    }
    if (is(x, Op::le_) && is(y, Op::isnan_) && operand(x, 1) == operand(y, 0))
      return to.apply(Op::not_, {to.apply(Op::lt_, {operand(x, 1), operand(x, 0)})});
    return no_id;
  }

  Id decided(Id id, std::span<const Id> x) {
    const Op op = from[id].op;
    const bool is_swapped = op == Op::gt_ || op == Op::le_, negates = op == Op::ge_ || op == Op::le_;
    if (!is_swapped && op != Op::lt_ && op != Op::ge_) return Copy::apply(id, x);
    const Range &a = known[from.args(id)[is_swapped]], &b = known[from.args(id)[!is_swapped]];
    if (!a.known() || !b.known() || (a.low < b.high && b.low <= a.high)) return Copy::apply(id, x);
    return to.literal(Type::Bool, (a.high < b.low) != negates);
  }
};

bool is_plain(const Fn& fn) { return fn.loops.empty() && fn.foreigns.empty() && !has_checks(fn); }

}  // namespace

Replacements replacements_of(const Kernel& kernel) {
  const bool only_reduces = !kernel.has_scan() && kernel.stores.empty() && kernel.compactions.empty() && kernel.elements.empty();
  if (!only_reduces || kernel.reductions.size() != 1 || kernel.reductions[0].mask != no_mask) return {};
  const Fn &combine = *kernel.reductions[0].combine, &body = *kernel.body;
  const std::optional<Condition> condition = condition_of(combine);
  if (!condition || !is_plain(combine) || !is_plain(body)) return {};
  Builder builder;
  const Id index = builder.param(Type::I64);
  std::vector<Id> both;
  std::vector<Range> params{{0, all_of(Type::I64).high}};
  CompileOptions options{.indexed = true, .repeated = {false}, .rows = true};
  for (size_t k = 0; k < combine.results.size(); k++) {
    both.push_back(builder.param(combine.params[k].type));
    params.push_back(all_of(builder.type(both[k])));
    options.repeated.push_back(true);
  }
  std::vector<Id> values = builder.inline_call(body, {&index, 1}), element;
  for (uint32_t value : kernel.reductions[0].values) element.push_back(values[value]);
  both.insert(both.end(), element.begin(), element.end());
  Fn test = combine;
  test.results = {condition->term};
  Id replaces = builder.inline_call(test, both)[0];
  if (condition->negated) replaces = builder.apply(Op::not_, {replaces});
  element.insert(element.begin(), replaces);
  const FnRef fused = builder.finish(element);
  Builder exact;
  std::vector<Id> same;
  for (const auto& param : fused->params) same.push_back(exact.param(param.type));
  Decided rules(exact, *fused, params);
  std::vector<Id> results = copy_terms(rules, same);
  const Id possible = rules.possible(fused->results[0]);
  const bool is_simpler = possible != results[0];
  results.insert(results.begin(), possible);
  const FnRef all = exact.finish(results);
  auto program_of = [&](std::vector<Id> chosen) {
    Fn f = *all;
    f.results = std::move(chosen);
    std::vector<uint32_t> early(f.results.size());
    std::iota(early.begin(), early.end(), 0u);
    options.early = early;
    return BlockProgram::compile(f, options);
  };
  return {program_of({all->results[1]}), is_simpler ? program_of({all->results[0]}) : nullptr, program_of(all->results)};
}

Selector::Selector(const Combine& combine, const Replacements& replacements)
    : combine_(combine),
      exact_(replacements.exact),
      element_(replacements.element),
      block_length_(std::min(replacements.exact->block(), replacements.element->block())),
      block_(make_reducer(combine)),
      tiles_(size_t(combine.columns())),
      both_(2 * tiles_.size()),
      lanes_{nullptr} {
  for (size_t k = 0; k < tiles_.size(); k++) lanes_.push_back(&both_[k]);
  if (replacements.possible) {
    possible_.emplace(replacements.possible);
    block_length_ = std::min(block_length_, replacements.possible->block());
  }
  for (uint32_t k = 0; k < tiles_.size(); k++) {
    exact_.bind_param(1 + k, &tiles_[k]);
    element_.bind_param(1 + k, &tiles_[k]);
    if (possible_) possible_->bind_param(1 + k, &tiles_[k]);
  }
}

void Selector::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  inputs_ = inputs, arguments_ = arguments;
  is_rest_bound_ = false;
  element_.bind_inputs(inputs, arguments);
}

// Binds the inputs of what native code needs for the last elements alone, which are perhaps none, and for bursts.
void Selector::bind_rest() {
  if (std::exchange(is_rest_bound_, true)) return;
  exact_.bind_inputs(inputs_, arguments_);
  if (possible_) possible_->bind_inputs(inputs_, arguments_);
  block_->bind_inputs(inputs_, arguments_);
}

void Selector::clear() {
  has_selected_ = contains_identity_ = false;
  unchecked_ = 0;
  after_burst_ = fewest_after_burst;
  ahead_ = fewest_ahead;
}

void Selector::begin_with_identity() {
  std::ranges::copy(combine_.identity, both_.begin());
  has_selected_ = contains_identity_ = true;
  is_placed_ = false;
}

// After a burst, some blocks are combined without a look at the condition; after the next, twice as many; and so on.
int64_t Selector::skip(int64_t begin, int64_t end) {
  constexpr int64_t burst = 256 * native::most_replaced;  // the elements of the longest one
  if (unchecked_ > 0) {
    unchecked_--;
    return 0;
  }
  native::Examined all{0, 0};
  if (!has_selected_) select(begin);  // the examination, which begins with the same element, changes nothing there
  while (begin + all.elements < end && all.replaced < native::most_replaced) {
    const native::Examined next = examine(begin + all.elements, end, all.replaced);
    all = {all.elements + next.elements, next.replaced};
  }
  if (all.replaced == native::most_replaced && all.elements <= burst) unchecked_ = after_burst_, after_burst_ *= 2;
  else after_burst_ = fewest_after_burst;
  return all.elements;
}

// Examines a part of the elements, in native code or up to the first that replaces the selected one. `replaced` elements have done so before.
native::Examined Selector::examine(int64_t begin, int64_t end, int64_t replaced) {
  const int64_t whole = element_.folds() ? (end - begin) / tile * tile : 0;
  if (whole > 0) {
    native::Examined examined{0, replaced};
    lanes_[0] = &examined;
    const bool at_once = whole <= block_length_ || element_.span(begin, whole) == whole;
    element_.run_folding(lanes_.data(), begin, at_once ? whole : block_length_);
    is_placed_ = is_placed_ && examined.replaced == replaced;
    return examined;
  }
  const int64_t length = std::min({ahead_, block_length_, end - begin}), at = first_replacing(begin, length);
  ahead_ = at == length ? 2 * length : fewest_ahead;
  if (at == length) return {length, replaced};
  select(begin + at);
  return {at + 1, replaced + 1};
}

// The number of elements before the first that replaces the selected one; `count` if none does.
int64_t Selector::first_replacing(int64_t begin, int64_t count) {
  bind_rest();
  place_selected();
  auto first_true = [&](Frame& test) {
    test.run(0, begin, count);
    const void* trues = test.result(0);
    const void* first = std::memchr(trues, 1, size_t(count));
    return first ? static_cast<const std::byte*>(first) - static_cast<const std::byte*>(trues) : count;
  };
  return possible_ && first_true(*possible_) == count ? count : first_true(exact_);
}

void Selector::select(int64_t at) {
  element_.run(0, at, 1);
  for (uint32_t k = 0; k < tiles_.size(); k++) both_[k] = read_bits(element_.result(2 + k), int64_t(size_of(combine_.types[k])));
  has_selected_ = true;
  is_placed_ = false;
}

// Binds the selected element to the parameters of the tests.
void Selector::place_selected() {
  if (is_placed_) return;
  for (size_t k = 0; k < tiles_.size(); k++) fill_tile(&tiles_[k], combine_.types[k], both_[k]);
  exact_.enter_row();
  if (possible_) possible_->enter_row();
  is_placed_ = true;
}

void Selector::add(std::span<const void* const> columns, int64_t count) {
  bind_rest();
  const size_t m = tiles_.size();
  const std::span<Bits64> selected = std::span(both_).first(m), next = std::span(both_).subspan(m);
  block_->clear();
  block_->add(columns, count);
  if (!block_->total(has_selected_ ? next : selected)) return;
  RangeFault none;
  if (has_selected_) combine_.one(both_, {}, selected, none);
  has_selected_ = true;
  is_placed_ = false;
}

void Selector::add_masked(std::span<const void* const> columns, const uint8_t* mask, int64_t count) {
  std::vector<const void*> chosen;
  const ColumnBlock kept(combine_.types, count);
  int64_t length = 0;
  for (int k = 0; k < kept.columns(); k++) {
    length = simd_tables().compresses.of_size(kept.size(k))(columns[size_t(k)], mask, count, kept.at(k));
    chosen.push_back(kept.at(k));
  }
  add(chosen, length);
}

bool Selector::total(std::span<Bits64> results) {
  if (has_selected_) std::copy_n(both_.begin(), tiles_.size(), results.begin());
  return has_selected_;
}

}  // namespace wf::cpu
