// The planner's table of contents.
#include "plan/plan.h"

namespace wf {

Plan make_plan(std::span<const NodeRef> demanded, const PlanOptions& options) {
  Plan plan;
  pass_graph(plan, demanded);
  pass_cut(plan);
  pass_level(plan);
  pass_build(plan, options);
  if (options.law) pass_law(plan);
  if (options.verify) pass_verify(plan);
  return plan;
}

}  // namespace wf
