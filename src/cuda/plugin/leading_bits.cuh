// A radix sort by the bits that tell nearly all keys apart.
//
// A sample of the keys shows which bits vary, and how many passes of 8 bits, from the highest one that varies on, leave few different keys with
// equal bits. After a sort by these bits alone, a pass over the keys finds runs of keys with equal bits that are not in order, by their
// inversions (a key before a lesser one). A thread sorts each short run. The few long ones, in which two or more frequent keys are mixed, are
// sorted one by one by their lower bits.
//
// Keys of a small range, such as indices, need fewer passes and no search: one pass over all keys confirms the range before the sort.
// If the sample was misleading, all keys are sorted again by all bits.
//
// Cost: the passes and one more read of the keys; the host waits twice. Random keys of 64 bits take 4 or 5 passes.
#pragma once

#include "cuda/plugin/keys.cuh"

namespace wf::cuda {
namespace {

using Position = uint32_t;
using Wide = unsigned long long;
constexpr int threads = 256;

// One sort by one column, whose positions or other column of 4 bytes, if it has any, are the values.
template <class K> struct KeySort {
  const K* from;
  K* to;
  bool has_values;
  const Position* values;  // null without memory, too
  Position* sorted_values;
  Position n;
  cudaStream_t stream;

  // CUB's sort by the bits [begin, end). If memory is null, sets `bytes`.
  cudaError_t run(void* memory, size_t& bytes, int begin, int end) const {
    return has_values ? cub::DeviceRadixSort::SortPairs(memory, bytes, from, to, values, sorted_values, n, begin, end, stream)
                      : cub::DeviceRadixSort::SortKeys(memory, bytes, from, to, n, begin, end, stream);
  }
};

// ---- the sample ----------------------------------------------------------------------------------------------------------------

constexpr int digit_bits = 8, most_passes = 8, table_bits = 17;
constexpr Position samples = 1 << 16, table_size = 1 << table_bits;
constexpr Wide no_word = ~Wide(0);

struct Sampled {
  Wide varying;                 // the bits in which keys differ
  Position mixed[most_passes];  // keys whose leading bits, of that many passes, equal those of a different key
};

__device__ inline Position scattered(Wide x) { return Position((x * 0x9e3779b97f4a7c15u) >> 32); }

// Adds the bits that vary in the words of a warp's threads.
__device__ inline void add_varying(Wide varying, Wide* to) {
  for (int apart = 16; apart > 0; apart /= 2) varying |= __shfl_xor_sync(~0u, varying, apart);
  if (threadIdx.x % 32 == 0 && varying != 0) atomicOr(to, varying);
}

// One key from each of equal pieces.
template <class K> __global__ void take_sample(const K* keys, Position n, Wide* sample, Sampled* sampled) {
  using Traits = cub::NumericTraits<K>;
  const Position i = blockIdx.x * threads + threadIdx.x;
  const Position at = Position(Wide(i) * n / samples) + scattered(i + 1) % (n / samples);
  const Wide word = Traits::TwiddleIn(keys[at].bits);
  sample[i] = word;
  add_varying(word ^ Traits::TwiddleIn(keys[0].bits), &sampled->varying);
}

// Block (x, y) counts mixed keys for y + 1 passes. A table has the first word found for each value of the leading bits.
__global__ void count_mixed(const Wide* sample, Wide* tables, Sampled* sampled) {
  const int passes = blockIdx.y + 1, begin = 64 - __clzll(sampled->varying | 1) - passes * digit_bits;
  const Wide word = sample[blockIdx.x * threads + threadIdx.x];
  if (begin <= 0 || word == no_word) return;
  volatile Wide* const table = tables + blockIdx.y * table_size;
  Position slot = scattered(word >> begin);
  for (int probe = 0; probe < 8; probe++, slot++) {
    Wide* const at = const_cast<Wide*>(table + slot % table_size);
    Wide known = table[slot % table_size];
    if (known == no_word) known = atomicCAS(at, no_word, word);
    if (known == no_word || known == word) return;
    if (known >> begin != word >> begin) continue;
    atomicAdd(&sampled->mixed[blockIdx.y], 1);
    return;
  }
}

// Finds the bits that vary among all keys.
template <class K> __global__ void find_varying(const K* keys, Position n, Wide* to) {
  using Traits = cub::NumericTraits<K>;
  constexpr int unrolled = 8;
  const Wide first = Traits::TwiddleIn(keys[0].bits), step = Wide(gridDim.x) * threads * unrolled;
  Wide varying = 0;
  for (Wide begin = Wide(blockIdx.x) * threads * unrolled; begin < n; begin += step) {
#pragma unroll
    for (int k = 0; k < unrolled; k++) {
      const Wide i = begin + k * threads + threadIdx.x;
      if (i < n) varying |= Traits::TwiddleIn(keys[i].bits) ^ first;
    }
  }
  add_varying(varying, to);
}

// ---- runs of keys with equal leading bits ---------------------------------------------------------------------------------------

constexpr Position longest_short_run = 32, most_long_runs = 64;

struct LongRun {
  Position begin_and_1, end;
};  // begin_and_1: 0 for none

struct MixedRuns {
  Position failed, short_runs;  // failed: the keys are not in the order of their leading bits, or there are too many runs
  LongRun long_runs[most_long_runs];
};

// The keys, sorted by their bits from `begin` on.
template <class K> struct Leading {
  using Traits = cub::NumericTraits<K>;
  using Word = decltype(K::bits);
  const K* keys;
  Position n;
  int begin;

  __device__ Word word(Position i) const { return Traits::TwiddleIn(keys[i].bits); }
  __device__ Word leading(Position i) const { return Word(word(i) >> begin); }

  // Returns the first position in [low, high) whose leading bits are at least (or_greater: greater than) those; high if there is none.
  __device__ Position search(Position low, Position high, Word bits, bool or_greater) const {
    while (low < high) {
      const Position middle = low + (high - low) / 2;
      const Word there = leading(middle);
      if (there < bits || (or_greater && there == bits)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

__device__ inline void add_long_run(Position begin, Position end, MixedRuns* found) {
  Position slot = scattered(begin);
  for (Position probe = 0; probe < most_long_runs; probe++, slot++) {
    LongRun& run = found->long_runs[slot % most_long_runs];
    const Position known = atomicCAS(&run.begin_and_1, 0, begin + 1);
    if (known == 0) run.end = end;
    if (known == 0 || known == begin + 1) return;
  }
  found->failed = 1;
}

// Records the run around an inversion, keys i and i + 1. The thread of a short run's first inversion does.
template <class K>
__device__ void add_run(const Leading<K>& sorted, Position i, MixedRuns* found, Position* short_runs, Position capacity) {
  using Word = typename Leading<K>::Word;
  if (*static_cast<volatile Position*>(&found->failed)) return;
  const Word bits = sorted.leading(i);
  if (bits != sorted.leading(i + 1)) {
    found->failed = 1;
    return;
  }
  Position first = i, end = i + 2;
  for (Word word = sorted.word(i); first > 0 && i - first < longest_short_run; first--) {
    const Word before = sorted.word(first - 1);
    if (Word(before >> sorted.begin) != bits) break;
    if (before > word) return;
    word = before;
  }
  while (end < sorted.n && end - first <= longest_short_run && sorted.leading(end) == bits) end++;
  if (end - first > longest_short_run)
    return add_long_run(sorted.search(0, first, bits, false), sorted.search(end, sorted.n, bits, true), found);
  const Position at = atomicAdd(&found->short_runs, 1);
  if (at < capacity) short_runs[at] = first;
  else found->failed = 1;
}

template <class K> __global__ void find_mixed_runs(Leading<K> sorted, MixedRuns* found, Position* short_runs, Position capacity) {
  constexpr int unrolled = 8;
  using Word = typename Leading<K>::Word;
  const Wide begin = Wide(blockIdx.x) * threads * unrolled + threadIdx.x;
  Word words[unrolled], next[unrolled];
#pragma unroll
  for (int k = 0; k < unrolled; k++) {
    const Wide i = begin + k * threads;
    words[k] = i < sorted.n ? sorted.word(Position(i)) : Word(~Word(0));
    next[k] = i + 1 < sorted.n ? sorted.word(Position(i + 1)) : Word(~Word(0));
  }
#pragma unroll
  for (int k = 0; k < unrolled; k++)
    if (words[k] > next[k]) add_run(sorted, Position(begin + k * threads), found, short_runs, capacity);
}

// A thread sorts a short run by insertion, which is stable.
template <class K>
__global__ void sort_short_runs(Leading<K> sorted, K* keys, Position* values, const Position* short_runs, Position count) {
  using Word = typename Leading<K>::Word;
  const Position k = blockIdx.x * threads + threadIdx.x;
  if (k >= count) return;
  const Position first = short_runs[k];
  const Word bits = sorted.leading(first);
  for (Position i = first + 1; i < sorted.n && sorted.leading(i) == bits; i++) {
    const K key = keys[i];
    const Position value = values ? values[i] : 0;
    const Word word = sorted.word(i);
    Position at = i;
    for (; at > first && sorted.word(at - 1) > word; at--) {
      keys[at] = keys[at - 1];
      if (values) values[at] = values[at - 1];
    }
    keys[at] = key;
    if (values) values[at] = value;
  }
}

// ---- the sort ------------------------------------------------------------------------------------------------------------------

// The least number of keys for which a sample, and waiting for it, cost a few percent of a sort.
template <class K> constexpr Position fewest_to_sample = sizeof(K) == 8 ? 1 << 24 : 1 << 26;

// A sort in working memory of `bytes` bytes that suffices for a sort by all bits. Its steps return false if an error occurred, or if the keys
// must be sorted by all bits instead.
template <class K> class LeadingBitsSort {
 public:
  LeadingBitsSort(const KeySort<K>& sort, void* memory, size_t bytes) : sort_(sort), memory_(static_cast<char*>(memory)), bytes_(bytes) {}

  bool run() { return choose_bits() && sort_by(begin_, end_) && (begin_ == 0 || mend()); }
  cudaError_t error() const { return error_; }

 private:
  static constexpr int all_bits = 8 * sizeof(K), all_passes = all_bits / digit_bits;
  static constexpr Position fraction = 16;  // at most this part of the keys begin short runs

  // Chooses the bits [begin_, end_) if they take fewer passes than all.
  bool choose_bits() {
    Sampled* const at = memory_at<Sampled>(0);
    Wide* const sample = memory_at<Wide>(256);
    Wide* const tables = sample + samples;
    set(at, 0, sizeof(Sampled));
    set(tables, 0xff, (all_passes - 1) * table_size * sizeof(Wide));
    launch(samples, [&](unsigned blocks) {
      take_sample<<<blocks, threads, 0, sort_.stream>>>(sort_.from, sort_.n, sample, at);
      count_mixed<<<dim3(blocks, all_passes - 1), threads, 0, sort_.stream>>>(sample, tables, at);
    });
    Sampled sampled;
    if (!fetch(sampled, at)) return false;
    end_ = 64 - __builtin_clzll(sampled.varying | 1);
    int passes = (end_ + digit_bits - 1) / digit_bits;
    double least = passes;  // as if the search for runs were free: it costs about half a pass, as the confirmation of the range does
    for (int p = 1; p * digit_bits < end_; p++)
      if (const double cost = p + mending(sampled, p); cost < least) passes = p, least = cost;
    begin_ = passes * digit_bits < end_ ? end_ - passes * digit_bits : 0;
    if (passes >= all_passes) return false;
    return begin_ > 0 || confirm_range(&at->varying);
  }

  // Returns the expected cost of mending after p passes, in passes. A pair of the sample stands for (n / samples)^2 pairs of keys, so that few are
  // not seen. But a pass more divides their number by 256, if the bits are those of a hash.
  double mending(const Sampled& sampled, int p) const {
    constexpr double keys_of_pair = 128;  // that a pass moves in the time of mending a pair
    const double pieces = double(sort_.n) / samples, seen = sampled.mixed[p - 1];
    const double unseen = p > 1 ? double(sampled.mixed[p - 2]) / (1 << digit_bits) : 0;
    return (seen > unseen ? seen : unseen) * pieces * pieces * keys_of_pair / double(sort_.n);
  }

  bool confirm_range(Wide* at) {
    constexpr unsigned most_blocks = 4096;
    set(at, 0, sizeof(Wide));
    launch(sort_.n / 8 + 1, [&](unsigned blocks) {
      if (blocks > most_blocks) blocks = most_blocks;
      find_varying<<<blocks, threads, 0, sort_.stream>>>(sort_.from, sort_.n, at);
    });
    Wide varying;
    return fetch(varying, at) && (end_ == 64 || varying >> end_ == 0);
  }

  bool sort_by(int begin, int end) {
    size_t bytes = bytes_;
    keep(sort_.run(memory_, bytes, begin, end));
    return error_ == cudaSuccess;
  }

  // Sorts the runs of keys with equal bits from begin_ on that are not in order.
  bool mend() {
    const Leading<K> sorted{sort_.to, sort_.n, begin_};
    const Position capacity = sort_.n / fraction;
    MixedRuns* const at = memory_at<MixedRuns>(0);
    Position* const short_runs = memory_at<Position>(1024);
    set(at, 0, sizeof(MixedRuns));
    launch(sort_.n / 8 + 1,
           [&](unsigned blocks) { find_mixed_runs<<<blocks, threads, 0, sort_.stream>>>(sorted, at, short_runs, capacity); });
    MixedRuns found;
    if (!fetch(found, at) || found.failed) return false;
    if (found.short_runs > 0)
      launch(found.short_runs, [&](unsigned blocks) {
        sort_short_runs<<<blocks, threads, 0, sort_.stream>>>(sorted, sort_.to, sort_.sorted_values, short_runs, found.short_runs);
      });
    Position long_keys = 0;
    for (const LongRun& run : found.long_runs)
      if (run.begin_and_1 > 0) long_keys += run.end - (run.begin_and_1 - 1);
    if (long_keys > sort_.n / 4) return false;
    for (const LongRun& run : found.long_runs)
      if (run.begin_and_1 > 0 && !sort_long_run(run.begin_and_1 - 1, run.end)) return false;
    return error_ == cudaSuccess;
  }

  bool sort_long_run(Position begin, Position end) {
    KeySort<K> run = sort_;
    run.n = end - begin;
    run.to = sort_.to + begin;
    K* const keys = memory_at<K>(0);
    const size_t after_keys = aligned(run.n * sizeof(K)),
                 after_values = sort_.has_values ? after_keys + aligned(run.n * sizeof(Position)) : after_keys;
    run.from = keys;
    copy(keys, run.to, run.n * sizeof(K));
    if (sort_.has_values) {
      Position* const values = memory_at<Position>(after_keys);
      run.sorted_values = sort_.sorted_values + begin;
      run.values = values;
      copy(values, run.sorted_values, run.n * sizeof(Position));
    }
    size_t bytes = 0;
    keep(run.run(nullptr, bytes, 0, begin_));
    if (error_ != cudaSuccess || after_values + bytes > bytes_) return false;
    keep(run.run(memory_ + after_values, bytes, 0, begin_));
    return error_ == cudaSuccess;
  }

  static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }
  // The working memory from a multiple of 256 bytes on. A sort uses it anew.
  template <class T> T* memory_at(size_t offset) const { return reinterpret_cast<T*>(memory_ + offset); }

  void set(void* to, int byte, size_t bytes) { keep(cudaMemsetAsync(to, byte, bytes, sort_.stream)); }
  void copy(void* to, const void* from, size_t bytes) { keep(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, sort_.stream)); }
  template <class T> bool fetch(T& to, const void* from) {
    keep(cudaMemcpyAsync(&to, from, sizeof(T), cudaMemcpyDeviceToHost, sort_.stream));
    keep(cudaStreamSynchronize(sort_.stream));
    return error_ == cudaSuccess;
  }
  template <class Launch> void launch(Position count, Launch launch) {
    launch((count + threads - 1) / threads);
    keep(cudaGetLastError());
  }
  void keep(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }

  const KeySort<K> sort_;
  char* const memory_;
  const size_t bytes_;
  int begin_ = 0, end_ = 0;
  cudaError_t error_ = cudaSuccess;
};

}  // namespace
}  // namespace wf::cuda
