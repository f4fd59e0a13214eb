// sort and merge on a GPU: the plugin's radix sort if there is one and the order is that of keys, and the merge sort of skeletons/sort.cuh; rows that
// are sorted each on its own by the network there.
#pragma once

#include "cuda/routines/routine_run.h"
#include "cuda/routines/sort_text.h"

namespace wf::cuda {

class Sorter {
 public:
  Sorter(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)), kernels_(device) {}
  // Fills the launch's outputs. Working memory: once the bytes of the outputs; the radix sort's is a little more, or 8 bytes per element if
  // there are several columns, and 16 more if there are several keys.
  void run(const RoutineCall& call, Launch& launch);

 private:
  using Columns = std::vector<uint64_t>;  // the addresses of columns in device memory
  class Merges;
  // Returns false if the plugin has no code for this device or is missing.
  bool run_radix_sort(const RoutineCall& call, Launch& launch);
  void run_merges(const RoutineCall& call, Launch& launch);
  void run_rows(const RoutineCall& call, Launch& launch);

  Device& device_;
  const std::shared_ptr<Pool> pool_;
  RoutineKernels kernels_;
};

}  // namespace wf::cuda
