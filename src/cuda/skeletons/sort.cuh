// A stable merge sort of rows. Three kernels: tiles are sorted by their blocks, then passes merge sorted runs in pairs; each pass first finds
// for every tile of its output where the tile begins in the two runs.
//
// Source: Green, McColl and Bader, "GPU merge path" (2012).
//
// A function that is not an order, or runs that are not sorted, may lead to splits that are not in order. Rows that are merged by such splits stay
// in their places: so the result is a permutation whatever the order says.
//
// Program has Row, threads, items (rows per thread) and the functions load, store and less.
#pragma once

#include "grid.cuh"
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

// Each thread takes `items` rows of a = rows[0, size_a) and b = rows[size_a, size_a + size_b) merged, from row `at` on, where the next thread's rows
// begin after its own. If a thread's rows do not end where the next one's begin, all threads of the block take rows[at], rows[at + 1], ...
// Called by all threads; rows may change afterwards.
template <class Program>
WF_FN void merge_in_block(const typename Program::Args& args, const typename Program::Row* rows, int size_a, int size_b, int at,
                          typename Program::Row (&own)[Program::items]) {
  __shared__ int begins[Program::threads];
  const int end = size_a + size_b;
  int a = 0;
  if (at < end) {
    a = int(merge_split<Program>(args, size_a, size_b, at, [&](int64_t k) { return rows[k]; }));
    begins[threadIdx.x] = a;
    int b = size_a + at - a;
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
  __syncthreads();
  if (__syncthreads_and(at + Program::items >= end || a == begins[threadIdx.x + 1])) return;
#pragma unroll
  for (int k = 0; k < Program::items; k++)
    if (at + k < end) own[k] = rows[at + k];
  __syncthreads();
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

// Tile t of a pass's output: rows [begin, end) of its pair, of which those before its first one are begin_a rows of the first run, and those before
// its end are end_a.
template <class Program> struct MergedTile {
  static constexpr int tile = Program::threads * Program::items;
  WF_MEMBER MergedTile(const typename Program::Args& args, int64_t t) : pair(args, t * tile), begin(t * tile - pair.base) {
    const int64_t all = pair.size_a + pair.size_b;
    end = begin + tile < all ? begin + tile : all;
    begin_a = load_fresh(args.begins + t);
    end_a = end == all ? pair.size_a : load_fresh(args.begins + t + 1);
  }
  WF_MEMBER bool is_in_order() const { return begin_a <= end_a && end_a - begin_a <= end - begin; }
  MergedPair pair;
  int64_t begin, end, begin_a, end_a;
};

// begins[t]: the rows of the first run before tile t. After those of all tiles: 1 if they are in order, else 0.
template <class Program> WF_FN void find_begins(const typename Program::Args& args) {
  constexpr int tile = Program::threads * Program::items;
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, tiles = (args.n + tile - 1) / tile;
  if (first < tiles) {
    const MergedPair pair(args, first * tile);
    args.begins[first] = merge_split<Program>(args, pair.size_a, pair.size_b, first * tile - pair.base,
                                              [&](int64_t k) { return Program::load(args, pair.base + k); });
  }
  if (!is_last_block(args.counters)) return;
  bool in_order = true;
  for (int64_t t = threadIdx.x; t < tiles; t += blockDim.x) in_order = in_order && MergedTile<Program>(args, t).is_in_order();
  in_order = __syncthreads_and(in_order);
  if (threadIdx.x == 0) args.begins[tiles] = in_order;
}

template <class Program> WF_FN void merge_tiles(const typename Program::Args& args) {
  constexpr int tile = Program::threads * Program::items;
  __shared__ typename Program::Row rows[tile];
  const int64_t at = int64_t(blockIdx.x) * tile, tiles = gridDim.x;
  const MergedTile<Program> t(args, blockIdx.x);
  const bool merges = args.begins[tiles] != 0;
  const int count = int(t.end - t.begin), size_a = merges ? int(t.end_a - t.begin_a) : count;
  const int64_t a = t.pair.base + (merges ? t.begin_a : t.begin), b = t.pair.base + t.pair.size_a + t.begin - t.begin_a;
  for (int k = int(threadIdx.x); k < count; k += Program::threads) rows[k] = Program::load(args, k < size_a ? a + k : b + k - size_a);
  __syncthreads();
  typename Program::Row own[Program::items];
  const int first = int(threadIdx.x) * Program::items;
  merge_in_block<Program>(args, rows, size_a, count - size_a, first, own);
#pragma unroll
  for (int k = 0; k < Program::items; k++)
    if (first + k < count) rows[first + k] = own[k];
  __syncthreads();
  for (int k = int(threadIdx.x); k < count; k += Program::threads) Program::store(args, at + k, rows[k]);
}

// Rows of a matrix, each sorted on its own in the registers of `lanes` threads, by the network of bitonic merges whose comparisons all have the same
// direction. A row is a sequence of distinct words, or of words of which equal ones need not be told apart; the greatest word fills it up to
// lanes * items.
//
// Source: Batcher, "Sorting networks and their applications" (1968).
//
// Program has Word, threads, items (words per thread), lanes, and the functions word and store.
template <class Word> WF_FN void put_in_order(Word& x, Word& y) {
  const Word low = x < y ? x : y;
  y = x < y ? y : x;
  x = low;
}

// Each thread's words that are `distance`, distance / 2, ..., 1 places apart.
template <int distance, class Word, int items> WF_FN void merge_own(Word (&own)[items]) {
#pragma unroll
  for (int d = distance; d > 0; d /= 2)
#pragma unroll
    for (int k = 0; k < items; k++)
      if ((k & d) == 0) put_in_order(own[k], own[k | d]);
}

template <class Word, int items> WF_FN void sort_own(Word (&own)[items]) {
#pragma unroll
  for (int size = 2; size <= items; size *= 2) {
#pragma unroll
    for (int k = 0; k < items; k++)
      if ((k & (size / 2)) == 0) put_in_order(own[k], own[k ^ (size - 1)]);
#pragma unroll
    for (int d = size / 4; d > 0; d /= 2)
#pragma unroll
      for (int k = 0; k < items; k++)
        if ((k & d) == 0) put_in_order(own[k], own[k | d]);
  }
}

// Compares each word with one of the thread whose number differs in the bits of the mask: the one at the same place, or at the opposite place. A
// thread whose number lacks the mask's highest bit keeps the lesser words. Called by all threads.
template <class Program, bool is_opposite>
WF_FN void compare_threads(typename Program::Word (&own)[Program::items], typename Program::Word* shared, int mask, int highest) {
  using Word = typename Program::Word;
  constexpr int items = Program::items, threads = Program::threads;
  const bool keeps_low = (int(threadIdx.x) & highest) == 0;
  const bool crosses_warps = mask >= 32;
  Word other[items];
  if (crosses_warps) {
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; k++) shared[k * threads + int(threadIdx.x)] = own[k];
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < items; k++) {
    const int place = is_opposite ? items - 1 - k : k;
    other[k] = crosses_warps ? shared[place * threads + (int(threadIdx.x) ^ mask)] : shuffle_xor(own[place], mask);
  }
#pragma unroll
  for (int k = 0; k < items; k++) own[k] = (own[k] < other[k]) == keeps_low ? own[k] : other[k];
}

template <class Program> WF_FN void sort_rows(const typename Program::Args& args) {
  using Word = typename Program::Word;
  constexpr int items = Program::items, threads = Program::threads, lanes = Program::lanes, padded = lanes * items;
  __shared__ Word shared[threads * items / 32 * 33];
  const int thread = int(threadIdx.x), n = int(args.length);
  const int64_t first = int64_t(blockIdx.x) * (threads / lanes), row = first + thread / lanes;
  Word own[items];
#pragma unroll
  for (int k = 0; k < items; k++) {
    const int position = k * lanes + thread % lanes;
    own[k] = row < args.rows && position < n ? Program::word(args, row * n + position, position) : Word(~Word(0));
  }
  sort_own(own);
#pragma unroll 1
  for (int group = 2; group <= lanes; group *= 2) {
    compare_threads<Program, true>(own, shared, group - 1, group / 2);
#pragma unroll 1
    for (int distance = group / 4; distance > 0; distance /= 2) compare_threads<Program, false>(own, shared, distance, distance);
    merge_own<items / 2>(own);
  }
  // Each thread has neighbours; 33 places for 32 words keep the threads' banks apart.
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; k++) {
    const int at = thread * items + k;
    shared[at + at / 32] = own[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; k++) {
    const int at = k * threads + thread, position = at % padded;
    const int64_t to = first + at / padded;
    if (to < args.rows && position < n) Program::store(args, to * n, position, shared[at + at / 32]);
  }
}

}  // namespace wf
