// The routine Iterate on a GPU (skeletons/routines.cuh).
#pragma once

#include <string>

#include "cuda/routines/routine_run.h"

namespace wf::cuda {

struct IterateText {
  std::string text;
  int tile;  // elements of a tile, and threads of the block
};

// The kernel warpfold_iterate, of one block. Its argument is a structure of 8-byte words: the addresses of the initial state's columns, of the
// elements' columns and of the results', and the number of elements. element: the types of an element's columns.
// Throws UnsupportedError if a state and an element are too large for a block's shared memory, or the function has no source.
IterateText iterate_text(const RoutineCall& call, const std::vector<Type>& element);

class Iterator {
 public:
  Iterator(Device& device, std::shared_ptr<Pool> pool) : device_(device), pool_(std::move(pool)), kernels_(device) {}
  // Fills the launch's outputs.
  void run(const RoutineCall& call, Launch& launch);

 private:
  Device& device_;
  const std::shared_ptr<Pool> pool_;
  RoutineKernels kernels_;
};

}  // namespace wf::cuda
