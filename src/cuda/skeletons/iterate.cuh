// A function applied from state to state, by one thread. The block's threads read a tile of elements, one of them computes the states after
// each, and all write the states.
//
// Program has State, Element, tile and the functions initial, load, next and store.
#pragma once

#include "ops.cuh"

namespace wf {

template <class Program> WF_FN void iterate(const typename Program::Args& args) {
  __shared__ typename Program::Element elements[Program::tile];
  __shared__ typename Program::State states[Program::tile];
  const int thread = int(threadIdx.x);
  typename Program::State state = Program::initial(args);
  if (thread == 0) Program::store(args, 0, state);
  for (int64_t begin = 0; begin < args.n; begin += Program::tile) {
    const int count = args.n - begin < Program::tile ? int(args.n - begin) : Program::tile;
    if (thread < count) elements[thread] = Program::load(args, begin + thread);
    __syncthreads();
    for (int k = 0; thread == 0 && k < count; k++) states[k] = state = Program::next(args, state, elements[k]);
    __syncthreads();
    if (thread < count) Program::store(args, begin + thread + 1, states[thread]);
  }
}

}  // namespace wf
