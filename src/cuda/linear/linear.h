// The routine Linear on a GPU (lazy/linear/routine.h): cuBLAS and cuSOLVER for floats, and a kernel for products of integers.
#pragma once

#include "cuda/linear/libraries.h"
#include "cuda/routines/routine_run.h"

namespace wf::cuda {

class LinearAlgebra {
 public:
  explicit LinearAlgebra(Routines& routines) : routines_(routines) {}
  // Fills the launch's output. Throws RangeError, which names the pivot, for a matrix that is singular or not positive definite, after waiting for
  // the device. Working memory: that of the library, and for the factorizations by orthogonal transformations two matrices.
  void run(const RoutineCall& call, Launch& launch);

 private:
  template <class T> void run_floats(const RoutineCall& call, Launch& launch);
  void multiply_integers(const RoutineCall& call, Launch& launch);

  Routines& routines_;
  LinearHandles handles_;
};

}  // namespace wf::cuda
