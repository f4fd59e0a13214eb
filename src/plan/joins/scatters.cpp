// The scatters pass joins a kernel that computes indices with the scatter at these:
//
//   kernel    k[i] = f(i), v[i] = g(i)                                  for i in [0, n)
//   scatter   r = base, then r[k[i]] = r[k[i]] op v[i]                  for i in [0, n)
//
// The joint kernel combines each value with the element at its index, and stores neither. The kernel stores nothing else, and nothing else
// reads them. The values may be equal to one value, a literal or an element of an input, that another kernel would have stored, or they are
// the ones of a histogram.
//
// For engines that only scatter in routines, values that are equal to the first element of an input are not stored: the routine reads that one.
#include <algorithm>
#include <optional>

#include "expr/fn.h"
#include "plan/plan.h"

namespace wf {
namespace {

// A routine combines into fewer elements in tables, which fit into the shared memory of a GPU's multiprocessor.
constexpr int64_t fewest_scattered_into = int64_t(1) << 15;

bool only_stores_results(const Step& step) {
  return !step.call && only_stores(step.kernel) && !has_folds(step.kernel) && !has_foreign(step.kernel);
}

// A value that many elements have: a literal's bits, an argument, or the element of a column at the index of these bits.
struct OneValue {
  Bits64 bits;
  std::optional<ColumnRef> source;
  std::optional<ArgumentRef> argument = {};
};

class ScatterJoiner {
 public:
  explicit ScatterJoiner(Plan& plan) : plan_(plan) {}

  // Lets the scatter of step s read one value, if it is that of all its indices. Returns the number of steps before s that are gone.
  size_t take_one_value(size_t s) {
    Step& scatter = *plan_.steps[s];
    if (!scatter.call || scatter.call->routine.kind != Routine::Scatter || scatter.call->types.size() != 1 || scatter.sources.size() != 3)
      return 0;
    const VertexId values = scatter.sources[2].vertex;
    const auto at = step_of(s, values);
    const std::optional<OneValue> one = at && is_private(values) ? one_value_of(*at, values) : std::nullopt;
    if (!one || !one->source || one->bits != 0 || plan_.steps[*at]->finished.size() != 1) return 0;
    scatter.call->one_value = true;
    scatter.sources[2] = *one->source;
    inline_vertex(values);
    remove({*at});
    return 1;
  }

  // Joins the scatter of step s with the kernel of its indices, if possible. Returns the number of steps before s that are gone.
  size_t join(size_t s) {
    const Step& scatter = *plan_.steps[s];
    if (!is_candidate(scatter)) return 0;
    const VertexId indices = scatter.sources[1].vertex;
    const VertexId values = scatter.sources.size() > 2 ? scatter.sources[2].vertex : no_vertex;
    const auto at = step_of(s, indices);
    if (!at || !only_stores_results(*plan_.steps[*at]) || !is_private(indices)) return 0;
    const Step& kernel = *plan_.steps[*at];
    const auto is_scattered = [&](const Finished& f) { return f.vertex == indices || (f.vertex == values && is_private(values)); };
    if (!std::ranges::all_of(kernel.finished, is_scattered)) return 0;

    const std::optional<uint32_t> index = result_of(kernel, indices);
    const std::optional<uint32_t> value = values == no_vertex ? std::nullopt : result_of(kernel, values);
    const auto constant_at = value || values == no_vertex ? std::nullopt : step_of(s, values);
    const std::optional<OneValue> one = values == no_vertex ? OneValue{to_bits(int64_t(1)), {}}
                                        : constant_at       ? one_value_of(*constant_at, values)
                                                            : std::nullopt;
    if (!index || (!value && !one)) return 0;

    std::vector<size_t> gone{*at};
    if (constant_at && plan_.steps[*constant_at]->finished.size() == 1 && is_private(values)) gone.push_back(*constant_at);
    plan_.steps[s] = std::make_shared<Step>(joint(kernel, scatter, *index, value, one));
    inline_vertex(indices);
    if (value || gone.size() > 1) inline_vertex(values);
    remove(gone);
    return gone.size();
  }

 private:
  static bool is_candidate(const Step& step) {
    if (!step.call || step.call->routine.kind != Routine::Scatter || step.call->types.size() != 1) return false;
    if (step.call->routine.checks || step.call->routine.replaces) return false;
    return !is_in(step.call->types[0], Float) && step.domain.filter == no_vertex && step.domain.n >= fewest_scattered_into;
  }

  // The step before s that stores the vertex.
  std::optional<size_t> step_of(size_t s, VertexId v) const {
    for (size_t k = 0; k < s; k++)
      if (std::ranges::find(plan_.steps[k]->finished, v, &Finished::vertex) != plan_.steps[k]->finished.end()) return k;
    return std::nullopt;
  }

  // Returns true if one step reads the vertex, once, and nobody demands it.
  bool is_private(VertexId v) const {
    int64_t uses = 0;
    for (const auto& step : plan_.steps) {
      uses += std::ranges::count(step->sources, v, &ColumnRef::vertex) + (step->domain.filter == v);
      for (const StoredColumn& c : step->stored) uses += c.origin == StoredColumn::Alias && c.source.vertex == v;
    }
    return uses == 1 && !plan_.vertices[v].demanded && plan_.vertices[v].types.size() == 1;
  }

  // The number of the result of the body that the kernel stores as the vertex.
  static std::optional<uint32_t> result_of(const Step& step, VertexId v) {
    for (const StoredColumn& c : step.stored)
      if (c.target.vertex == v && c.origin == StoredColumn::Output && c.compaction == ~0u)
        return std::ranges::find(step.kernel.stores, c.index, &Store::output)->value;
    return std::nullopt;
  }

  // The value of all elements of the vertex, if the step's kernel stores one value in all of them.
  std::optional<OneValue> one_value_of(size_t k, VertexId v) const {
    const Step& step = *plan_.steps[k];
    if (!only_stores_results(step)) return std::nullopt;
    const std::optional<uint32_t> result = result_of(step, v);
    if (!result) return std::nullopt;
    const Fn& body = *step.kernel.body;
    const Term& term = body[body.results[*result]];
    if (term.kind == Kind::Literal) return OneValue{term.bits, std::nullopt};
    if (term.kind == Kind::Argument) return OneValue{0, std::nullopt, step.arguments[term.slot]};
    if (term.kind != Kind::At || body[body.args(term)[0]].kind != Kind::Literal) return std::nullopt;
    return OneValue{body[body.args(term)[0]].bits, step.sources[term.slot]};
  }

  static Step joint(const Step& kernel, const Step& scatter, uint32_t index, std::optional<uint32_t> value, std::optional<OneValue> one) {
    Step step = kernel;
    step.level = scatter.level;
    step.stored = scatter.stored;
    step.finished = scatter.finished;
    const RoutineCall& call = *scatter.call;
    Builder b;
    b.reads_cannot_fail();
    b.params_cannot_fail();
    const std::vector<Id> args{b.param(Type::I64, "i")}, results = b.inline_call(*kernel.kernel.body, args);
    const Type type = call.types[0];
    Id x{};
    if (value) {
      x = results[*value];
    } else if (one->source) {
      x = b.at(uint32_t(step.kernel.inputs.size()), 0, type, b.literal(Type::I64, one->bits));
      step.kernel.inputs.push_back({type});
      step.sources.push_back(*one->source);
    } else if (one->argument) {
      x = b.argument(step.kernel.arguments++, type);
      step.arguments.push_back(*one->argument);
    } else {
      x = b.literal(type, one->bits);
    }
    step.kernel.body = b.finish({results[index], x});
    step.kernel.stores.clear();
    step.kernel.outputs = {type};
    step.kernel.scatters = {{call.fn ? *column_op(*call.fn, 0) : Op::add_, 0, 1, uint32_t(step.kernel.inputs.size()), 0}};
    step.kernel.inputs.push_back({type});
    step.sources.push_back(scatter.sources[0]);
    return step;
  }

  void remove(const std::vector<size_t>& gone) {
    Few<std::shared_ptr<Step>> left;
    for (size_t k = 0; k < plan_.steps.size(); k++)
      if (std::ranges::find(gone, k) == gone.end()) left.push_back(plan_.steps[k]);
    plan_.steps = std::move(left);
  }

  void inline_vertex(VertexId v) {
    plan_.vertices[v].placement = Placement::Inlined;
    plan_.vertices[v].reason = Reason::None;
  }

  Plan& plan_;
};

}  // namespace

void pass_scatters(Plan& plan, const PlanOptions&) {
  ScatterJoiner joiner(plan);
  for (size_t s = 0; s < plan.steps.size(); s++) s -= joiner.join(s);
}

void pass_one_values(Plan& plan, const PlanOptions&) {
  ScatterJoiner joiner(plan);
  for (size_t s = 0; s < plan.steps.size(); s++) s -= joiner.take_one_value(s);
}

}  // namespace wf
