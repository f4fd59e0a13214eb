// The passes of the planner, in order.
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

void plan_steps(Plan& plan, const PlanOptions& options) {
  thread_local PlanKey key;  // keeps its memory
  if (find_planned(plan, options, key)) return;
  pass_reads(plan);
  if (options.apart) pass_apart(plan);
  pass_cut(plan, options);
  pass_level(plan);
  pass_place(plan, options);
  pass_build(plan, options);
  if (options.law) pass_law(plan);
  if (options.rows) pass_rows(plan);
  find_last_uses(plan);
  if (options.verify) pass_verify(plan);
  keep_planned(plan, key);
}

Plan make_plan(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Plan plan = make_graph(demanded, options);
  plan_steps(plan, options);
  return plan;
}

}  // namespace wf
