// A stable merge sort of rows. Three kernels: tiles are sorted by their blocks, then passes merge sorted runs in pairs; each pass first finds
// for every tile of its output where the tile begins in the two runs.
//
// Source: Green, McColl and Bader, "GPU merge path" (2012).
//
// Program has Row, threads, items (rows per thread) and the functions load, store and less.
#pragma once

#include "ops.cuh"
#include "ops/order.h"

namespace wf {

// The number of a's rows among the first `at` rows of a and b merged; equal rows of a come first. get(k) is a's row k, or b's row k - size_a.
template <class Program, class Get>
WF_FN int64_t merge_split(const typename Program::Args& args, int64_t size_a, int64_t size_b, int64_t at, Get get) {
  int64_t low = at > size_b ? at - size_b : 0, high = at < size_a ? at : size_a;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (Program::less(args, get(size_a + at - 1 - middle), get(middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}

// Each thread takes `items` rows of a = rows[0, size_a) and b = rows[size_a, size_a + size_b) merged, from row `at` on.
template <class Program>
WF_FN void merge_in_block(const typename Program::Args& args, const typename Program::Row* rows, int size_a, int size_b, int at,
                          typename Program::Row (&own)[Program::items]) {
  if (at >= size_a + size_b) return;
  int a = int(merge_split<Program>(args, size_a, size_b, at, [&](int64_t k) { return rows[k]; })), b = size_a + at - a;
  const int end = size_a + size_b;
  typename Program::Row x, y;
  if (a < size_a) x = rows[a];
  if (b < end) y = rows[b];
#pragma unroll
  for (int k = 0; k < Program::items; k++) {
    if (at + k >= end) break;
    const bool from_b = b < end && (a >= size_a || Program::less(args, y, x));
    own[k] = from_b ? y : x;
    if (from_b) {
      if (++b < end) y = rows[b];
    } else {
      if (++a < size_a) x = rows[a];
    }
  }
}

// Sorts rows[0, count), count at least 0, by the block's threads, `items` of them each.
template <class Program> WF_FN void sort_in_block(const typename Program::Args& args, typename Program::Row* rows, int count) {
  using Row = typename Program::Row;
  constexpr int items = Program::items, tile = Program::threads * items;
  const int first = int(threadIdx.x) * items;
  const int mine = count - first;
  Row own[items];
#pragma unroll
  for (int k = 0; k < items; k++)
    if (k < mine) own[k] = rows[first + k];
      // Odd-even transposition sort.
#pragma unroll
  for (int round = 0; round < items; round++) {
#pragma unroll
    for (int k = round & 1; k + 1 < items; k += 2)
      if (k + 1 < mine && Program::less(args, own[k + 1], own[k])) {
        const Row x = own[k];
        own[k] = own[k + 1];
        own[k + 1] = x;
      }
  }
  for (int width = items;; width *= 2) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; k++)
      if (k < mine) rows[first + k] = own[k];
    __syncthreads();
    if (width >= tile) return;
    const int base = first / (2 * width) * (2 * width), here = count > base ? count - base : 0;
    const int size_a = here < width ? here : width, size_b = here - size_a < width ? here - size_a : width;
    merge_in_block<Program>(args, rows + base, size_a, size_b, first - base, own);
  }
}

template <class Program> WF_FN void sort_tiles(const typename Program::Args& args) {
  constexpr int tile = Program::threads * Program::items;
  __shared__ typename Program::Row rows[tile];
  const int64_t begin = int64_t(blockIdx.x) * tile;
  const int count = args.n - begin < tile ? int(args.n - begin) : tile;
  for (int k = int(threadIdx.x); k < count; k += Program::threads) rows[k] = Program::load(args, begin + k);
  __syncthreads();
  sort_in_block<Program>(args, rows, count);
  for (int k = int(threadIdx.x); k < count; k += Program::threads) Program::store(args, begin + k, rows[k]);
}

// The pair of runs in which row `at` of a pass's output lies: rows [base, base + size_a) and the size_b rows after them.
struct MergedPair {
  template <class Args> WF_MEMBER MergedPair(const Args& args, int64_t at) : base(at / args.pair * args.pair) {
    const int64_t rest = args.n - base;
    size_a = args.run < rest ? args.run : rest;
    size_b = args.pair - args.run < rest - size_a ? args.pair - args.run : rest - size_a;
  }
  int64_t base, size_a, size_b;
};

// begins[t]: the rows of the first run before tile t.
template <class Program> WF_FN void find_begins(const typename Program::Args& args) {
  constexpr int tile = Program::threads * Program::items;
  const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, at = t * tile;
  if (at >= args.n) return;
  const MergedPair pair(args, at);
  args.begins[t] =
      merge_split<Program>(args, pair.size_a, pair.size_b, at - pair.base, [&](int64_t k) { return Program::load(args, pair.base + k); });
}

template <class Program> WF_FN void merge_tiles(const typename Program::Args& args) {
  constexpr int tile = Program::threads * Program::items;
  __shared__ typename Program::Row rows[tile];
  const int64_t at = int64_t(blockIdx.x) * tile;
  const MergedPair pair(args, at);
  const int64_t begin = at - pair.base, all = pair.size_a + pair.size_b, end = begin + tile < all ? begin + tile : all;
  const int64_t begin_a = args.begins[blockIdx.x], end_a = end == all ? pair.size_a : args.begins[blockIdx.x + 1];
  const int64_t begin_b = begin - begin_a;
  const int count = int(end - begin), rest_a = int(pair.size_a - begin_a < count ? pair.size_a - begin_a : count);
  const int most_b = int(pair.size_b - begin_b < count ? pair.size_b - begin_b : count);
  // In runs that are not sorted, the tiles' begins may be in no order.
  const int64_t found = end_a - begin_a;
  const int size_a = found < count - most_b ? count - most_b : found > rest_a ? rest_a : int(found);
  for (int k = int(threadIdx.x); k < count; k += Program::threads)
    rows[k] = Program::load(args, pair.base + (k < size_a ? begin_a + k : pair.size_a + begin_b + k - size_a));
  __syncthreads();
  typename Program::Row own[Program::items];
  const int first = int(threadIdx.x) * Program::items;
  merge_in_block<Program>(args, rows, size_a, count - size_a, first, own);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Program::items; k++)
    if (first + k < count) rows[first + k] = own[k];
  __syncthreads();
  for (int k = int(threadIdx.x); k < count; k += Program::threads) Program::store(args, at + k, rows[k]);
}

}  // namespace wf
