// sort and merge on a GPU: the kernels of skeletons/sort.cuh.
#pragma once

#include <memory>

#include "cuda/device/device.h"
#include "cuda/routines/sort_text.h"
#include "engine/engine.h"
#include "expr/recent.h"

namespace wf::cuda {

class Sorter {
 public:
  Sorter(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)) {}
  // Fills the launch's outputs. Working memory: once the bytes of the outputs.
  void run(const RoutineCall& call, Launch& launch);

 private:
  struct Kernels {
    CUfunction sort_tiles, find_begins, merge_tiles;
    int threads, tile;
  };
  using Columns = std::vector<uint64_t>;  // the addresses of columns in device memory
  class Pass;
  static void join(const Queue& queue, const RoutineCall& call, const Columns& first, const Columns& second, int64_t split, int64_t n,
                   const Columns& to);

  Kernels kernels_of(const RoutineCall& call);

  Device& device_;
  const std::shared_ptr<Pool> pool_;
  Recent<std::string, Kernels> kernels_{64};  // by text
};

}  // namespace wf::cuda
