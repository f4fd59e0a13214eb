// The rows pass joins a kernel over rows and the kernel over their elements:
//
//   rows       r[i] = folds over $0[i * m], ..., $0[i * m + m - 1]             for i in [0, n)
//   elements   y[k] = f(k, $0[k], r[k / m])                                    for k in [0, n * m)
//
// The joint kernel (RowElements in kernel.h) can compute both while the row is in a cache: it reads $0 once instead of twice, or three times
// if the folds depend on each other. Softmax, layer norm, and rows divided by their sums have this form.
//
// The second kernel reads the results of the first one at k / m alone, and stores without any condition. A row of more than `longest`
// elements fits into no cache, and few rows do not occupy a machine.
#include <algorithm>
#include <optional>

#include "expr/guard.h"
#include "expr/numbering.h"
#include "expr/rewrite.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr int64_t shortest = 8, longest = int64_t(1) << 15, fewest_rows = 64;

bool only_stores(const Step& step) {
  const Kernel& k = step.kernel;
  return !step.call && step.domain.filter == no_vertex && k.scan.empty() && k.compactions.empty() && k.reductions.empty() && !k.finish &&
         k.elements.empty() && !k.stores.empty() && !has_foreign(k);
}

// Returns true if a fold of the function makes `count` steps.
bool folds(const Fn& fn, int64_t count) {
  return std::ranges::any_of(fn.terms, [&](const Term& t) {
    return t.kind == Kind::Fold && is_literal(fn[fn.args(t)[0]]) && from_bits<int64_t>(fn[fn.args(t)[0]].bits) == count;
  });
}

// The column whose memory this one has.
ColumnRef memory_of(const Plan& plan, ColumnRef column) {
  for (ColumnAlias alias = plan.alias(column); alias.exists() && alias.offset == 0; alias = plan.alias(column)) column = alias.source;
  return column;
}
bool is_same(ColumnRef a, ColumnRef b) { return a.vertex == b.vertex && a.column == b.column; }

// The joint kernel under construction.
class Join {
 public:
  Join(const Plan& plan, const Step& rows, const Step& elements) : plan_(plan), rows_(rows), elements_(elements) {}

  std::optional<Step> run() {
    if (!only_stores(rows_) || !only_stores(elements_)) return std::nullopt;
    const int64_t n = rows_.domain.n;
    if (n < fewest_rows || elements_.domain.n % n != 0) return std::nullopt;
    count_ = elements_.domain.n / n;
    if (count_ < shortest || count_ > longest || !folds(*rows_.kernel.body, count_) || !elements_.kernel.body->loops.empty())
      return std::nullopt;
    if (!find_inputs() || !reads_rows_at_their_elements()) return std::nullopt;
    const FnRef value = make_value();
    if (has_checks(*value)) return std::nullopt;
    return join(value);
  }

 private:
  // The result of the rows' kernel that is this column, or nothing.
  std::optional<uint32_t> row_value(ColumnRef column) const {
    for (const StoredColumn& stored : rows_.stored)
      if (is_same(stored.target, column) && stored.origin == StoredColumn::Output)
        return std::ranges::find(rows_.kernel.stores, stored.index, &Store::output)->value;
    return std::nullopt;
  }

  // Divides the inputs of the elements' kernel into results of the rows' and inputs of the joint kernel. Returns false if it reads no result,
  // or if the kernels read no sequence in common.
  bool find_inputs() {
    sources_ = rows_.sources;
    inputs_ = rows_.kernel.inputs;
    bool shares = false, depends = false;
    for (uint32_t k = 0; k < elements_.sources.size(); k++) {
      const ColumnRef source = memory_of(plan_, elements_.sources[k]);
      row_values_.push_back(row_value(source));
      depends = depends || row_values_[k];
      auto known = std::ranges::find_if(sources_, [&](ColumnRef other) { return is_same(memory_of(plan_, other), source); });
      slots_.push_back(uint32_t(known - sources_.begin()));
      shares = shares || (!row_values_[k] && slots_[k] < rows_.sources.size());
      if (row_values_[k] || known != sources_.end()) continue;
      sources_.push_back(elements_.sources[k]);
      inputs_.push_back(elements_.kernel.inputs[k]);
    }
    return depends && shares;
  }

  bool reads_rows_at_their_elements() const {
    const Fn& body = *elements_.kernel.body;
    return std::ranges::all_of(body.terms,
                               [&](const Term& t) { return t.kind != Kind::At || !row_values_[t.slot] || is_row(body, body.args(t)[0]); });
  }

  // Returns true if the index is i / count.
  bool is_row(const Fn& fn, Id index) const {
    while (fn[index].kind == Kind::Check) index = fn.args(index)[0];
    if (!is_op(fn[index], Op::div_)) return false;
    const Term &number = fn[fn.args(index)[0]], &divisor = fn[fn.args(index)[1]];
    return number.kind == Kind::Param && number.slot == 0 && is_literal(divisor) && from_bits<int64_t>(divisor.bits) == count_;
  }

  // The elements' body with parameters instead of its reads of rows.
  FnRef make_value() {
    struct Value : Copy {
      Value(Join& join, Builder& to, const Fn& from) : Copy(to, from), join(join) {}
      Join& join;

      Id argument(Id id) { return to.argument(from[id].slot + join.rows_.kernel.arguments, from[id].type); }
      Id at(Id id, Id index) {
        const Term& t = from[id];
        const auto value = join.row_values_[t.slot];
        return value ? join.params_[join.row_.add(*value).first] : to.at(join.slots_[t.slot], 0, t.type, index);
      }
    };
    const Fn& body = *elements_.kernel.body;
    Builder b;
    b.reads_cannot_fail();
    b.params_cannot_fail();
    const Id number = b.param(Type::I64, "i");
    for (const Term& t : body.terms)
      if (t.kind == Kind::At && row_values_[t.slot] && row_.add(*row_values_[t.slot]).second) params_.push_back(b.param(t.type));
    Value copy(*this, b, body);
    return b.finish(copy_terms(copy, {&number, 1}));
  }

  Step join(const FnRef& value) {
    Step step = rows_;
    Kernel& kernel = step.kernel;
    step.level = elements_.level;
    step.inlined += elements_.inlined;
    step.sources = sources_;
    step.arguments.insert(step.arguments.end(), elements_.arguments.begin(), elements_.arguments.end());
    kernel.inputs = inputs_;
    kernel.arguments += elements_.kernel.arguments;
    kernel.elements.push_back({count_, value, row_.all(), elements_.kernel.stores});
    const auto first = uint32_t(kernel.outputs.size());
    for (Store& s : kernel.elements[0].stores) s.output += first;
    kernel.outputs.insert(kernel.outputs.end(), elements_.kernel.outputs.begin(), elements_.kernel.outputs.end());
    for (StoredColumn stored : elements_.stored) {
      if (stored.origin == StoredColumn::Output) stored.index += first;
      step.stored.push_back(stored);
    }
    step.finished.insert(step.finished.end(), elements_.finished.begin(), elements_.finished.end());
    return step;
  }

  const Plan& plan_;
  const Step &rows_, &elements_;
  int64_t count_ = 0;
  std::vector<ColumnRef> sources_;
  std::vector<Input> inputs_;
  std::vector<std::optional<uint32_t>> row_values_;  // of each input of the elements' kernel
  std::vector<uint32_t> slots_;                      // its slot in the joint kernel, if it is no result of the rows'
  Numbering<uint32_t> row_;                          // results of the rows' kernel, in the order of params_
  std::vector<Id> params_;
};

bool finishes(const Step& step, VertexId v) { return std::ranges::find(step.finished, v, &Finished::vertex) != step.finished.end(); }

bool reads(const Step& step, VertexId v) {
  return std::ranges::find(step.sources, v, &ColumnRef::vertex) != step.sources.end() || step.domain.filter == v ||
         std::ranges::any_of(step.stored, [&](const StoredColumn& s) { return s.origin == StoredColumn::Alias && s.source.vertex == v; });
}

bool reads_result(const Step& reader, const Step& of) {
  return std::ranges::any_of(of.finished, [&](const Finished& f) { return reads(reader, f.vertex); });
}

// Removes the outputs of vertices that nothing needs any more.
void drop_unread(Plan& plan, Step& step) {
  std::vector<bool> is_kept(step.kernel.outputs.size());
  std::erase_if(step.finished, [&](const Finished& f) {
    const bool is_read =
        plan.vertices[f.vertex].demanded || std::ranges::any_of(plan.steps, [&](const auto& s) { return reads(*s, f.vertex); });
    if (!is_read) plan.vertices[f.vertex].placement = Placement::Inlined;
    return !is_read;
  });
  std::erase_if(step.stored, [&](const StoredColumn& s) { return !finishes(step, s.target.vertex); });
  for (const StoredColumn& s : step.stored)
    if (s.origin == StoredColumn::Output) is_kept[s.index] = true;
  std::vector<uint32_t> number(is_kept.size());
  std::vector<Type> outputs;
  for (uint32_t k = 0; k < is_kept.size(); k++) {
    number[k] = uint32_t(outputs.size());
    if (is_kept[k]) outputs.push_back(step.kernel.outputs[k]);
  }
  step.kernel.outputs = std::move(outputs);
  for (std::vector<Store>* stores : {&step.kernel.stores, &step.kernel.elements[0].stores}) {
    std::erase_if(*stores, [&](const Store& s) { return !is_kept[s.output]; });
    for (Store& s : *stores) s.output = number[s.output];
  }
  for (StoredColumn& s : step.stored)
    if (s.origin == StoredColumn::Output) s.index = number[s.index];
}

constexpr size_t no_step = ~size_t(0);

// The earlier steps whose results the step reads, the last one first.
std::vector<size_t> read_steps(const Step& step, const std::vector<size_t>& maker_of) {
  std::vector<size_t> makers;
  auto add = [&](VertexId v) {
    if (v != no_vertex && maker_of[v] != no_step) makers.push_back(maker_of[v]);
  };
  for (ColumnRef source : step.sources) add(source.vertex);
  add(step.domain.filter);
  for (const StoredColumn& s : step.stored)
    if (s.origin == StoredColumn::Alias) add(s.source.vertex);
  std::ranges::sort(makers, std::greater<>());
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  return makers;
}

// Joins the step with an earlier one, whose place it leaves empty.
void join_with_rows(Plan& plan, size_t reader, const std::vector<size_t>& maker_of) {
  for (size_t s : read_steps(*plan.steps[reader], maker_of)) {
    const Step& step = *plan.steps[s];
    if (!only_stores(step) || !has_folds(*step.kernel.body)) continue;
    for (size_t between = s + 1; between < reader; between++)
      if (plan.steps[between] && reads_result(*plan.steps[between], step)) return;
    std::optional<Step> joint = Join(plan, step, *plan.steps[reader]).run();
    if (!joint) continue;
    plan.steps[s] = nullptr;
    plan.steps[reader] = std::make_shared<Step>(std::move(*joint));
    return;
  }
}

}  // namespace

void pass_rows(Plan& plan) {
  const size_t before = plan.steps.size();
  if (before < 2) return;
  std::vector<size_t> maker_of(plan.vertices.size(), no_step);
  for (size_t s = 0; s < before; s++) {
    join_with_rows(plan, s, maker_of);
    for (const Finished& f : plan.steps[s]->finished) maker_of[f.vertex] = s;
  }
  Few<std::shared_ptr<Step>> steps;
  for (auto& step : plan.steps)
    if (step) steps.push_back(step);
  plan.steps = std::move(steps);
  if (plan.steps.size() == before) return;
  for (auto& step : plan.steps)
    if (!step->kernel.elements.empty()) drop_unread(plan, *step);
}

}  // namespace wf
