#include "cpu/reductions/selection.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cpu/program/compile.h"
#include "expr/guard.h"
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

// Copies terms with the comparisons that the ranges of their operands decide as literals. For each bool, makes a simpler one that is true where it
// is true, and rarely elsewhere: equality and isnan rarely hold, so other conditions beside them are dropped.
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
  const std::vector<Id> values = builder.inline_call(body, {&index, 1});
  for (uint32_t value : kernel.reductions[0].values) both.push_back(values[value]);
  Fn test = combine;
  test.results = {condition->term};
  Id replaces = builder.inline_call(test, both)[0];
  if (condition->negated) replaces = builder.apply(Op::not_, {replaces});
  const FnRef fused = builder.finish({replaces});
  Builder exact;
  std::vector<Id> same;
  for (const auto& param : fused->params) same.push_back(exact.param(param.type));
  Decided rules(exact, *fused, params);
  const std::vector<Id> results = copy_terms(rules, same);
  const Id possible = rules.possible(fused->results[0]);
  constexpr uint32_t early[] = {0};
  options.early = early;
  if (possible == results[0]) return {BlockProgram::compile(*exact.finish(results), options)};
  const FnRef both_tests = exact.finish({results[0], possible});
  auto program_of = [&](size_t k) {
    Fn test = *both_tests;
    test.results = {both_tests->results[k]};
    return BlockProgram::compile(test, options);
  };
  return {program_of(0), program_of(1)};
}

native::Epilogue replacement_epilogue() { return {{{0, Op::or_, Type::Bool}}, {false}}; }

Selector::Selector(const Combine& combine, const Replacements& replacements)
    : combine_(combine), block_(make_reducer(combine)), tiles_(size_t(combine.columns())), both_(2 * tiles_.size()) {
  for (const auto& program : replacements) {
    tests_.emplace_back(program);
    blocks_.push_back(program->block());
  }
  for (Frame& test : tests_)
    for (uint32_t k = 0; k < tiles_.size(); k++) test.bind_param(1 + k, &tiles_[k]);
}

void Selector::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  for (Frame& test : tests_) test.bind_inputs(inputs, arguments);
  block_->bind_inputs(inputs, arguments);
}

void Selector::clear() {
  has_selected_ = false;
  hits_ = unchecked_ = 0;
  ahead_ = 1;
}

// After several blocks in a row that replaced the selected element, as many are combined without a look at the condition. After blocks that did
// not, twice as many are examined at once.
int64_t Selector::skip(int64_t begin, int64_t end, int64_t block) {
  if (!has_selected_) return 0;
  if (unchecked_ > 0) {
    unchecked_--;
    return 0;
  }
  const int64_t one = std::min(block, end - begin), many = std::min(ahead_ * block, end - begin);
  if (many > one && tests_.back().spans(begin, many / tile * tile)) {
    if (!any(tests_.size() - 1, begin, many)) {
      hits_ = 0;
      ahead_ *= 2;
      return many;
    }
    ahead_ = 1;
  }
  if (any(0, begin, one)) {
    unchecked_ = hits_++;
    ahead_ = 1;
    return 0;
  }
  hits_ = 0;
  ahead_ *= 2;
  return one;
}

bool Selector::any(size_t k, int64_t begin, int64_t count) {
  Frame& test = tests_[k];
  for (int64_t at = begin, end = begin + count; at < end;) {
    const int64_t whole = test.folds() ? (end - at) / tile * tile : 0;
    int64_t length = std::min(blocks_[k], end - at);
    if (whole > 0) {
      length = whole <= blocks_[k] || test.spans(at, whole) ? whole : blocks_[k];
      alignas(64) std::byte trues[simd::fold_bytes] = {};
      void* const lanes = trues;
      test.run_folding(&lanes, at, length);
      if (std::memchr(trues, 1, sizeof trues)) return true;
    } else {
      test.run(0, at, length);
      if (std::memchr(test.result(0), 1, size_t(length))) return true;
    }
    at += length;
  }
  return false;
}

void Selector::add(std::span<const void* const> columns, int64_t count) {
  const size_t m = tiles_.size();
  const std::span<Bits64> selected = std::span(both_).first(m), next = std::span(both_).subspan(m);
  block_->clear();
  block_->add(columns, count);
  if (!block_->total(has_selected_ ? next : selected)) return;
  RangeFault none;
  if (has_selected_) combine_.one(both_, {}, selected, none);
  has_selected_ = true;
  for (size_t k = 0; k < m; k++) fill_tile(&tiles_[k], combine_.types[k], selected[k]);
  for (Frame& test : tests_) test.enter_row();
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
