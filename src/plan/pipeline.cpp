// The passes of the planner, in order.
#include <algorithm>

#include "expr/of_thread.h"
#include "expr/stack.h"
#include "memory/buffer.h"
#include "plan/plan.h"

namespace wf {

Graph make_graph(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Graph graph;
  pass_graph(graph, demanded, options);
  return graph;
}

bool make_small_graph(Graph& graph, std::span<const NodeRef> demanded, const PlanOptions& options) {
  return pass_graph(graph, demanded, options, largest_kept_graph);
}

namespace {

void run_passes(Plan& plan, const PlanOptions& options) {
#define PASS(name, fact) pass_##name(plan, options);
#define OPTIONAL(name, fact) \
  if (options.name) pass_##name(plan, options);
#define OPTION(name, fact)
#include "plan/passes.def"
  find_lengths(plan);
  find_last_uses(plan);
  find_computed(plan);
  if (options.verify) pass_verify(plan);
}

// Marks the vertices that inline a shared one.
std::vector<bool> with_shared(const Plan& plan) {
  std::vector<bool> found(plan.vertices.size());
  for (VertexId id = 0; id < plan.vertices.size(); id++)
    found[id] = std::ranges::any_of(plan.vertices[id].inputs,
                                    [&](VertexId u) { return !plan.vertices[u].is_stored() && (plan.vertices[u].shared || found[u]); });
  return found;
}

// Returns true if the engine computes the shared vertices that the step inlines about once per element.
bool is_accepted(const Plan& plan, const Step& step, SharesNeighbours shares_neighbours) {
  const bool is_known = step.domain.filter == no_vertex && std::ranges::all_of(step.lengths, [](int64_t length) { return length >= 0; });
  return is_known && shares_neighbours(with_values(step.kernel, argument_values(plan, step)), step.lengths, step.domain.n);
}

// If the engine does not accept a step that inlines shared vertices, they are stored.
Plan with_neighbours_shared(const Graph& graph, PlanOptions options) {
  Plan plan(graph);
  run_passes(plan, options);
  if (std::ranges::none_of(plan.vertices, &Vertex::shared)) return plan;
  const std::vector<bool> found = with_shared(plan);
  const bool is_refused = std::ranges::any_of(plan.steps, [&](const std::shared_ptr<Step>& step) {
    return std::ranges::any_of(step->finished, [&](const Finished& f) { return found[f.vertex]; }) &&
           !is_accepted(plan, *step, options.shares_neighbours);
  });
  if (!is_refused) return plan;
  plan = Plan(graph);
  options.shares_neighbours = nullptr;
  run_passes(plan, options);
  return plan;
}

// The plan of a graph whose steps are not known.
Plan new_plan(const Graph& graph, const PlanOptions& options) {
  if (options.shares_neighbours) return with_neighbours_shared(graph, options);
  Plan plan(graph);
  run_passes(plan, options);
  return plan;
}

// Throws MemoryError unless the calling thread's stack suffices for the loops of all functions.
void require_stack(const Graph& graph) {
  for (const GraphVertex& v : graph.vertices) {
    if (!v.definition || !v.definition->fn || v.definition->fn->loops.empty()) continue;
    if (const auto problem = stack_problem(loop_depth(*v.definition->fn))) throw MemoryError(*problem);
  }
}

}  // namespace

void plan_steps(Graph& graph, const PlanOptions& options) {
  require_stack(graph);
  static constinit thread_local OfThread<PlanKey> kept;  // keeps its memory
  PlanKey& key = kept.get();
  if (find_planned(graph, options, key)) return;
  bool needs_lengths = !key.is_recurring;
  std::optional<Plan> plan;
  if (key.is_recurring) {
    PlanOptions general = options;
    general.needs_lengths = &needs_lengths;
    plan = new_plan(graph, general);
  }
  if (needs_lengths) plan = new_plan(graph, options);
  graph.steps = std::move(plan->steps);
  keep_planned(graph, key, !needs_lengths);
}

Plan make_plan(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Graph graph = make_graph(demanded, options);
  plan_steps(graph, options);
  return Plan(graph);
}

}  // namespace wf
