// The segments pass lets kernels compute the numbers of segments that they read:
//
//   call     s[i] = the number of the segment of i, from offsets       for i in [0, n)
//   kernel   y[i] = f(i, s[i])                                         for i in [0, n)
//
// The kernel reads the offsets, and an engine checks them and finds the numbers of its neighbouring indices in them (Input::of_segments). So
// they are neither written nor read, and there is no call. The kernel only stores or scatters, and reads the numbers at its own index alone.
#include <algorithm>

#include "plan/joins/readers.h"

namespace wf {
namespace {

// The numbers of fewer positions stay in caches, and a kernel with them is compiled at its first call on a GPU, as those that scatter are in any case.
constexpr int64_t fewest_numbered = int64_t(1) << 15;

bool is_numbering(const Step& step) {
  return step.call && step.call->routine.kind == Routine::SegmentIds && step.domain.filter == no_vertex;
}

// Returns true if the step can compute the numbers of n positions that it reads from vertex v.
bool can_number(const Step& step, VertexId v, int64_t n) {
  const Kernel& k = step.kernel;
  const bool is_map = (only_stores(k) && n >= fewest_numbered) || !k.scatters.empty();
  if (step.call || !is_map || has_folds(k) || has_foreign(k) || step.domain != LoopDomain{no_vertex, n}) return false;
  return reads_at_own_index(step, v);
}

// Lets the readers of the call's result compute it, if all of them can.
bool join_readers(Plan& plan, const Step& call) {
  if (!is_numbering(call)) return false;
  const VertexId numbers = call.finished[0].vertex;
  const auto is_reader = [&](const std::shared_ptr<Step>& step) { return depends_on(*step, numbers); };
  const auto can = [&](const std::shared_ptr<Step>& step) { return !is_reader(step) || can_number(*step, numbers, call.domain.n); };
  if (plan.vertices[numbers].demanded || std::ranges::none_of(plan.steps, is_reader) || !std::ranges::all_of(plan.steps, can)) return false;
  for (const std::shared_ptr<Step>& step : plan.steps)
    for (uint32_t slot = 0; slot < step->sources.size(); slot++)
      if (step->sources[slot].vertex == numbers) {
        step->sources[slot] = call.sources[0];
        step->kernel.inputs[slot].of_segments = true;
        step->kernel.inputs[slot].lacks_end = call.call->routine.lacks_end;
      }
  plan.vertices[numbers].placement = Placement::Inlined;
  plan.vertices[numbers].reason = Reason::None;
  return true;
}

}  // namespace

void pass_segments(Plan& plan, const PlanOptions&) {
  Few<std::shared_ptr<Step>> left;
  for (const std::shared_ptr<Step>& step : plan.steps)
    if (!join_readers(plan, *step)) left.push_back(step);
  plan.steps = std::move(left);
}

}  // namespace wf
