// Loads and stores: packs of consecutive elements in one access of up to 16 bytes, bounds-checked single elements, and the record
// of the first index that was out of range.
#pragma once

#include "ops.cuh"

namespace wf {

template <int bytes> struct Word;
template <> struct Word<1> { using type = unsigned char; };
template <> struct Word<2> { using type = unsigned short; };
template <> struct Word<4> { using type = unsigned; };
template <> struct Word<8> { using type = uint2; };
template <> struct Word<16> { using type = uint4; };

// P consecutive elements, 16 bytes at most.
template <class T, int P> struct alignas(sizeof(T) * P) Pack {
  T at[P];
  // Rotates the elements down by one place, so that a loop that is not unrolled can read each of them in place 0.
  WF_MEMBER void turn() {
    const T first = at[0];
#pragma unroll
    for (int p = 1; p < P; p++) at[p - 1] = at[p];
    at[P - 1] = first;
  }
};

// `from` must be aligned as a pack.
template <class T, int P> WF_FN void load_pack(const T* from, Pack<T, P>& to) {
  using W = typename Word<sizeof(to)>::type;
  *reinterpret_cast<W*>(to.at) = __ldg(reinterpret_cast<const W*>(from));
}

// Copies from global to shared memory, asynchronously on sm_80 and later; complete after wait_for_copies.
template <class T, int P> WF_FN void copy_to_shared(const T* from, Pack<T, P>& to) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(to) >= 4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(unsigned(__cvta_generic_to_shared(to.at))), "l"(from), "n"(sizeof(to))
                 : "memory");
    return;
  }
#endif
  load_pack(from, to);
}
WF_FN void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies a pack to, from or within shared memory, in one access.
template <class T, int P> WF_FN void copy_pack(const T* from, Pack<T, P>& to) {
  using W = typename Word<sizeof(to)>::type;
  *reinterpret_cast<W*>(to.at) = *reinterpret_cast<const W*>(from);
}

// Stores with a streaming hint: this kernel does not read the data again.
template <class T, int P> WF_FN void store_pack(T* to, const Pack<T, P>& from) {
  using W = typename Word<sizeof(from)>::type;
  __stcs(reinterpret_cast<W*>(to), *reinterpret_cast<const W*>(from.at));
}

// Stores get(0), ..., get(count - 1), which this kernel does not read again. `to` is aligned as a pack of them, or to 16 bytes.
template <int count, class T, class Get> WF_FN void store_elements(T* to, const Get& get) {
  constexpr int part = count * sizeof(T) > 16 ? int(16 / sizeof(T)) : count;
#pragma unroll
  for (int first = 0; first < count; first += part) {
    Pack<T, part> pack;
#pragma unroll
    for (int p = 0; p < part; p++) pack.at[p] = get(first + p);
    store_pack(to + first, pack);
  }
}

// Called by one warp; consecutive lanes copy consecutive elements.
template <class T> WF_FN void copy_run(T* to, const T* from, int count) {
  using W = typename Word<sizeof(T)>::type;
  const int lane = int(threadIdx.x) & 31;
  W* target = reinterpret_cast<W*>(to) + lane;
  const W* source = reinterpret_cast<const W*>(from) + lane;
  int left = count - lane;
#pragma unroll 1
  for (; left > 96; left -= 128, target += 128, source += 128) {
    const W words[] = {source[0], source[32], source[64], source[96]};
#pragma unroll
    for (int k = 0; k < 4; k++) __stcs(target + 32 * k, words[k]);
  }
#pragma unroll 1
  for (; left > 0; left -= 32, target += 32, source += 32) __stcs(target, *source);
}

template <class T> WF_FN T load(const T* from) {
  using W = typename Word<sizeof(T)>::type;
  W word = __ldg(reinterpret_cast<const W*>(from));
  T x;
  memcpy(&x, &word, sizeof(T));
  return x;
}

// The same for an element that is not read again: caches evict it first.
template <class T> WF_FN T load_streamed(const T* from) {
  using W = typename Word<sizeof(T)>::type;
  W word = __ldcs(reinterpret_cast<const W*>(from));
  T x;
  memcpy(&x, &word, sizeof(T));
  return x;
}

// Loads data that another block wrote, bypassing the L1 cache. T's size is a multiple of 4.
template <class T> WF_FN T load_fresh(const T* from) {
  const volatile unsigned* words = reinterpret_cast<const volatile unsigned*>(from);
  unsigned copy[sizeof(T) / 4];
#pragma unroll
  for (int k = 0; k < int(sizeof(T) / 4); k++) copy[k] = words[k];
  T x;
  memcpy(&x, copy, sizeof(T));
  return x;
}

// Tells the host that a kernel's results are complete: the word before them is not 0 then. What threads of the grid wrote before they met the
// caller at a barrier, or at is_last_block, is visible to the host first. Only a kernel for whose results the host waits may call it: others may
// still run when the host waits for the next one.
WF_FN void announce(uint64_t* results) { store_release_to_host(results - 1, 1); }

template <class T> constexpr bool is_int32 = false;
template <> inline constexpr bool is_int32<int32_t> = true;

// Returns true if index is in [0, length).
template <class I> WF_FN bool is_below(I index, int64_t length) {
  if constexpr (is_int32<I>) return unsigned(index) < (uint64_t(length) < 0x80000000u ? unsigned(length) : 0x80000000u);
  else return uint64_t(index) < uint64_t(length);
}

// Returns column[index], or 0 if index is outside [0, length).
template <class T, class I> WF_FN T element(const T* column, int64_t length, I index) {
  return load_if(is_below(index, length), column + index);
}

// The fault with the least domain index; at = -1 if there is none. The host resets it.
struct Fault {
  uint64_t at;
  int64_t index, length;
  unsigned lock;
};
// The fault of the least row, and of this row's checks the first one. The host sets `row` to -1, with `at`.
struct RowFault : Fault {
  uint64_t row, place;  // of the recorded index; place: in the order in which one thread would evaluate the row
  uint64_t* any;        // in host memory: not 0 if one of a queue's records has a fault
};

// Tells the host that there is a fault. It reads no records otherwise.
WF_FN void raise(Fault* fault) { *static_cast<volatile uint64_t*>(static_cast<RowFault*>(fault)->any) = 1; }

// Faults are rare, but a kernel with one may have millions. So only a fault with a smaller domain index than all recorded
// faults takes the lock, and only the least of them writes its index and length.
static __device__ __noinline__ void record(Fault* fault, int64_t at, int64_t index, int64_t length) {
  volatile Fault* first = fault;
  if (uint64_t(at) >= first->at || atomicMin(&fault->at, uint64_t(at)) <= uint64_t(at)) return;
  raise(fault);
  for (bool done = false; !done;) {
    if (atomicCAS(&fault->lock, 0u, 1u) != 0u) continue;
    __threadfence();
    if (uint64_t(at) == first->at) {
      first->index = index;
      first->length = length;
    }
    __threadfence();
    atomicExch(&fault->lock, 0u);
    done = true;
  }
}

// Records a fault if guard is true and index is outside [0, length). Returns true if so.
WF_FN bool check(Fault* fault, int64_t at, int64_t index, int64_t length, bool guard) {
  const bool fails = guard && uint64_t(index) >= uint64_t(length);
  if (fails) record(fault, at, index, length);
  return fails;
}

// The checks of indices of an evaluation. They record faults, or only tell whether there is one, which takes no branches. A type of its own for each
// way, as an argument of templates, would cost NVRTC minutes for long bodies.
struct Checks {
  Fault* fault = nullptr;
  bool records = false;
  bool any = false;  // a fault was found that is not recorded
  // Returns true if the index is in range.
  template <class I> WF_MEMBER bool check(int64_t at, I index, int64_t length, bool guard) {
    const bool is_in_range = is_below(index, length);
    if (records) wf::check(fault, at, index, length, guard);
    else any |= guard & !is_in_range;
    return is_in_range;
  }
};

// As record; of faults of one row, the first one is kept.
static __device__ __noinline__ void record_in_row(Fault* fault, int64_t at, uint64_t place, int64_t index, int64_t length) {
  volatile RowFault* const first = static_cast<RowFault*>(fault);
  const uint64_t row = uint64_t(at);
  if (row > first->at || atomicMin(&fault->at, row) < row) return;
  raise(fault);
  if (first->row == row) {
    __threadfence();
    if (place >= first->place) return;
  }
  for (bool done = false; !done;) {
    if (atomicCAS(&fault->lock, 0u, 1u) != 0u) continue;
    __threadfence();
    if (row == first->at && (first->row != row || place < first->place)) {
      first->row = ~uint64_t(0);  // while its place changes
      __threadfence();
      first->place = place;
      first->index = index;
      first->length = length;
      __threadfence();
      first->row = row;
    }
    __threadfence();
    atomicExch(&fault->lock, 0u);
    done = true;
  }
}
WF_FN bool check_in_row(Fault* fault, int64_t at, uint64_t place, int64_t index, int64_t length, bool guard) {
  const bool fails = guard && uint64_t(index) >= uint64_t(length);
  if (fails) record_in_row(fault, at, place, index, length);
  return fails;
}

// Returns true if a fault that precedes this place of row `at` is recorded: what comes from there on need not be computed.
WF_FN bool is_after_fault(const Fault* fault, int64_t at, uint64_t place) {
  const volatile RowFault* const first = static_cast<const RowFault*>(fault);
  return first->at < uint64_t(at) || (first->at == uint64_t(at) && first->row == uint64_t(at) && first->place < place);
}

}  // namespace wf
