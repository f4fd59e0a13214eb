#include "cuda/routines/segment_ids.h"

#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int id_threads = 256, ids_per_thread = 23;

}  // namespace

std::string segment_ids_text(Type type) {
  const std::string numbers = std::to_string(id_threads);
  return includes_and_operations({}, {"routines.cuh"}) + "\nusing Number = " + type_text(type) +
         ";\n\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + numbers +
         ") warpfold_segment_ids(const __grid_constant__ wf::SegmentArgs a) {\n  wf::segment_ids<wf::Number, " + numbers + ", " +
         std::to_string(ids_per_thread) + ">(a);\n}\n";
}

void SegmentNumberer::run(const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;  // no id needs an offset
  static const std::string texts[] = {segment_ids_text(Type::I32), segment_ids_text(Type::I64)};
  const CUfunction function = kernels_.find(texts[call.types[0] == Type::I64], "warpfold_segment_ids");
  RoutineRun run(device_, pool_, launch);
  run.begin();
  const int64_t count = launch.inputs[0].length, n = launch.n, tile = id_threads * ids_per_thread;
  run.start(function, (count + n + tile - 1) / tile, id_threads,
            {run.inputs()[0], run.outputs()[0], uint64_t(count), uint64_t(n), run.fault()});
  run.throw_fault();
  run.end();
}

}  // namespace wf::cuda
