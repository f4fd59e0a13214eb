// Scattering integers: every element is combined with the element at its index, by atomic operations. All of them commute, so the result does
// not depend on who comes first. Few elements have a table in each block's shared memory, which is combined with the result at the end.
//
// A table has several copies, whose elements are interleaved: 32 copies of 4-byte elements have a memory bank per lane, so that the lanes of a
// warp never wait for each other, however often an index occurs.
//
// Floats are combined into few elements, in an order that depends on positions alone: every lane of a warp has a table in the block's shared memory, and the
// tables of a block, and then of all blocks, are joined in a fixed order.
//
// Program has Index, Out (of the result), Element (of the table), pack (elements per load), in_table (a table is used), in_range (no index is out
// of range), checks (one that is gets recorded), looks (full groups of bools are left out), value(a, i) and pack_of_values(a, i), identity() and
// join(x, y), and combine(at, x), which is atomic, in a table, and combine_out(at, x) in the result. Programs of floats have no combine: Element is
// f64, and identity() is neutral for -0 and NaN, too.
#pragma once

#include "memory.cuh"
#include "warp.cuh"

namespace wf {

// ---- full groups ---------------------------------------------------------------------------------------------------------------
//
// Bools that a scatter by `or` or `and` combines change once. A group of neighbours is full if none of them changes any more: all are true, for
// `or`, or false. The bits of all groups fit in the L1 cache, while bools are in the L2 cache at best, so a scatter looks at its group's bit first.

struct FullGroups {
  const unsigned* bits;    // of group k: bit k % 32 of word k / 32
  const unsigned* number;  // of full groups; null: they were not sought
  unsigned log_size;       // log2 of the bools of a group, at most 4
  unsigned few;            // bits are read if there are more full groups
};

// Returns true if the bits of full groups are worth reading.
WF_FN bool has_full_groups(const FullGroups& full) { return load_if(full.number != nullptr, full.number) > full.few; }
// Returns true if bool k, one of less than 2^32, is known not to change any more; false if `reads` is.
WF_FN bool is_full(const FullGroups& full, bool reads, int64_t k) {
  const unsigned group = unsigned(k) >> full.log_size;
  return load_if(reads, full.bits + (group >> 5)) >> (group & 31) & 1;
}

struct FindFullGroups {
  const uint4* bools;  // aligned
  int64_t m;           // bools
  unsigned* bits;      // a word for 2 << log_size threads of the grid
  unsigned* number;    // zero before
  unsigned log_size;
  bool by_and;  // or by `or`
};

// Each thread reads 16 bools. The last m % 16 are in no full group. The block has whole warps.
WF_FN void find_full_groups(const FindFullGroups& a) {
  __shared__ unsigned in_block;
  if (threadIdx.x == 0) in_block = 0;
  __syncthreads();
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned done = 0;  // a bit per bool that changes no more
  if (i < a.m / 16) {
    const uint4 bools = __ldg(a.bools + i);
    const unsigned words[] = {bools.x, bools.y, bools.z, bools.w}, changed = a.by_and ? 0x01010101u : 0;
#pragma unroll
    for (int w = 0; w < 4; w++)  // the bits 0, 8, 16, 24 become the bits 24, 25, 26, 27
      done |= ((words[w] ^ changed) * 0x01020408u >> 24 & 15u) << (4 * w);
  }
  const int size = 1 << a.log_size, groups = 16 >> a.log_size, threads = 2 << a.log_size;
  const unsigned all = (1u << size) - 1;
  unsigned bits = 0;
  for (int g = 0; g < groups; g++) bits |= unsigned((done >> (g * size) & all) == all) << g;
  const unsigned in_warp = warp_sum(unsigned(__popc(bits)));
  bits <<= groups * (lane_of_thread() & (threads - 1));
  for (int distance = 1; distance < threads; distance <<= 1) bits |= __shfl_xor_sync(all_lanes, bits, distance);
  if ((lane_of_thread() & (threads - 1)) == 0) a.bits[i / threads] = bits;
  if (lane_of_thread() == 0 && in_warp > 0) atomicAdd(&in_block, in_warp);
  __syncthreads();
  if (threadIdx.x == 0 && in_block > 0) atomicAdd(a.number, in_block);
}

// ---- combining -----------------------------------------------------------------------------------------------------------------

// The type that atomicCAS takes.
template <int bytes> struct Swappable { using type = unsigned; };
template <> struct Swappable<8> { using type = unsigned long long; };

// Applies f to the element at `at` atomically, by comparing and swapping its 4- or 8-byte word, or the word that contains its byte.
template <class T, class F> WF_FN void update_atomically(T* at, const F& f) {
  if constexpr (sizeof(T) == 1) {
    const uint64_t address = reinterpret_cast<uint64_t>(at);
    unsigned* const word = reinterpret_cast<unsigned*>(address & ~uint64_t(3));
    const unsigned shift = 8 * unsigned(address & 3);
    unsigned known = *static_cast<volatile unsigned*>(word);
    for (unsigned seen = ~known; seen != known;) {
      seen = known;
      const unsigned changed = (seen & ~(255u << shift)) | unsigned(uint8_t(f(T(seen >> shift & 255u)))) << shift;
      known = atomicCAS(word, seen, changed);
    }
  } else {
    using Unsigned = typename Swappable<sizeof(T)>::type;
    Unsigned* const word = reinterpret_cast<Unsigned*>(at);
    Unsigned known = *static_cast<volatile Unsigned*>(word);
    for (Unsigned seen = ~known; seen != known;) {
      seen = known;
      known = atomicCAS(word, seen, Unsigned(f(T(seen))));
    }
  }
}

// Returns true if the index is in range. Indices that an earlier kernel checked may be out of range, too: the host may not know yet. Bytes cannot
// be, if there are 256 elements: the tests of a pack would take as long as its atomic operations.
template <class Program> WF_FN bool is_index(const typename Program::Args& a, typename Program::Index index) {
  return Program::in_range || is_below(index, a.m);
}

// Calls use(index, value) for this thread's share of the elements whose index is in range, and records the first one outside. The elements of
// whole packs come first; a.packs is 0 if a column is not aligned.
template <class Program, class Use> WF_FN void visit_elements(const typename Program::Args& a, const Use& use) {
  constexpr int P = Program::pack;
  const auto visit = [&](int64_t i, typename Program::Index index, auto value) {
    if (is_index<Program>(a, index)) use(index, value);
    else if (Program::checks) record(a.fault, i, int64_t(index), a.m);
  };
  const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = first; i < a.packs; i += step) {
    Pack<typename Program::Index, P> indices;
    load_pack(a.indices + P * i, indices);
    const auto values = Program::pack_of_values(a, P * i);
    bool all = true;
#pragma unroll
    for (int p = 0; p < P; p++) all = all && is_index<Program>(a, indices.at[p]);
    if (all) {
#pragma unroll
      for (int p = 0; p < P; p++) use(indices.at[p], values.at[p]);
    } else {
#pragma unroll
      for (int p = 0; p < P; p++) visit(P * i + p, indices.at[p], values.at[p]);
    }
  }
  for (int64_t i = a.packs * P + first; i < a.n; i += step) visit(i, load(a.indices + i), Program::value(a, i));
}

template <class Program> WF_FN void scatter(const typename Program::Args& a) {
  using Index = typename Program::Index;
  using Element = typename Program::Element;
  if constexpr (Program::in_table) {
    WF_DYNAMIC_SHARED(16, memory);
    Element* const table = reinterpret_cast<Element*>(memory);
    const int log_copies = int(a.log_copies), copies = 1 << log_copies, own = int(threadIdx.x) & (copies - 1);
    const int size = int(a.m) << log_copies;
    for (int k = int(threadIdx.x); k < size; k += int(blockDim.x)) table[k] = Program::identity();
    __syncthreads();
    visit_elements<Program>(a, [&](Index k, Element x) { Program::combine(table + (int(k) << log_copies | own), x); });
    __syncthreads();
    for (int k = int(threadIdx.x); k < int(a.m); k += int(blockDim.x)) {
      Element x = Program::identity();
      // Each lane begins with its own copy, in a bank of its own.
      for (int c = 0; c < copies; c++) x = Program::join(x, table[k << log_copies | ((own + c) & (copies - 1))]);
      if (x != Program::identity()) Program::combine_out(a.out + k, typename Program::Out(x));
    }
  } else {
    const bool reads = Program::looks && has_full_groups(a.full);
    visit_elements<Program>(a, [&](Index k, Element x) {
      if (Program::looks && is_full(a.full, reads, int64_t(k))) return;
      Program::combine_out(a.out + int64_t(k), x);
    });
  }
}

// ---- scatters in kernels that compute what they scatter ------------------------------------------------------------------------
//
// S is the operation: combine_out(at, x), may_look and, if it is true, `last`. Indices that are out of range are left out: their check has failed.

template <class S, class T, class I> WF_FN void scatter_one(T* out, int64_t length, I index, T x) {
  if (is_below(index, length)) S::combine_out(out + index, x);
}

// The full groups of a kernel that does not look for them.
struct NoGroups {
  WF_MEMBER bool operator()(bool, int64_t) const { return false; }
};
// The full groups of a kernel whose blocks have the bits in shared memory, where the other data of the L1 cache do not replace them.
struct GroupsOfBlock {
  unsigned log_size;
  WF_MEMBER static unsigned* bits() {
    WF_DYNAMIC_SHARED(128, memory);
    return reinterpret_cast<unsigned*>(memory);
  }
  WF_MEMBER explicit GroupsOfBlock(const FullGroups& full) : log_size(full.log_size) {}
  WF_MEMBER bool operator()(bool is_there, int64_t k) const {
    const unsigned group = is_there ? unsigned(k) >> log_size : 0;
    return is_there & bits()[group >> 5] >> (group & 31);
  }
  // Copies the bits of m bools. Called by all threads of a block, before the first lookup.
  WF_MEMBER static void copy(const FullGroups& full, int64_t m) {
    const bool reads = has_full_groups(full);
    const int words = int((m - 1 >> full.log_size) / 32) + 1;
    for (int w = int(threadIdx.x); w < words; w += int(blockDim.x)) bits()[w] = load_if(reads, full.bits + w);
    __syncthreads();
  }
};

// With `looks`, a pack looks at all its bools, and stores those that it changes.
template <class S, class T, class I, int P, class Groups>
WF_FN void scatter_pack(T* out, int64_t length, bool looks, const Groups& is_full, const Pack<I, P>& index, const Pack<T, P>& x) {
  bool changes[P];
#pragma unroll
  for (int p = 0; p < P; p++) changes[p] = is_below(index.at[p], length);
  if constexpr (S::may_look) {
    if (looks) {
#pragma unroll
      for (int p = 0; p < P; p++) changes[p] = changes[p] & (x.at[p] == S::last) & !is_full(changes[p], int64_t(index.at[p]));
#pragma unroll
      for (int p = 0; p < P; p++) changes[p] = look_if(changes[p], out + index.at[p], S::last) != S::last;
    }
  }
#pragma unroll
  for (int p = 0; p < P; p++)
    if (changes[p]) S::combine_out(out + index.at[p], x.at[p]);
}

// The join of every lane's x, in lane 0.
template <class Program> WF_FN typename Program::Element join_lanes(typename Program::Element x) {
  return warp_reduce(x, [](auto left, auto right) { return Program::join(left, right); });
}

// Joins the block's elements in tables of its lanes, of which element k of lane l is in place 32 k + l of its warp's memory.
template <class Program> WF_FN void scatter_by_lanes(const typename Program::Args& a) {
  using Element = typename Program::Element;
  WF_DYNAMIC_SHARED(16, memory);
  Element* const all = reinterpret_cast<Element*>(memory);
  const int m = int(a.m), warps = int(blockDim.x) / 32, warp = warp_of_thread(), lane = lane_of_thread();
  Element* const table = all + 32 * m * warp + lane;
  for (int k = 0; k < m; k++) table[32 * k] = Program::identity();
  visit_elements<Program>(a, [&](typename Program::Index k, typename Program::Element x) {
    Element& at = table[32 * int(k)];
    at = Program::join(at, x);
  });
  __syncthreads();
  for (int k = warp; k < m; k += warps) {
    Element x = Program::identity();
    for (int w = 0; w < warps; w++) x = Program::join(x, all[32 * (m * w + k) + lane]);
    x = join_lanes<Program>(x);
    if (lane == 0) a.tables[int64_t(blockIdx.x) * m + k] = x;
  }
}

// Joins the elements blockIdx.x of `blocks` tables. The block is one warp.
template <class Program> WF_FN void join_tables(const typename Program::Args& a) {
  const int64_t k = blockIdx.x;
  typename Program::Element x = Program::identity();
  for (int64_t block = threadIdx.x; block < a.blocks; block += 32) x = Program::join(x, a.tables[block * a.m + k]);
  x = join_lanes<Program>(x);
  if (threadIdx.x == 0) a.out[k] = typename Program::Out(Program::join(typename Program::Element(a.base[k]), x));
}

// ---- replacing -----------------------------------------------------------------------------------------------------------------
//
// An element gets the last value that has its index. First each value claims the element's place, which keeps the greatest position; then the values
// whose position was kept are stored. The places are the elements' own, or those of a hash table of indices by linear probing, if values are few.

// Program has Index, Value, Position, an unsigned integer, and checks. a.keys: of the table's places, an index + 1 or 0, which a place has as long as it
// is free; null: places are elements. a.last: of each place, the greatest position + 1, 0 before. a.mask: the table's places - 1.
template <class Program> WF_FN int64_t place_of(const typename Program::Args& a, int64_t index, bool claims) {
  if (!a.keys) return index;
  const auto key = static_cast<unsigned long long>(index + 1);
  for (uint64_t at = key * 0x9e3779b97f4a7c15u >> 20;; at++) {
    const int64_t place = int64_t(at) & a.mask;
    const unsigned long long known = claims ? atomicCAS(a.keys + place, 0ull, key) : a.keys[place];
    if (known == key || known == 0) return place;
  }
}

// Calls use(i, index) for this thread's positions whose index is in range.
template <class Program, class Use> WF_FN void visit_positions(const typename Program::Args& a, const Use& use) {
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < a.n; i += step) {
    const typename Program::Index index = load(a.indices + i);
    if (is_below(index, a.m)) use(i, int64_t(index));
    else if (Program::checks) record(a.fault, i, int64_t(index), a.m);
  }
}

template <class Program> WF_FN void claim_places(const typename Program::Args& a) {
  visit_positions<Program>(
      a, [&](int64_t i, int64_t index) { atomicMax(a.last + place_of<Program>(a, index, true), typename Program::Position(i + 1)); });
}

// If places are elements, these are visited, so that they are written in order; otherwise out is the base before.
template <class Program> WF_FN void replace_elements(const typename Program::Args& a) {
  if (a.keys) {
    visit_positions<Program>(a, [&](int64_t i, int64_t index) {
      if (a.last[place_of<Program>(a, index, false)] == typename Program::Position(i + 1)) a.out[index] = load(a.values + i);
    });
    return;
  }
  const int64_t step = int64_t(gridDim.x) * blockDim.x;
  for (int64_t k = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; k < a.m; k += step) {
    const typename Program::Position last = a.last[k];
    a.out[k] = last > 0 ? load(a.values + int64_t(last - 1)) : a.base[k];
  }
}

}  // namespace wf
