// Folds of a warp's rows by all of its lanes.
//
//   flat    neighbouring lanes compute the values of neighbouring positions, whatever row they belong to, and leave them in shared memory; then
//           each lane folds the values of its row (CSR-stream of Greathouse and Daga, 2014, in each warp)
//   shared  a lane computes the values of all rows at its positions: an element that the rows have in common is read once for all of them
//
// A block has `threads` threads. A context contains what value(context, j) needs of a row.
#pragma once

#include "warp.cuh"

namespace wf {

// The shared memory of a warp in fold_flat.
template <class T, class Context> struct FlatMemory {
  static constexpr int batches = sizeof(T) <= 8 ? 8 : sizeof(T) <= 16 ? 4 : 2;  // of a position per lane
  int ends[32];                                                                 // of the rows' positions in the warp
  Context contexts[32];
  T values[batches * 32];
};

// The number of rows that end at position p or before, at most 31.
WF_FN int rows_before(const int* ends, int p) {
  int row = 0;
#pragma unroll
  for (int step = 16; step > 0; step /= 2) row += ends[row + step - 1] <= p ? step : 0;
  return row;
}

template <int threads, class Memory> WF_FN Memory& flat_memory() {
  __shared__ alignas(16) unsigned char memory[threads / 32 * sizeof(Memory)];
  return reinterpret_cast<Memory*>(memory)[warp_of_thread()];
}

// The fold of x and value(context, 0), ..., value(context, count - 1), in a warp whose lanes have a row each.
template <int threads, class T, class Context, class Value, class Fold>
WF_FN T fold_flat(int count, T x, const Context& context, const Value& value, const Fold& f) {
  constexpr int batches = FlatMemory<T, Context>::batches, few = batches < 4 ? batches : 4, chunk = 32 * batches, step = 32 * few;
  auto& [ends, contexts, values] = flat_memory<threads, FlatMemory<T, Context>>();
  const int lane = lane_of_thread(), end = warp_scan(count, [](int a, int b) { return a + b; }), begin = end - count;
  __syncwarp();
  contexts[lane] = context;
  ends[lane] = end;
  __syncwarp();
  const int total = ends[31];
#pragma unroll 1
  for (int first = 0; first < total; first += chunk) {
    const int last = first + chunk < total ? first + chunk : total;
#pragma unroll 1
    for (int start = first; start < last; start += step) {
      T computed[few];
#pragma unroll
      for (int k = 0; k < few; k++) {
        const int place = start + 32 * k + lane, p = place < last ? place : last - 1, row = rows_before(ends, p);
        computed[k] = value(contexts[row], int64_t(p - (row > 0 ? ends[row - 1] : 0)));
      }
#pragma unroll
      for (int k = 0; k < few; k++)
        if (start + 32 * k + lane < last) values[start + 32 * k + lane - first] = computed[k];
    }
    __syncwarp();
    const int past = end < last ? end : last;
#pragma unroll 4
    for (int p = begin > first ? begin : first; p < past; p++) x = f(x, values[p - first]);
    __syncwarp();
  }
  return x;
}

// The fold of value(context, 0), ..., value(context, count - 1) in any order, for rows of the same count, `slices` lanes each.
template <int slices, class T, class Context, class Value, class Fold>
WF_FN T fold_shared(int64_t count, const T& identity, const Context& context, const Value& value, const Fold& f) {
  constexpr int rows_of_warp = 32 / slices;
  Context contexts[rows_of_warp];
  T sums[rows_of_warp];
#pragma unroll
  for (int r = 0; r < rows_of_warp; r++) {
    contexts[r] = by_words(context, [=](unsigned w) { return __shfl_sync(all_lanes, w, r * slices); });
    sums[r] = identity;
  }
#pragma unroll 4
  for (int64_t j = lane_of_thread(); j < count; j += 32) {
#pragma unroll
    for (int r = 0; r < rows_of_warp; r++) sums[r] = f(sums[r], value(contexts[r], j));
  }
  T own = identity;
#pragma unroll
  for (int r = 0; r < rows_of_warp; r++) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sums[r] = f(sums[r], by_words(sums[r], [=](unsigned w) { return __shfl_xor_sync(all_lanes, w, distance); }));
    if (lane_of_thread() / slices == r) own = sums[r];
  }
  return own;
}

}  // namespace wf
