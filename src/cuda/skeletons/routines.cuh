// The small routines, iterate and segment_ids, and the numbers of segments in kernels that read them.
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
// A block finds the segments of a tile's first and last position, and then a thread those of its packs between these. If the offsets are wrong,
// which check_offsets finds out, the numbers are wrong, too, but those of segments.

// The last k in [low, high) with offsets[k] <= position, or low.
WF_FN int64_t segment_of(const int64_t* offsets, int64_t low, int64_t high, int64_t position) {
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (load(offsets + middle) <= position) low = middle;
    else high = middle;
  }
  return low;
}

// The same by one warp, which divides the range into 32 parts at a time.
WF_FN int64_t segment_of_by_warp(const int64_t* offsets, int64_t high, int64_t position) {
  int64_t low = 0;
  while (high - low > 1) {
    const int64_t part = (high - low + 31) / 32, at = low + part * lane_of_thread();
    const bool is_before = lane_of_thread() == 0 || (at < high && load(offsets + at) <= position);
    low += part * (__popc(__ballot_sync(all_lanes, is_before)) - 1);
    high = high < low + part ? high : low + part;
  }
  return low;
}

// The segments of a tile's first and last position. Each stream has its own.
template <int stream> WF_FN int64_t* segments_of_tile() {
  __shared__ int64_t segments[2];
  return segments;
}
// Called by all threads of a block. all: the number of segments.
template <int stream> WF_FN void find_segments(const int64_t* offsets, int64_t all, int64_t first, int64_t last) {
  __syncthreads();  // the tile before has been read
  for (int k = warp_of_thread(); k < 2; k += int(blockDim.x) / 32) {
    const int64_t segment = segment_of_by_warp(offsets, all, k == 0 ? first : last);
    if (lane_of_thread() == 0) segments_of_tile<stream>()[k] = segment;
  }
  __syncthreads();
}

// The numbers of the segments of a pack that begins at i. Offsets and positions of a tile differ by less than 2^31, so their low words suffice.
template <int stream, class T, int P> WF_FN void number_pack(const int64_t* offsets, int64_t i, Pack<T, P>& to) {
  const int64_t first = segments_of_tile<stream>()[0], more = segments_of_tile<stream>()[1] - first;
  const unsigned count = unsigned(more < 0 ? 0 : more < 0x7fffffff ? more : 0x7fffffff) + 1;
  const uint2* const begins = reinterpret_cast<const uint2*>(offsets + first);
  // The distance from i to the begin of segment k.
  const auto distance = [&](unsigned k) { return int(__ldg(&begins[k].x) - unsigned(i)); };
  unsigned k = 0;
  int next = 0;  // the distance to the begin of segment k + 1
#pragma unroll
  for (int p = 0; p < P; p++) {
    if (p == 0 || p >= next) {
      unsigned high = count;
      k += p > 0;
      while (high - k > 1) {
        const unsigned middle = (k + high) / 2;
        if (distance(middle) <= p) k = middle;
        else high = middle;
      }
      next = k + 1 < count ? distance(k + 1) : P;
    }
    to.at[p] = T(first + k);
  }
}

}  // namespace wf
