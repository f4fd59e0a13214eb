// The rows pass joins a kernel over rows and the kernel over their elements:
//
//   rows       r[i] = folds over $0[i * m], ..., $0[i * m + m - 1]             for i in [0, n)
//   elements   y[k] = f(k, $0[k], r[k / m])                                    for k in [0, n * m)
//
// The joint kernel (RowElements in kernel.h) can compute both while the row is in a cache: it reads $0 once instead of twice, or three times
// if the folds depend on each other. Softmax, layer norm, and rows divided by their sums have this form. Folds that read other folds of the same
// rows are joined with them first.
//
// The second kernel reads the results of the first one at k / m alone, and stores without any condition. A row of more than `longest`
// elements fits into no cache, and few rows do not occupy a machine.
#include <algorithm>
#include <optional>

#include "expr/guards/guard.h"
#include "expr/numbering.h"
#include "expr/rewrite.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr int64_t longest = int64_t(1) << 15, fewest_rows = 64;

bool only_stores(const Step& step) {
  return !step.call && step.domain.filter == no_vertex && only_stores(step.kernel) && !step.kernel.stores.empty() &&
         !has_foreign(step.kernel);
}

// Returns true if a fold of the function makes `count` steps.
bool folds(const Fn& fn, int64_t count) {
  return std::ranges::any_of(fn.terms, [&](const Term& t) {
    return t.kind == Kind::Fold && is_literal(fn[fn.args(t)[0]]) && from_bits<int64_t>(fn[fn.args(t)[0]].bits) == count;
  });
}

// Returns true if a step of a fold goes to another row of a matrix.
bool folds_columns(const Fn& fn) {
  return std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) {
    const Fn& value = *loop.body;
    return loop.is_fold() && std::ranges::any_of(value.terms, [&](const Term& t) {
             return is_op(t, Op::mul_) &&
                    std::ranges::any_of(value.args(t), [&](Id x) { return value[x].kind == Kind::Param && value[x].slot == 0; });
           });
  });
}

// The column whose memory this one has.
ColumnRef memory_of(const Plan& plan, ColumnRef column) {
  for (ColumnAlias alias = plan.alias(column); alias.exists() && alias.offset == 0; alias = plan.alias(column)) column = alias.source;
  return column;
}
bool is_same(ColumnRef a, ColumnRef b) { return a.vertex == b.vertex && a.column == b.column; }

// Two kernels that become one: the first one is over rows, the second one reads its results.
class Pair {
 public:
  Pair(const Plan& plan, const PlanOptions& options, const Step& rows, const Step& later)
      : plan_(plan), options_(options), rows_(rows), later_(later) {}

 protected:
  // The result of the rows' kernel that is this column, or nothing.
  std::optional<uint32_t> row_value(ColumnRef column) const {
    for (const StoredColumn& stored : rows_.stored)
      if (is_same(stored.target, column) && stored.origin == StoredColumn::Output)
        return std::ranges::find(rows_.kernel.stores, stored.index, &Store::output)->value;
    return std::nullopt;
  }

  // Divides the inputs of the later kernel into results of the rows' and inputs of the joint kernel. Returns false if it reads no result, or
  // the length of one, or if the kernels read no sequence in common.
  bool find_inputs() {
    sources_ = rows_.sources;
    inputs_ = rows_.kernel.inputs;
    bool shares = false, depends = false;
    for (uint32_t k = 0; k < later_.sources.size(); k++) {
      const ColumnRef source = memory_of(plan_, later_.sources[k]);
      row_values_.push_back(row_value(source));
      depends = depends || row_values_[k];
      auto known = std::ranges::find_if(sources_, [&](ColumnRef other) { return is_same(memory_of(plan_, other), source); });
      slots_.push_back(uint32_t(known - sources_.begin()));
      shares = shares || (!row_values_[k] && slots_[k] < rows_.sources.size());
      if (row_values_[k] || known != sources_.end()) continue;
      sources_.push_back(later_.sources[k]);
      inputs_.push_back(later_.kernel.inputs[k]);
    }
    return depends && shares && !measures_rows(*later_.kernel.body);
  }

  // The index of a row without checks that no row fails; the rows' results may be read through a view that is shorter.
  Id without_checks(const Fn& fn, Id index) const {
    while (fn[index].kind == Kind::Check) {
      const Term& length = fn[fn.args(index)[1]];
      if (!is_literal(length) || from_bits<int64_t>(length.bits) < rows_.domain.n) break;
      index = fn.args(index)[0];
    }
    return index;
  }

  bool measures_rows(const Fn& fn) const {
    return std::ranges::any_of(fn.terms, [&](const Term& t) { return t.kind == Kind::Length && row_values_[t.slot]; }) ||
           std::ranges::any_of(fn.loops, [&](const Fn::LoopInfo& l) { return measures_rows(*l.body); });
  }

  // The rows' step with the sources and arguments of both, and the later one's outputs and results, whose stores are still missing.
  Step joint() const {
    Step step = rows_;
    Kernel& kernel = step.kernel;
    step.level = later_.level;
    step.inlined += later_.inlined;
    step.sources = sources_;
    step.arguments.insert(step.arguments.end(), later_.arguments.begin(), later_.arguments.end());
    kernel.inputs = inputs_;
    kernel.arguments += later_.kernel.arguments;
    kernel.outputs.insert(kernel.outputs.end(), later_.kernel.outputs.begin(), later_.kernel.outputs.end());
    for (StoredColumn stored : later_.stored) {
      if (stored.origin == StoredColumn::Output) stored.index += uint32_t(rows_.kernel.outputs.size());
      step.stored.push_back(stored);
    }
    step.finished.insert(step.finished.end(), later_.finished.begin(), later_.finished.end());
    return step;
  }

  // Copies a function of the later kernel: its inputs and arguments are those of the joint kernel. The copy of a read of a row's result is
  // missing.
  struct CopyLater : Copy {
    CopyLater(const Pair& pair, Builder& to, const Fn& from) : Copy(to, from), pair(pair) {}
    const Pair& pair;
    Id argument(Id id) { return to.argument(from[id].slot + pair.rows_.kernel.arguments, from[id].type); }
    Id length(Id id) { return to.length(pair.slots_[from[id].slot]); }
    Id at(Id id, Id index) { return to.at(pair.slots_[from[id].slot], 0, from[id].type, index); }
  };

  const Plan& plan_;
  const PlanOptions& options_;
  const Step &rows_, &later_;
  std::vector<ColumnRef> sources_;
  std::vector<Input> inputs_;
  std::vector<std::optional<uint32_t>> row_values_;  // of each input of the later kernel
  std::vector<uint32_t> slots_;                      // its slot in the joint kernel, if it is no result of the rows'
};

// Rows and their elements.
class JoinElements : Pair {
 public:
  using Pair::Pair;

  std::optional<Step> run() {
    if (!only_stores(rows_) || !only_stores(later_)) return std::nullopt;
    const int64_t n = rows_.domain.n;
    if (n < fewest_rows || later_.domain.n % n != 0) return std::nullopt;
    count_ = later_.domain.n / n;
    if (count_ < options_.shortest_row || count_ > longest || !folds(*rows_.kernel.body, count_) || !later_.kernel.body->loops.empty())
      return std::nullopt;
    if (!find_inputs() || !reads_rows_at_their_elements()) return std::nullopt;
    const FnRef value = make_value();
    if (has_checks(*value)) return std::nullopt;
    return join(value);
  }

 private:
  bool reads_rows_at_their_elements() const {
    const Fn& body = *later_.kernel.body;
    return std::ranges::all_of(body.terms,
                               [&](const Term& t) { return t.kind != Kind::At || !row_values_[t.slot] || is_row(body, body.args(t)[0]); });
  }

  // Returns true if the index is i / count.
  bool is_row(const Fn& fn, Id index) const {
    index = without_checks(fn, index);
    if (!is_op(fn[index], Op::div_)) return false;
    const Term &number = fn[fn.args(index)[0]], &divisor = fn[fn.args(index)[1]];
    return number.kind == Kind::Param && number.slot == 0 && is_literal(divisor) && from_bits<int64_t>(divisor.bits) == count_;
  }

  // The elements' body with parameters instead of its reads of rows.
  FnRef make_value() {
    struct Value : CopyLater {
      Value(JoinElements& join, Builder& to, const Fn& from) : CopyLater(join, to, from), join(join) {}
      JoinElements& join;

      Id at(Id id, Id index) {
        const auto value = join.row_values_[from[id].slot];
        return value ? join.params_[join.row_.add(*value).first] : CopyLater::at(id, index);
      }
    };
    const Fn& body = *later_.kernel.body;
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
    Step step = joint();
    step.kernel.elements.push_back({count_, value, row_.all(), later_.kernel.stores});
    for (Store& s : step.kernel.elements[0].stores) s.output += uint32_t(rows_.kernel.outputs.size());
    return step;
  }

  int64_t count_ = 0;
  Numbering<uint32_t> row_;  // results of the rows' kernel, in the order of params_
  std::vector<Id> params_;
};

// Folds of rows, and folds of the same rows that depend on them: sums of powers of differences from a row's largest element or mean.
class JoinFolds : Pair {
 public:
  using Pair::Pair;

  std::optional<Step> run() {
    if (!only_stores(rows_) || !only_stores(later_)) return std::nullopt;
    if (!options_.columns && folds_columns(*rows_.kernel.body)) return std::nullopt;
    if (rows_.domain.n < fewest_rows || rows_.domain.n != later_.domain.n) return std::nullopt;
    const Fn& body = *later_.kernel.body;
    const bool same_rows = std::ranges::any_of(body.terms, [&](const Term& t) {
      if (t.kind != Kind::Fold || !is_literal(body[body.args(t)[0]])) return false;
      const auto count = from_bits<int64_t>(body[body.args(t)[0]].bits);
      return count >= options_.shortest_row && count <= longest && folds(*rows_.kernel.body, count);
    });
    if (!same_rows || !find_inputs() || !reads_own_rows(body, {true})) return std::nullopt;
    Builder b;
    b.reads_cannot_fail();
    b.params_cannot_fail();
    const Id number = b.param(Type::I64, "i");
    Copy first(b, *rows_.kernel.body);
    std::vector<Id> results = copy_terms(first, {&number, 1});
    Body second(*this, b, body, results);
    for (Id id : copy_terms(second, {&number, 1})) results.push_back(id);
    Step step = joint();
    for (Store s : later_.kernel.stores)
      step.kernel.stores.push_back(
          {s.value + uint32_t(rows_.kernel.body->results.size()), s.output + uint32_t(rows_.kernel.outputs.size())});
    step.kernel.body = b.finish(results);
    return step;
  }

 private:
  // Returns true if the function reads results of rows only at the row's own index, which these parameters are, and inside folds only if those
  // are not inside others.
  bool reads_own_rows(const Fn& fn, const std::vector<bool>& is_own) const {
    for (const Term& t : fn.terms) {
      const std::span<const Id> x = fn.args(t);
      if (t.kind == Kind::At && row_values_[t.slot]) {
        const Id index = without_checks(fn, x[0]);
        if (fn[index].kind != Kind::Param || fn[index].slot >= is_own.size() || !is_own[fn[index].slot]) return false;
      }
      if (t.kind != Kind::Loop && t.kind != Kind::Fold) continue;
      std::vector<bool> inside;
      if (t.kind == Kind::Fold && is_own.size() == 1) {
        inside.push_back(false);
        for (Id free : x.subspan(1)) inside.push_back(fn[free].kind == Kind::Param);
      }
      if (!reads_own_rows(*fn.loops[t.slot].body, inside)) return false;
    }
    return true;
  }

  // A function inside the later body. Instead of reading rows' results, it takes them as further parameters.
  struct Inside : CopyLater {
    Inside(const Pair& pair, Builder& to, const Fn& from, Numbering<uint32_t>& used)
        : CopyLater(pair, to, from), join(static_cast<const JoinFolds&>(pair)), used(used) {}
    const JoinFolds& join;
    Numbering<uint32_t>& used;
    std::vector<Id> params;
    Id at(Id id, Id index) {
      const auto value = join.row_values_[from[id].slot];
      return value ? params[used.add(*value).first] : CopyLater::at(id, index);
    }
    std::vector<Id> repeat(Id id, std::span<const Id> x) {
      return to.repeat(info(id).with([&](const FnRef& f) { return join.copied(*f); }), x);
    }
  };
  // Without reads of rows' results.
  FnRef copied(const Fn& f) const {
    Numbering<uint32_t> none;
    return copied(f, none);
  }
  FnRef copied(const Fn& f, Numbering<uint32_t>& used) const {
    Builder b;
    b.reads_cannot_fail();
    b.params_cannot_fail();
    Inside copy(*this, b, f, used);
    const std::vector<Id> args = copy_params(b, f);
    for (const Term& t : f.terms)
      if (t.kind == Kind::At && row_values_[t.slot] && used.add(*row_values_[t.slot]).second) copy.params.push_back(b.param(t.type));
    return b.finish(copy_terms(copy, args));
  }

  struct Body : CopyLater {
    Body(const JoinFolds& join, Builder& to, const Fn& from, const std::vector<Id>& results)
        : CopyLater(join, to, from), join(join), results(results) {}
    const JoinFolds& join;
    const std::vector<Id> results;  // of the rows' body
    Id at(Id id, Id index) {
      const auto value = join.row_values_[from[id].slot];
      return value ? results[*value] : CopyLater::at(id, index);
    }
    std::vector<Id> repeat(Id id, std::span<const Id> x) {
      Fn::LoopInfo inside = info(id);
      Numbering<uint32_t> used;
      inside.body = join.copied(*inside.body, used);
      if (inside.is_fold()) inside.combine = join.copied(*inside.combine);
      std::vector<Id> operands(x.begin(), x.end());
      for (uint32_t value : used.all()) operands.push_back(results[value]);
      return to.repeat(inside, operands);
    }
  };
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
  auto keep = [&](std::vector<Store>& stores) {
    std::erase_if(stores, [&](const Store& s) { return !is_kept[s.output]; });
    for (Store& s : stores) s.output = number[s.output];
  };
  keep(step.kernel.stores);
  for (RowElements& elements : step.kernel.elements) keep(elements.stores);
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

// Joins the step with an earlier one, whose place it leaves empty. Returns true if it did.
bool join_with_rows(Plan& plan, const PlanOptions& options, size_t reader, const std::vector<size_t>& maker_of) {
  for (size_t s : read_steps(*plan.steps[reader], maker_of)) {
    if (!plan.steps[s]) continue;  // joined with another one
    const Step& step = *plan.steps[s];
    if (!only_stores(step) || !has_folds(*step.kernel.body)) continue;
    for (size_t between = s + 1; between < reader; between++)
      if (plan.steps[between] && reads_result(*plan.steps[between], step)) return false;
    std::optional<Step> joint = JoinElements(plan, options, step, *plan.steps[reader]).run();
    if (!joint) joint = JoinFolds(plan, options, step, *plan.steps[reader]).run();
    if (!joint) continue;
    plan.steps[s] = nullptr;
    plan.steps[reader] = std::make_shared<Step>(std::move(*joint));
    return true;
  }
  return false;
}

}  // namespace

void pass_rows(Plan& plan, const PlanOptions& options) {
  const size_t before = plan.steps.size();
  if (before < 2) return;
  std::vector<size_t> maker_of(plan.vertices.size(), no_step);
  std::vector<bool> is_joint(before);
  for (size_t s = 0; s < before; s++) {
    while (join_with_rows(plan, options, s, maker_of)) is_joint[s] = true;
    for (const Finished& f : plan.steps[s]->finished) maker_of[f.vertex] = s;
  }
  Few<std::shared_ptr<Step>> steps, joint;
  for (size_t s = 0; s < before; s++) {
    if (plan.steps[s]) steps.push_back(plan.steps[s]);
    if (is_joint[s] && plan.steps[s]) joint.push_back(plan.steps[s]);
  }
  plan.steps = std::move(steps);
  for (auto& step : joint) drop_unread(plan, *step);
}

}  // namespace wf
