// The passes of the planner, in order.
#include <algorithm>

#include "plan/plan.h"

namespace wf {

Plan make_graph(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Plan plan;
  pass_graph(plan, demanded, options);
  return plan;
}

std::optional<Plan> make_small_graph(std::span<const NodeRef> demanded, const PlanOptions& options) {
  std::optional<Plan> plan(std::in_place);
  if (!pass_graph(*plan, demanded, options, largest_kept_graph)) plan.reset();
  return plan;
}

namespace {

void run_passes(Plan& plan, const PlanOptions& options) {
  pass_reads(plan);
  if (options.apart) pass_apart(plan);
  pass_cut(plan, options);
  pass_level(plan);
  pass_place(plan, options);
  pass_build(plan, options);
  if (options.law) pass_law(plan);
  if (options.rows) pass_rows(plan);
  if (options.scatters) pass_scatters(plan);
  find_lengths(plan);
  find_last_uses(plan);
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
void plan_with_shared(Plan& plan, PlanOptions options) {
  Plan graph = plan;
  run_passes(plan, options);
  if (std::ranges::none_of(plan.vertices, &Vertex::shared)) return;
  const std::vector<bool> found = with_shared(plan);
  const bool is_refused = std::ranges::any_of(plan.steps, [&](const std::shared_ptr<Step>& step) {
    return std::ranges::any_of(step->finished, [&](const Finished& f) { return found[f.vertex]; }) &&
           !is_accepted(plan, *step, options.shares_neighbours);
  });
  if (!is_refused) return;
  plan = std::move(graph);
  options.shares_neighbours = nullptr;
  run_passes(plan, options);
}

}  // namespace

void plan_steps(Plan& plan, const PlanOptions& options) {
  thread_local PlanKey key;  // keeps its memory
  if (find_planned(plan, options, key)) return;
  if (options.shares_neighbours) plan_with_shared(plan, options);
  else run_passes(plan, options);
  keep_planned(plan, key);
}

Plan make_plan(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Plan plan = make_graph(demanded, options);
  plan_steps(plan, options);
  return plan;
}

}  // namespace wf
