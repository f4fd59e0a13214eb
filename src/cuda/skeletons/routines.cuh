// The small routines, iterate, join and segment_ids, and the numbers of segments in kernels that read them.
#pragma once

#include "memory.cuh"
#include "ops.cuh"
#include "warp.cuh"

namespace wf {

// ---- iterate -------------------------------------------------------------------------------------------------------------------

// A function applied from state to state, by one thread. The block's threads read a tile of elements, one of them computes the states after
// each, and all write the states.
//
// Program has State, Element, tile and the functions initial, load, next and store.
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

// ---- join ----------------------------------------------------------------------------------------------------------------------

struct JoinedPart {
  const void* data;
  int64_t end;  // in a row
};
struct JoinArgs {
  const JoinedPart* parts;
  void* out;
  int64_t count, n, width;  // parts, elements, and elements of a row
};

// The number of the part in [low, high] that contains the position of a row.
WF_FN int64_t part_of(const JoinArgs& a, int64_t low, int64_t high, int64_t position) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (load(&a.parts[middle].end) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

// out[i] = the element of the part that contains i. A block of one row searches only among the parts of its first and last element.
template <class T, int threads, int items> WF_FN void join(const JoinArgs& a) {
  __shared__ int64_t bounds[2];
  const int thread = int(threadIdx.x);
  const int64_t first = int64_t(blockIdx.x) * (threads * items), last = first + threads * items < a.n ? first + threads * items : a.n;
  const bool is_one_row = a.width == a.n;
  if (thread % 32 == 0 && thread < 64)
    bounds[thread / 32] = is_one_row ? part_of(a, 0, a.count - 1, thread == 0 ? first : last - 1) : thread == 0 ? 0 : a.count - 1;
  __syncthreads();
  const int64_t low = bounds[0], high = bounds[1];
  T* const out = static_cast<T*>(a.out);
#pragma unroll 4
  for (int64_t i = first + thread; i < last; i += threads) {
    const int64_t row = is_one_row ? 0 : i / a.width, position = i - row * a.width, part = part_of(a, low, high, position);
    const int64_t begin = part > 0 ? load(&a.parts[part - 1].end) : 0, width = load(&a.parts[part].end) - begin;
    out[i] = static_cast<const T*>(a.parts[part].data)[row * width + (position - begin)];
  }
}

// ---- segment_ids ---------------------------------------------------------------------------------------------------------------

// The number of the segment that contains each position: the last k with offsets[k] <= position.
//
// A block takes an equal share of the offsets and positions merged in order (merge path; Odeh, Green, Mwassi, Shmueli, Birk 2012), so that
// neither long segments nor many empty ones keep a block busy for long. Offset k is element offsets[k] + k of the merged sequence. A block
// marks the positions at which its segments begin by their numbers, of which it takes prefixes by max.

struct SegmentArgs {
  const int64_t* offsets;
  void* out;
  int64_t count, n;  // offsets and positions
  int64_t last;      // the number of the offset that is n: count - 1, or count if the offsets lack it
  Fault* fault;
};

// Returns the number of offsets among the first `merged` elements of the merged sequence, by one warp. It is within the bounds that keep the
// number of positions in [0, n], even if the offsets are not in order.
WF_FN int64_t offsets_before(const SegmentArgs& a, int64_t merged) {
  int64_t low = merged > a.n ? merged - a.n : 0, high = merged < a.count ? merged : a.count;
  while (low < high) {
    const int64_t part = (high - low + 31) / 32, last = low + part * (lane_of_thread() + 1) - 1;
    const bool is_before = last < high && int64_t(uint64_t(load(a.offsets + last)) + uint64_t(last)) < merged;
    low += part * __popc(__ballot_sync(all_lanes, is_before));
    high = high < low + part - 1 ? high : low + part - 1;
  }
  return low;
}

// The check of wrong_offset (engine/segment_offsets.h) for offset k.
WF_FN void check_offset(const SegmentArgs& a, int64_t k, int64_t begin, int64_t end) {
  const uint64_t above_end = uint64_t(end) + 1, above_n = uint64_t(a.n) + 1;
  if (uint64_t(begin) >= above_end) record(a.fault, k, begin, int64_t(above_end));
  else if (uint64_t(end) >= above_n) record(a.fault, k, end, int64_t(above_n));
  else if (k == 0 && begin != 0) record(a.fault, k, begin, 1);
  else if (k == a.last && uint64_t(a.n) >= above_end) record(a.fault, k, a.n, int64_t(above_end));
}

// items: positions per thread, an odd number, so that threads read different banks of shared memory.
template <class Out, int threads, int items> WF_FN void segment_ids(const SegmentArgs& a) {
  constexpr int tile = threads * items, warps = threads / 32;
  __shared__ int numbers[tile];  // of segments, from the block's first offset on
  __shared__ int64_t bounds[2];
  __shared__ int of_warps[warps];
  const int thread = int(threadIdx.x), warp = warp_of_thread();
  const int64_t first = int64_t(blockIdx.x) * tile, all = a.count + a.n, last = first + tile < all ? first + tile : all;
  for (int p = thread; p < tile; p += threads) numbers[p] = -1;
  if (warp < 2) bounds[warp] = offsets_before(a, warp == 0 ? first : last);
  __syncthreads();

  const int64_t segment = bounds[0], position = first - segment;
  const int offsets = int(bounds[1] - segment), positions = int(last - first) - offsets;
  for (int k = thread; k < offsets; k += threads) {
    const int64_t number = segment + k, end = load(a.offsets + number), begin = number > 0 ? load(a.offsets + number - 1) : end;
    check_offset(a, number, begin, end);
    const int64_t at = end - position;
    if (uint64_t(at) < uint64_t(positions)) atomicMax(numbers + at, k);
  }
  __syncthreads();

  int* const own = numbers + thread * items;
  int greatest = -1;
#pragma unroll
  for (int p = 0; p < items; p++) greatest = greatest > own[p] ? greatest : own[p];
  const auto max = [](int x, int y) { return x > y ? x : y; };
  const int through = warp_scan(greatest, max);
  if (lane_of_thread() == 31) of_warps[warp] = through;
  __syncthreads();
  int before = shuffle_up(through, 1);
  if (lane_of_thread() == 0) before = -1;
  for (int w = 0; w < warp; w++) before = max(before, of_warps[w]);
#pragma unroll
  for (int p = 0; p < items; p++) own[p] = before = max(before, own[p]);
  __syncthreads();
  Out* const out = static_cast<Out*>(a.out) + position;
  for (int p = thread; p < positions; p += threads) out[p] = Out(segment + numbers[p]);
}

// Looks at all offsets, by all threads of the grid.
WF_FN void check_offsets(const SegmentArgs& a) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < a.count; k += step)
    check_offset(a, k, load(a.offsets + (k > 0 ? k - 1 : 0)), load(a.offsets + k));
}

// ---- numbers in a kernel that reads them ---------------------------------------------------------------------------------------
//
// A warp finds the segment of the first position of its part of a tile. Row by row, it marks the positions at which later segments begin by their
// numbers, in shared memory, and carries the numbers on. If the offsets are wrong, which check_offsets finds out, the numbers are wrong, too, but
// those of segments.

// The last k in [low, high) with offsets[k] <= position, or low.
WF_FN int64_t segment_of(const int64_t* offsets, int64_t low, int64_t high, int64_t position) {
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (load(offsets + middle) <= position) low = middle;
    else high = middle;
  }
  return low;
}

// The same in [0, high) by one warp, which divides the range into 32 parts at a time.
static __device__ __noinline__ int64_t segment_of_by_warp(const int64_t* offsets, int64_t high, int64_t position) {
  int64_t low = 0;
  for (int log_part = high > 1 ? (63 - __clzll(high - 1)) / 5 * 5 : -1; log_part >= 0; log_part -= 5) {
    const int64_t at = low + (int64_t(lane_of_thread()) << log_part);
    const bool is_before = lane_of_thread() == 0 || (at < high && load(offsets + at) <= position);
    low += int64_t(__popc(__ballot_sync(all_lanes, is_before)) - 1) << log_part;
  }
  return low;
}

// Marks the begins of the segments from `next` on at those of the `count` positions from `first` on that they are. Where several segments begin,
// all but the last one are empty. Returns the next segment. Called by one warp.
template <int count, class T> WF_FN int64_t mark_begins(const int64_t* offsets, int64_t all, int64_t first, int64_t next, T* marks) {
  while (true) {
    const int64_t k = next + lane_of_thread(), distance = k < all ? load(offsets + k) - first : count;
    const int at = uint64_t(distance) < uint64_t(count) ? int(distance) : count, after = shuffle_down(at, 1);
    if (at < count && (lane_of_thread() == 31 || at != after)) marks[at] = T(k);
    const int last = broadcast(at, 31);
    if (last == count) return next + __popc(__ballot_sync(all_lanes, at < count));
    next += 32;
    __syncwarp();  // a later mark in the same place replaces this one
    if (broadcast(at, 0) != last) continue;
    // Many empty segments begin there: the last one follows at once.
    const int64_t found = segment_of_by_warp(offsets, all, first + last);
    if (found < next) continue;
    if (lane_of_thread() == 0) marks[last] = T(found);
    next = found + 1;
  }
}

// Calls store(row, numbers) for the packs of a warp's part of a tile, which begins at `first`: the numbers of their positions' segments. all: the
// number of segments. Called by all threads of a block.
template <class T, int threads, int pack, int rows, class Store>
WF_FN void number_part(const int64_t* offsets, int64_t all, int64_t first, const Store& store) {
  constexpr int count = 32 * pack;
  __shared__ __align__(16) T marks[threads * pack];
  T* const of_warp = marks + warp_of_thread() * count;
  Pack<T, pack>& own = *reinterpret_cast<Pack<T, pack>*>(of_warp + lane_of_thread() * pack);
  int64_t next = segment_of_by_warp(offsets, all, first) + 1;
  T before = T(next - 1);  // the number of the position before the row
#pragma unroll
  for (int r = 0; r < rows; r++) {
    Pack<T, pack> mine = {};
    copy_pack(mine.at, own);
    __syncwarp();
    next = mark_begins<count>(offsets, all, first + r * count, next, of_warp);
    __syncwarp();
    copy_pack(own.at, mine);
#pragma unroll
    for (int p = 1; p < pack; p++)
      if (mine.at[p] == 0) mine.at[p] = mine.at[p - 1];
    const T last = mine.at[pack - 1];
    const unsigned marked = __ballot_sync(all_lanes, last != 0), below = marked & ((1u << lane_of_thread()) - 1);
    const T left = __shfl_sync(all_lanes, last, 31 - __clz(int(below))), through = __shfl_sync(all_lanes, last, 31 - __clz(int(marked)));
    const T carry = below != 0 ? left : before;
#pragma unroll
    for (int p = 0; p < pack; p++)
      if (mine.at[p] == 0) mine.at[p] = carry;
    if (marked != 0) before = through;
    store(r, mine);
  }
}

}  // namespace wf
