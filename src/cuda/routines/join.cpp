#include <algorithm>
#include <cstring>

#include "cuda/routines/routines.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int join_threads = 256, joined_per_thread = 16;
constexpr const char* joining_name = "warpfold_join";

// JoinedPart of skeletons/routines.cuh.
struct DevicePart {
  uint64_t address;
  int64_t end;
};

// Returns true if the parts are so small that a copy of each to the device would take longer than to join them on the host.
bool joins_on_host(const Launch& launch) {
  size_t bytes = 0;
  for (const InputBuffer& input : launch.inputs) bytes += input.buffer->bytes();
  return bytes <= launch.inputs.size() * Buffer::small &&
         std::ranges::all_of(launch.inputs, [](const InputBuffer& input) { return input.buffer->has_host_copy(); });
}

void join_on_host(const RoutineCall& call, const Launch& launch, int64_t rows) {
  const size_t columns = call.types.size();
  for (size_t c = 0; c < columns; c++) {
    const size_t size = size_of(call.types[c]);
    std::byte* out = launch.outputs[c]->host_for_writing();
    for (int64_t row = 0; row < rows; row++)
      for (size_t k = c; k < launch.inputs.size(); k += columns) {
        const InputBuffer& input = launch.inputs[k];
        const size_t bytes = size_t(input.length / rows) * size;
        if (bytes > 0) std::memcpy(out, input.buffer->host() + size_t(input.offset) * size + size_t(row) * bytes, bytes);
        out += bytes;
      }
  }
}

}  // namespace

std::string join_text(Type type) {
  const std::string numbers = std::to_string(join_threads);
  return includes_and_operations({}, {"routines.cuh"}) + "\nusing Element = " + type_text(type) +
         ";\n\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + numbers + ") " + joining_name +
         "(const __grid_constant__ wf::JoinArgs a) {\n  wf::join<wf::Element, " + numbers + ", " + std::to_string(joined_per_thread) +
         ">(a);\n}\n";
}

void run_join(Routines& routines, const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;
  const auto rows = from_bits<int64_t>(call.parameters[0]);
  if (joins_on_host(launch)) return join_on_host(call, launch, rows);
  const size_t columns = call.types.size();
  RoutineRun run(routines, launch);
  std::vector<Buffer::Lease> tables;
  std::vector<uint64_t> counts;
  for (size_t c = 0; c < columns; c++) {
    std::vector<DevicePart> parts;
    int64_t end = 0;
    for (size_t k = c; k < launch.inputs.size(); k += columns)
      if (launch.inputs[k].length > 0) parts.push_back({run.inputs()[k], end += launch.inputs[k].length / rows});
    const BufferRef table = Buffer::make(routines.pool, parts.size() * sizeof(DevicePart));
    std::memcpy(table->host_for_writing(), parts.data(), parts.size() * sizeof(DevicePart));
    tables.push_back(Buffer::device(table, routines.pool));
    counts.push_back(parts.size());
  }
  std::vector<CUfunction> functions;
  for (Type type : call.types) functions.push_back(routines.kernels.find({uint64_t(type)}, joining_name, [&] { return join_text(type); }));
  run.begin(launch.n >= RoutineRun::few);
  constexpr int64_t tile = join_threads * joined_per_thread;
  for (size_t c = 0; c < columns; c++)
    run.start(
        functions[c], (launch.n + tile - 1) / tile, join_threads,
        {reinterpret_cast<uint64_t>(tables[c].address()), run.outputs()[c], counts[c], uint64_t(launch.n), uint64_t(launch.n / rows)});
  run.end();
}

}  // namespace wf::cuda
