#include "cpu/routines/routines.h"

#include "cpu/linear/linear.h"
#include "cpu/routines/rows.h"

namespace wf::cpu {

Rows::Rows(const RoutineCall& call, const Launch& launch) : types(call.types), n(launch.n) {
  const size_t columns = types.size();
  for (size_t k = 0; k < launch.inputs.size(); k++) {
    const InputBuffer& input = launch.inputs[k];
    const std::byte* begin = input.buffer->host() + input.offset * int64_t(size_of(types[k % columns]));
    (k < columns ? first : second).push_back(begin);
  }
  split = second.empty() ? n : launch.inputs[0].length;
  for (const BufferRef& output : launch.outputs) outputs.push_back(output->host_for_writing());
}

void run_routine(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool) {
  if (call.routine.kind == Routine::Scatter) return scatter(call, launch, pool);
  if (call.routine.kind == Routine::Iterate) return iterate(call, launch);
  if (call.routine.kind == Routine::SegmentIds) return segment_ids(call, launch);
  if (call.routine.kind == Routine::Join) return join(call, launch);
  if (call.routine.kind == Routine::Linear) return linear(call, launch, pool);
  const Rows rows(call, launch);
  if (call.fn) sort_by_function(call, rows, pool);
  else sort_by_keys(call, rows, pool);
}

}  // namespace wf::cpu
