#include "cuda/routines/routines.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int id_threads = 256, ids_per_thread = 23;
constexpr const char* ids_name = "warpfold_segment_ids";

}  // namespace

std::string segment_ids_text(Type type) {
  const std::string numbers = std::to_string(id_threads);
  return includes_and_operations({}, {"routines.cuh"}) + "\nusing Number = " + type_text(type) +
         ";\n\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + numbers + ") " + ids_name +
         "(const __grid_constant__ wf::SegmentArgs a) {\n  wf::segment_ids<wf::Number, " + numbers + ", " + std::to_string(ids_per_thread) +
         ">(a);\n}\n";
}

void run_segment_ids(Routines& routines, const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;  // no id needs an offset
  const auto text = [&] { return segment_ids_text(call.types[0]); };
  const CUfunction function = routines.kernels.find({uint64_t(call.types[0])}, ids_name, text);
  RoutineRun run(routines, launch);
  run.begin(launch.n >= RoutineRun::few);
  const int64_t count = launch.inputs[0].length, n = launch.n, tile = id_threads * ids_per_thread;
  const int64_t last = call.routine.lacks_end ? count : count - 1;
  run.start(function, (count + n + tile - 1) / tile, id_threads,
            {run.inputs()[0], run.outputs()[0], uint64_t(count), uint64_t(n), uint64_t(last), run.fault()});
  run.throw_fault();
  run.end();
}

}  // namespace wf::cuda
