// Folds of several rows by threads that have no row of their own.
//
//   flat    the positions of a block's rows are one sequence, of which each warp has a share. Neighbouring lanes compute the values of
//           neighbouring positions, whatever row they belong to, and fold those of one row (after the segmented sums of Blelloch, 1993, and
//           the merge-based sparse products of Merrill and Garland, 2016)
//   shared  a lane computes the values of all rows of its warp at its positions: an element that the rows have in common is read once
//
// A block has `threads` threads. A context contains what value(context, j) needs of a row.
#pragma once

#include "warp.cuh"

namespace wf {

// The shared memory of a block in fold_flat.
template <int threads, class T, class Context> struct FlatMemory {
  unsigned counts[threads / 32];  // of each warp's rows and positions
  int shift;
  int begins[threads];  // of the rows that have positions
  Context contexts[threads];
  T folds[threads];              // of the rows' positions in the shares in which they begin
  T earlier_rows[threads / 32];  // for each share, the fold of its positions of the row that began before it
};

WF_FN unsigned or_of_warp(unsigned bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(all_lanes, bits);
#else
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) bits |= __shfl_xor_sync(all_lanes, bits, distance);
  return bits;
#endif
}

// Folds the positions in [begin, end) of `rows` rows, the share of a warp. `begin` is a multiple of 32.
template <int threads, class T, class Context, class Value, class Fold>
WF_FN void fold_share(FlatMemory<threads, T, Context>& m, int begin, int end, int rows, const T& identity, const Value& value,
                      const Fold& f) {
  constexpr int batches = sizeof(T) <= 16 ? 4 : 2;  // of a position per lane, whose reads overlap
  const int lane = lane_of_thread();
  const unsigned up_to_lane = all_lanes >> (31 - lane);
  int row = -1;  // the last one that begins before the positions that follow
#pragma unroll
  for (int step = threads / 2; step > 0; step /= 2) row += row + step < rows && m.begins[row + step] < begin ? step : 0;
  row += row + 1 < rows && m.begins[row + 1] < begin ? 1 : 0;
  const int earlier = row;
  T open = identity;  // the fold of the row's positions up to here
  const auto close = [&](int r, const T& x) {
    if (r == earlier) m.earlier_rows[warp_of_thread()] = x;
    else m.folds[r] = x;
  };
#pragma unroll 1
  for (int first = begin; first < end; first += 32 * batches) {
    T values[batches];
    unsigned heads[batches];  // bit k: a row begins at position k of the batch
    int last = row;
#pragma unroll
    for (int b = 0; b < batches; b++) {
      const int start = first + 32 * b, next = last + 1 + lane;
      const unsigned place = next < rows ? unsigned(m.begins[next] - start) : 32u;
      heads[b] = or_of_warp(place < 32 ? 1u << place : 0u);
      const int own = last + __popc(heads[b] & up_to_lane), of = own < 0 ? 0 : own;
      const int position = (start + lane < end ? start + lane : end - 1) - m.begins[of];
      values[b] = value(m.contexts[of], int64_t(position < 0 ? 0 : position));
      last += __popc(heads[b]);
    }
#pragma unroll
    for (int b = 0; b < batches; b++) {
      const int left = end - first - 32 * b;
      if (left <= 0) break;
      T x = values[b];
      if (lane == 0) {
        if (heads[b] & 1) close(row, open);
        else x = f(open, x);
      }
      const int of_row = lane - (31 - __clz(int(heads[b] & up_to_lane | 1)));  // lanes before this one with positions of its row
#pragma unroll
      for (int distance = 1; distance < 32; distance <<= 1) {
        const T before = shuffle_up(x, distance);
        if (distance <= of_row) x = f(before, x);
      }
      if (lane < 31 && (heads[b] >> (lane + 1) & 1)) close(row + __popc(heads[b] & up_to_lane), x);
      open = broadcast(x, left < 32 ? left - 1 : 31);
      row += __popc(heads[b]);
    }
  }
  if (lane == 0) close(row, open);
}

// The fold of x and value(context, 0), ..., value(context, count - 1), in a block whose threads have a row each. `start`: the index that the
// row reads at position 0. Batches of positions begin where lines of memory do, if neighbouring rows follow each other there. The
// block's threads were synchronized after the last call.
template <int threads, class T, class Context, class Value, class Fold>
WF_FN T fold_flat(int count, const T& x, int64_t start, const Context& context, const Value& value, const Fold& f) {
  constexpr int warps = threads / 32, bits = 22;  // a block has less than 2^bits positions
  __shared__ __align__(16) unsigned char memory[sizeof(FlatMemory<threads, T, Context>)];
  auto& m = reinterpret_cast<FlatMemory<threads, T, Context>&>(memory);
  const int warp = warp_of_thread();
  const unsigned own = count > 0 ? unsigned(count) + (1u << bits) : 0;
  const unsigned up_to_own = warp_scan(own, [](unsigned a, unsigned b) { return a + b; });
  if (lane_of_thread() == 31) m.counts[warp] = up_to_own;
  __syncthreads();
  unsigned before = up_to_own - own, all = 0;
#pragma unroll
  for (int w = 0; w < warps; w++) {
    if (w == warp) before += all;
    all += m.counts[w];
  }
  if (own > 0 && before == 0) m.shift = int(start & 31);
  __syncthreads();
  if (all == 0) return x;
  const int rows = int(all >> bits), row = int(before >> bits), end = int(all & ((1u << bits) - 1)) + m.shift;
  const int begin = int(before & ((1u << bits) - 1)) + m.shift, share = (end + 32 * warps - 1) / (32 * warps) * 32;
  if (count > 0) {
    m.begins[row] = begin;
    m.contexts[row] = context;
  }
  __syncthreads();
  if (warp * share < end) fold_share(m, warp * share, end < (warp + 1) * share ? end : (warp + 1) * share, rows, x, value, f);
  __syncthreads();
  if (count <= 0) return x;
  T total = f(x, m.folds[row]);
#pragma unroll 1
  for (int w = begin / share + 1; w <= (begin + count - 1) / share; w++) total = f(total, m.earlier_rows[w]);
  return total;
}

// All positions of a row are folded.
struct NeverStops {
  static constexpr bool never = true;
};

// is_after(context, j) returns true if a recorded fault precedes position j of the context's row, so that the values from j on do not matter.
template <class IsAfter> struct StopsAfterFault {
  static constexpr bool never = false;
  const IsAfter& is_after;
};
template <class IsAfter> WF_FN StopsAfterFault<IsAfter> stops_if(const IsAfter& is_after) { return {is_after}; }

// Calls fold(from, until) for some of the positions first, first + step, ... below `end` at a time, until a fault precedes them. Looking for one
// is a load, so many positions are folded in between.
template <class Stop, class Context, class Fold>
WF_FN void fold_until(const Stop& stop, const Context& context, int64_t first, int64_t end, int64_t step, const Fold& fold) {
  constexpr int64_t positions = 1024;
  if constexpr (!Stop::never) {
#pragma unroll 1
    while (end - first > positions * step) {
      fold(first, first + positions * step);
      first += positions * step;
      if (stop.is_after(context, first)) return;
    }
  }
  fold(first, end);
}

// The fold of value(context, 0), ..., value(context, count - 1) in any order, for rows of the same count, `slices` lanes each.
template <int slices, class T, class Context, class Value, class Fold, class Stop>
WF_FN T fold_shared(int64_t count, const T& identity, const Context& context, const Value& value, const Fold& f, const Stop& stop) {
  constexpr int rows_of_warp = 32 / slices;
  Context contexts[rows_of_warp];
  T sums[rows_of_warp];
#pragma unroll
  for (int r = 0; r < rows_of_warp; r++) {
    contexts[r] = by_words(context, [=](unsigned w) { return __shfl_sync(all_lanes, w, r * slices); });
    sums[r] = identity;
  }
  fold_until(stop, contexts[0], lane_of_thread(), count, 32, [&](int64_t from, int64_t until) {
#pragma unroll 4
    for (int64_t j = from; j < until; j += 32) {
#pragma unroll
      for (int r = 0; r < rows_of_warp; r++) sums[r] = f(sums[r], value(contexts[r], j));
    }
  });
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
