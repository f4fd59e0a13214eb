#include "cuda/routines/segment_ids.h"

#include <algorithm>

#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int id_threads = 256, ids_per_thread = 23;
constexpr int64_t most_checking_blocks = 1024;

}  // namespace

std::string segment_ids_text(Type type) {
  const std::string numbers = std::to_string(id_threads);
  return includes_and_operations({}, {"routines.cuh"}) + "\nusing Number = " + type_text(type) +
         ";\n\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + numbers +
         ") warpfold_segment_ids(const __grid_constant__ wf::SegmentArgs a) {\n  wf::segment_ids<wf::Number, " + numbers + ", " +
         std::to_string(ids_per_thread) + ">(a);\n}\n";
}

std::string check_offsets_text() {
  return includes_and_operations({}, {"routines.cuh"}) + "\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" +
         std::to_string(id_threads) + ") warpfold_check_offsets(const __grid_constant__ wf::SegmentArgs a) {\n  wf::check_offsets(a);\n}\n";
}

void SegmentNumberer::run(const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;  // no id needs an offset
  static const std::string texts[] = {segment_ids_text(Type::I32), segment_ids_text(Type::I64)}, check = check_offsets_text();
  const bool checks_only = launch.outputs.empty();
  const CUfunction function = checks_only ? kernels_.find(check, "warpfold_check_offsets")
                                          : kernels_.find(texts[call.types[0] == Type::I64], "warpfold_segment_ids");
  RoutineRun run(device_, pool_, launch);
  run.begin();
  const int64_t count = launch.inputs[0].length, n = launch.n, tile = id_threads * ids_per_thread;
  const int64_t blocks =
      checks_only ? std::min((count + id_threads - 1) / id_threads, most_checking_blocks) : (count + n + tile - 1) / tile;
  run.start(function, blocks, id_threads, {run.inputs()[0], checks_only ? 0 : run.outputs()[0], uint64_t(count), uint64_t(n), run.fault()});
  run.throw_fault();
  run.end();
}

}  // namespace wf::cuda
