// The routine Scatter on a GPU (skeletons/scatter.cuh).
#pragma once

#include <optional>
#include <string>

#include "cuda/routines/full_groups.h"

namespace wf::cuda {

// The kernel warpfold_scatter that combines values, or counts indices if op is null, into columns of `type`. in_table: through tables in shared
// memory. in_range: no index is out of range. checks: an index out of range is recorded as a fault. looks: bools are read before they are stored,
// for `or` and `and`. The argument is a structure of 8-byte words: the addresses of indices, values and results, the number of indices, of
// results and of packs of indices, the logarithm of a table's copies, the address of the fault, and the full groups.
std::string scatter_text(std::optional<Op> op, Type type, Type index, bool in_table, bool in_range, bool checks, bool looks);

// The kernels for floats: warpfold_scatter, which joins the elements of each block in a table, and warpfold_join, with a block of one warp for each
// result, which joins those tables. The argument of both: the addresses of indices, values, results, of the elements to begin with, and of the
// tables, the numbers of indices, results, packs of indices, and tables, and the address of the fault.
std::string scatter_floats_text(Op op, Type type, Type index, bool checks);

// The kernels that replace elements by values: warpfold_claim and warpfold_replace. The argument of both: the addresses of indices, values, results,
// the base, and of the places' keys and positions (u64 if they are `wide`, else u32), the numbers of indices and results, a mask, and the address of the fault.
std::string replace_text(Type type, Type index, bool wide, bool checks);

class Scatterer {
 public:
  Scatterer(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)), kernels_(device), full_groups_(device) {}
  // Fills the launch's outputs.
  void run(const RoutineCall& call, Launch& launch);

 private:
  // The bytes of the bits of full groups that column k's values look at.
  static size_t bytes_of_bits(const RoutineCall& call, const Launch& launch, size_t k);
  void scatter_column(const RoutineCall& call, const Launch& launch, RoutineRun& run, size_t k, uint64_t bits, uint64_t fault);
  void scatter_floats(const RoutineCall& call, const Launch& launch, RoutineRun& run, size_t k, uint64_t tables, uint64_t fault);
  void replace(const RoutineCall& call, const Launch& launch, RoutineRun& run, uint64_t places, uint64_t fault);
  // The most blocks of a scatter of floats.
  int64_t lane_blocks() const;

  Device& device_;
  const std::shared_ptr<Pool> pool_;
  RoutineKernels kernels_;
  FullGroupFinder full_groups_;
};

}  // namespace wf::cuda
