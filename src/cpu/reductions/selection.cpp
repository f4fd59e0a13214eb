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

// Copies terms with the comparisons that the ranges of their operands decide as literals.
struct Decided : Copy {
  Decided(Builder& to, const Fn& from, std::span<const Range> params) : Copy(to, from), known(ranges(from, params)) {}
  std::vector<Range> known;

  Id apply(Id id, std::span<const Id> x) {
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

std::shared_ptr<const BlockProgram> replacement_of(const Kernel& kernel) {
  const bool only_reduces = !kernel.has_scan() && kernel.stores.empty() && kernel.compactions.empty() && kernel.elements.empty();
  if (!only_reduces || kernel.reductions.size() != 1 || kernel.reductions[0].mask != no_mask) return nullptr;
  const Fn &combine = *kernel.reductions[0].combine, &body = *kernel.body;
  const std::optional<Condition> condition = condition_of(combine);
  if (!condition || !is_plain(combine) || !is_plain(body)) return nullptr;
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
  Builder simpler;
  std::vector<Id> same;
  for (const auto& param : fused->params) same.push_back(simpler.param(param.type));
  Decided rules(simpler, *fused, params);
  constexpr uint32_t early[] = {0};
  options.early = early;
  return BlockProgram::compile(*simpler.finish(copy_terms(rules, same)), options);
}

native::Epilogue replacement_epilogue() { return {{{0, Op::or_, Type::Bool}}, {false}}; }

Selector::Selector(const Combine& combine, std::shared_ptr<const BlockProgram> replacement)
    : combine_(combine),
      frame_(std::move(replacement)),
      block_(make_reducer(combine)),
      tiles_(size_t(combine.columns())),
      both_(2 * tiles_.size()) {
  for (uint32_t k = 0; k < tiles_.size(); k++) frame_.bind_param(1 + k, &tiles_[k]);
}

void Selector::bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) {
  frame_.bind_inputs(inputs, arguments);
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
  if (many > one && frame_.spans(begin, many / tile * tile)) {
    if (!any_replaces(begin, many)) {
      ahead_ *= 2;
      return many;
    }
    ahead_ = 1;
  }
  if (any_replaces(begin, one)) {
    unchecked_ = hits_++;
    ahead_ = 1;
    return 0;
  }
  hits_ = 0;
  ahead_ *= 2;
  return one;
}

bool Selector::any_replaces(int64_t begin, int64_t count) {
  const int64_t whole = frame_.folds() ? count / tile * tile : 0;
  if (whole > 0) {
    alignas(64) std::byte any[simd::fold_bytes] = {};
    void* const lanes = any;
    frame_.run_folding(&lanes, begin, whole);
    if (std::memchr(any, 1, sizeof any)) return true;
  }
  if (whole == count) return false;
  frame_.run(0, begin + whole, count - whole);
  return std::memchr(frame_.result(0), 1, size_t(count - whole)) != nullptr;
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
  frame_.enter_row();
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
