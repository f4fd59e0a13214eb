#include "cuda/routines/full_groups.h"

#include "cuda/routines/atomics.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int finder_threads = 1024;
constexpr const char* finder_name = "warpfold_full_groups";

// Fewer bools are in the L1 cache themselves. The bits of more have groups of more than 16, of which few are full.
constexpr int64_t fewest_bools = int64_t(1) << 17, most_bools = int64_t(1) << 24, most_groups = 8 * most_bytes_of_full_groups;
// Values per bool from which the search for full groups is a small part of a scatter (bench/results/programs.md).
constexpr int64_t fewest_per_bool = 4;

int64_t log_size_of(int64_t m) {
  int64_t log_size = 0;
  while (m >> log_size > most_groups) log_size++;
  return log_size;
}

int64_t blocks_for(int64_t m) { return (m + 16 * finder_threads - 1) / (16 * finder_threads); }

}  // namespace

std::string full_groups_text() {
  return includes_and_operations({}, {"scatter.cuh"}) + "\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" +
         std::to_string(finder_threads) + ") " + finder_name +
         "(const __grid_constant__ wf::FindFullGroups a) {\n  wf::find_full_groups(a);\n}\n";
}

size_t bytes_of_full_groups(Op op, Type type, int64_t n, int64_t m) {
  const bool pays = may_look(op, type) && fewest_bools < m && m <= most_bools && n / fewest_per_bool >= m;
  return pays ? sizeof(uint32_t) * size_t(blocks_for(m) * (finder_threads >> (1 + log_size_of(m)))) : 0;
}

FullGroups find_full_groups(Routines& routines, Queue& queue, Op op, CUdeviceptr bools, int64_t m, CUdeviceptr memory) {
  const CUfunction function = routines.kernels.find(std::vector<uint64_t>(), finder_name, full_groups_text);
  const CUdeviceptr number = queue.zeros(16);
  const uint64_t log_size = uint64_t(log_size_of(m)), few = uint64_t(m) >> log_size >> 2;
  uint64_t words[] = {bools, uint64_t(m), memory, number, log_size | uint64_t(op == Op::and_) << 32};
  void* parameters[] = {words};
  check(queue.driver().cuLaunchKernel(function, unsigned(blocks_for(m)), 1, 1, finder_threads, 1, 1, 0, queue.stream, parameters, nullptr),
        "launching a kernel that finds full groups");
  return {memory, number, log_size | few << 32};
}

}  // namespace wf::cuda
