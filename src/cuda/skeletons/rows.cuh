// Rows: kernels whose body contains folds. A row is an index of the domain; `slices` threads share its folds. Each folds some positions, and
// the slices' results are folded in order. All slices compute the rest of the body; the first one stores.
//
//   along    a row's slices are neighbouring threads, which read neighbouring positions
//   across   neighbouring threads belong to neighbouring rows, of which they read the same position
//
// With `parts`, several blocks share a row's positions. Each stores a partial result, and the last of them folds these and computes the rest
// of the body.
//
// With `uneven`, the lengths of rows are not known before the launch. Rows of at most `limit` positions are folded as above. A longer row
// becomes tasks in a queue, which the blocks of a second launch take (long_rows): one task per part of `part` positions, or one for the whole
// row without `parts`. So the parts, and every bit of a result, depend only on the row's length and the form.
//
// With `flat`, and one fold, a block's threads divide the positions of all its rows among themselves. With `shares`, a warp's lanes do so
// (warp_rows.cuh).
//
// A row's elements may be kept in shared memory, by its slices and for them (kept, keep). In any order, slices then have packs of neighbours. A
// kernel may also compute values of all elements of a row, after its folds (each).
//
// With `held`, each slice holds its elements of a row in registers. With `ahead`, it takes them from shared memory, to which the elements of the
// block's next rows are then copied. All folds are in any order and have a position per element.
//
// A Program defines, in addition to what is said in program.cuh:
//   slices                       threads per row, a power of two: along at most 32 or all of the block's, across at least 1/32 of these
//   across, parts, uneven, flat  as above
//   shares                       all rows read the same elements, at the same number of positions
//   kept                         rows are kept in shared memory or held, and have less than 2^31 positions
//   held                         elements of a slice in registers, a multiple of 4; 0: elements stay in shared memory
//   ahead                        as above
//   keep_row<Slice>(a, i)        begins to copy row i to shared memory (keep), if rows are kept there
//   limit, part                  as above, if uneven
//   fold_bytes                   the size of the largest state of a fold
//   visit_row(a, i, slice, sums) evaluates the body at index i
#pragma once

#include "grid.cuh"
#include "rounded.cuh"
#include "warp_rows.cuh"

namespace wf {

// identity f value(0) f ... f value(count - 1), by one thread. `failed`: a check of an index has failed, so that the result does not matter.
template <class T, class Value, class Fold>
WF_FN T fold_alone(int64_t count, T x, const Value& value, const Fold& f, const bool& failed = false) {
#pragma unroll 1
  for (int64_t j = 0; j < count && !failed; j++) x = f(x, value(j));
  return x;
}

// Returns true if index(0), index(1), ..., index(count - 1), which is linear, is in [0, length). Returns false as well if the positions or their
// distance are too many to tell by one multiplication.
template <class Index> WF_FN bool is_in_range(const Index& index, int64_t count, int64_t length) {
  constexpr int64_t most = int64_t(1) << 31;
  if (count <= 0) return true;
  const int64_t first = index(0), step = index(1) - first;
  if (count > most || step > most || step < -most || uint64_t(first) >= uint64_t(length)) return false;
  return uint64_t(first + step * (count - 1)) < uint64_t(length);
}

// Stores no value of a fold.
struct NoStore {
  template <class At, class T> WF_MEMBER void operator()(At, const T&) const {}
};

template <int n> struct Number { static constexpr int value = n; };

// The position of an element in its row, and the element's number in its slice: a constant, once loops are unrolled.
struct Place {
  int j, k;
};

// A slice's elements in registers.
template <class T, int count> struct Held {
  T at[count];
  WF_MEMBER T& operator[](Place place) { return at[place.k]; }
};

// A part of a long row.
struct Task {
  int64_t row, first;  // first: the number of the row's first task
};

// The number of parts of a long row.
template <class Program> WF_FN int64_t parts_of(int64_t count) {
  constexpr int64_t most = 2048;
  if (!Program::parts) return 1;
  const int64_t parts = (count - 1) / Program::part + 1;
  return parts < most ? parts : most;
}

// A thread's slice of a row, or with is_long of a part of a long row.
template <class Program, int slices_of_row = Program::slices, bool is_long = false> struct Slice {
  static constexpr bool in_parts = Program::parts && is_long == Program::uneven;
  static constexpr int slices = slices_of_row, rows = Program::threads / slices;  // per block
  static constexpr int step = Program::across ? rows : 1;                         // lanes from one slice of a row to the next
  static constexpr int in_warp = 32 / step < slices ? 32 / step : slices;         // slices of a row in a warp
  static constexpr int warps = slices / in_warp;                                  // that share a row
  static constexpr int pack = Program::kept ? 4 : 1;                              // neighbouring elements of a slice

  const typename Program::Args& a;
  int64_t index;         // of the row
  int64_t unit;          // of `rows` rows, or the number of a long row's first task
  int64_t part, parts;   // of the positions; parts = 0: as many as a long row has
  bool exists;           // the row is one of the kernel's, not a copy of the last one
  bool leads;            // this thread stores the row's results
  bool stopped = false;  // another block computes the rest of the body
  int64_t start = 0;     // the index that a flat row reads at position 0
  bool outside = false;  // fast has read an index that is out of range in a flat row; value records it
  int64_t next = -1;     // the row that this slice's threads visit next, if it is copied ahead; -1: none

  // The number of the thread. Many slices of few rows read it anew after their loop: what the compiler computes from it before, once for all
  // loops, would take the registers of loads, which it would then issue one after another.
  WF_MEMBER static int thread_after_loop() { return Program::across && in_warp > 4 ? again(int(threadIdx.x)) : int(threadIdx.x); }
  WF_MEMBER static int number(int thread = int(threadIdx.x)) { return Program::across ? thread / rows : thread % slices; }
  WF_MEMBER static int row(int thread = int(threadIdx.x)) { return Program::across ? thread % rows : thread / slices; }

  // Waits for the other slices of the row.
  WF_MEMBER static void wait_for_slices() {
    if constexpr (warps > 1) __syncthreads();
    else __syncwarp();
  }
  // The memory for this row's elements of one input: those of the block begin at byte `place`.
  template <class T> WF_MEMBER static T* kept(int place, int capacity) {
    WF_DYNAMIC_SHARED(128, kept_memory);
    return reinterpret_cast<T*>(kept_memory + place) + row() * capacity;
  }
  // Begins to copy this row's elements to shared memory; complete for all slices after wait_for_copies and wait_for_slices.
  template <class T> WF_MEMBER static void keep(const T* from, int64_t count, T* to) {
    constexpr int pack = 16 / sizeof(T);
    if (((uint64_t(from) | uint64_t(count) * sizeof(T)) & 15) == 0) {
      for (int j = number() * pack; j < int(count); j += slices * pack)
        copy_to_shared<T, pack>(from + j, *reinterpret_cast<Pack<T, pack>*>(to + j));
    } else {
      for (int j = number(); j < int(count); j += slices) copy_to_shared<T, 1>(from + j, *reinterpret_cast<Pack<T, 1>*>(to + j));
    }
  }
  // Waits for the copies of this row's elements.
  WF_MEMBER static void wait_for_row() {
    wait_for_copies();
    wait_for_slices();
  }
  // Calls f(place) for the first element of each of this slice's packs. The elements are held, and their number is a multiple of `pack`.
  template <class F> WF_MEMBER static void each_pack(int count, const F& f) {
#pragma unroll
    for (int k = 0; k < Program::held; k += pack) {
      const int j = number() * pack + k * slices;
      if (j < count) f(Place{j, k});
    }
  }
  template <class T> WF_MEMBER static void take(const T* from, int count, Held<T, Program::held>& to) {
    each_pack(count, [&](Place first) {
#pragma unroll
      for (int p = 0; p < pack; p++) to.at[first.k + p] = from[first.j + p];
    });
  }
  // Loads this slice's elements of a row from global memory. They may stay in the L2 cache: functions of few elements are often computed again.
  template <class T> WF_MEMBER static void load(const T* from, int count, Held<T, Program::held>& to) {
    if (uint64_t(from) % (sizeof(T) * pack) == 0) {
      each_pack(count, [&](Place first) {
        Pack<T, pack> elements;
        load_pack(from + first.j, elements);
#pragma unroll
        for (int p = 0; p < pack; p++) to.at[first.k + p] = elements.at[p];
      });
    } else {
      each_pack(count, [&](Place first) {
#pragma unroll
        for (int p = 0; p < pack; p++) to.at[first.k + p] = wf::load(from + first.j + p);
      });
    }
  }
  // Computes the Element compute(j) of each position j of the row, in one of its slices. store(Number<k>(), j, elements) stores those of k
  // positions from j on.
  template <class Element, class Compute, class Store> WF_MEMBER void each(int count, const Compute& compute, const Store& store) const {
    if (!exists) return;
    if constexpr (Program::held > 0) {
      each_pack(count, [&](Place first) {
        Element elements[pack];
#pragma unroll
        for (int p = 0; p < pack; p++) elements[p] = compute(Place{first.j + p, first.k + p});
        store(Number<pack>(), first.j, elements);
      });
    } else {
      each_kept<Element>(count, compute, store);
    }
  }

  // Returns the same in all slices of the row. In any order, slice s takes every slices-th position from s on, otherwise a run of positions.
  // value(context, j) is a value of this row. If `in_range` is true, fast(context, j) is the same, unless it sets `outside`. If `known` is
  // positive, it is the count. If rows are kept, store(j, value) may replace an element. `stop`: see fold_until.
  template <bool any_order, int known, class T, class Context, class Fast, class Value, class Fold, class Store = NoStore,
            class Stop = NeverStops>
  WF_MEMBER T fold(int64_t count, const T& identity, bool in_range, const Context& context, const Fast& fast_of, const Value& value_of,
                   const Fold& f, const Store& store = {}, const Stop& stop = {}) {
    if constexpr (Program::uneven && !is_long) {
      if (count > Program::limit) defer(count);
      if constexpr (Program::flat) {
        const int of_row = leads && !stopped && count > 0 ? int(count) : 0;
        static_assert(Program::threads * Program::limit < 1 << 22);
        if (__syncthreads_and(in_range || of_row == 0)) {
          const T x = fold_flat<Program::threads>(of_row, identity, start, context, fast_of, f);
          if (!__syncthreads_or(outside)) return x;
        }
        return fold_flat<Program::threads>(of_row, identity, start, context, value_of, f);
      }
      if (stopped) return identity;
    }
    if constexpr (Program::shares && any_order) {
      if (__all_sync(all_lanes, in_range)) return fold_shared<slices>(count, identity, context, fast_of, f, stop);
      return fold_shared<slices>(count, identity, context, value_of, f, stop);
    }
    [[maybe_unused]] const auto fast = [&](auto j) { return fast_of(context, j); };
    [[maybe_unused]] const auto value = [&](auto j) { return value_of(context, j); };
    int64_t begin = 0, end = count;
    if constexpr (in_parts) {
      if constexpr (is_long) parts = parts == 0 ? parts_of<Program>(count) : parts;
      const int64_t each = count / parts + (count % parts != 0);
      begin = least(each * part, count);
      end = count - begin > each ? begin + each : count;
    }
    int64_t first = begin + number(), step = slices;
    if constexpr (!any_order) {
      const int64_t length = end - begin, each = length / slices + (length % slices != 0);
      first = begin + each * number();
      end = end - first > each ? first + each : end;
      step = 1;
    }
    T x = identity;
    if constexpr (Program::held > 0) {
      each_pack(int(count), [&](Place first) {
        T values[pack];
#pragma unroll
        for (int p = 0; p < pack; p++) {
          const Place place{first.j + p, first.k + p};
          values[p] = in_range ? fast(place) : value(place);
          store(place, values[p]);
        }
#pragma unroll
        for (int p = 0; p < pack; p++) x = f(x, values[p]);
      });
    } else if constexpr (Program::kept) {
      // The elements are in shared memory, and a value is computed once.
      const auto of = [&](int j) { return in_range ? fast(j) : value(j); };
      if constexpr (any_order) {
        const int whole = int(count) / pack * pack;
#pragma unroll 2
        for (int j = number() * pack; j < whole; j += slices * pack) {
          T values[pack];
#pragma unroll
          for (int p = 0; p < pack; p++) values[p] = of(j + p);
#pragma unroll
          for (int p = 0; p < pack; p++) store(j + p, values[p]);
#pragma unroll
          for (int p = 0; p < pack; p++) x = f(x, values[p]);
        }
        first = whole + number();
      }
#pragma unroll 1
      for (int j = int(first); j < int(end); j += int(step)) {
        const T one = of(j);
        store(j, one);
        x = f(x, one);
      }
    } else if (in_range) {
      if constexpr (any_order && known > 0 && !in_parts) x = fold_known<known>(x, fast, f);
      else
        fold_until(stop, context, first, end, step, [&](int64_t from, int64_t until) { x = fold_in_range(x, from, until, step, fast, f); });
      if constexpr (Program::flat) {
        if (outside) fold_in_range(x, first, end, step, value, f);  // records the indices
      }
    } else {
      fold_until(stop, context, first, end, step, [&](int64_t from, int64_t until) {
#pragma unroll 1
        for (int64_t j = from; j < until; j += step) x = f(x, value(j));
      });
    }
    x = over_slices(x, f);
    if constexpr (in_parts) {
      if (!is_long || parts > 1) x = over_parts(x, identity, f);
    }
    return x;
  }

 private:
  template <class Element, class Compute, class Store>
  WF_MEMBER static void each_kept(int count, const Compute& compute, const Store& store) {
    const int whole = pack > 1 && count % pack == 0 ? count : 0;
#pragma unroll 2
    for (int j = number() * pack; j < whole; j += slices * pack) {
      Element elements[pack];
#pragma unroll
      for (int p = 0; p < pack; p++) elements[p] = compute(j + p);
      store(Number<pack>(), j, elements);
    }
#pragma unroll 4
    for (int j = whole + number(); j < count; j += slices) {
      const Element element = compute(j);
      store(Number<1>(), j, &element);
    }
  }

  WF_MEMBER static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

  // Queues the row's tasks. If they are too many for the queue, it is not used: long_rows counts them.
  WF_MEMBER void defer(int64_t count) {
    stopped = true;
    if (!leads) return;
    const int64_t tasks = parts_of<Program>(count), first = int64_t(atomicAdd(a.queued, (unsigned long long)tasks));
    if (first + tasks > a.capacity) return;
#pragma unroll 1
    for (int64_t k = 0; k < tasks; k++) static_cast<Task*>(a.tasks)[first + k] = {index, first};
  }

  // x f value(first) f value(first + step) f ...: the values of several positions are computed before they are combined, so that their reads
  // overlap. At the end, the last position stands for those beyond it.
  template <class T, class Value, class Fold>
  WF_MEMBER static T fold_in_range(T x, int64_t first, int64_t end, int64_t step, const Value& value, const Fold& f) {
    constexpr int unrolled = sizeof(T) <= 8 ? 8 : 4, few = 4;
    int64_t j = first;
#pragma unroll 1
    for (; j + (unrolled - 1) * step < end; j += unrolled * step) {
#pragma unroll
      for (int k = 0; k < unrolled; k++) x = f(x, value(j + k * step));
    }
#pragma unroll 1
    for (; j < end; j += few * step) {
      T values[few];
#pragma unroll
      for (int k = 0; k < few; k++) values[k] = value(least(j + k * step, end - 1));
#pragma unroll
      for (int k = 0; k < few; k++)
        if (j + k * step < end) x = f(x, values[k]);
    }
    return x;
  }

  // The same for few positions of a known number, without a loop.
  template <int count, class T, class Value, class Fold> WF_MEMBER static T fold_known(T x, const Value& value, const Fold& f) {
#pragma unroll
    for (int k = 0; k < count / slices; k++) x = f(x, value(number() + k * slices));
    if constexpr (count % slices != 0) {
      if (number() < count % slices) x = f(x, value(number() + count / slices * slices));
    }
    return x;
  }

  // The lanes of this row's slices, or the whole warp if it works in step.
  WF_MEMBER static unsigned lanes() {
    if constexpr (Program::across || slices >= 32) return all_lanes;
    else return ((1u << slices) - 1) << (lane_of_thread() & ~(slices - 1));
  }

  template <class T, class Fold> WF_MEMBER static T over_slices(T x, const Fold& f) {
    const int thread = thread_after_loop(), lane = thread & 31;
    const unsigned mask = lanes();
    const int place = Program::across ? lane / step : lane % in_warp;
#pragma unroll
    for (int distance = 1; distance < in_warp; distance <<= 1) {
      const T right = by_words(x, [=](unsigned w) { return __shfl_down_sync(mask, w, distance * step, in_warp * step); });
      if (place + distance < in_warp) x = f(x, right);
    }
    if constexpr (warps == 1) {
      return by_words(x, [=](unsigned w) { return __shfl_sync(mask, w, lane % step, in_warp * step); });
    } else {
      // A warp's first lanes store its results, one per row; then each thread folds those of its row.
      constexpr int most_warps = Program::threads / 32;
      __shared__ __align__(16) unsigned char memory[most_warps * step * Program::fold_bytes];
      T* const slots = reinterpret_cast<T*>(memory);
      __syncthreads();
      if (lane < step) slots[(thread >> 5) * step + lane] = x;
      __syncthreads();
      if constexpr (step == 1) {
        x = warp_reduce<5>(slots[lane % warps], f, warps);
        return by_words(x, [](unsigned w) { return __shfl_sync(all_lanes, w, 0); });
      }
      x = slots[lane % step];
#pragma unroll 1
      for (int w = 1; w < warps; w++) x = f(x, slots[w * step + lane % step]);
      return x;
    }
  }

  template <class T, class Fold> WF_MEMBER T over_parts(T x, const T& identity, const Fold& f) {
    const int thread = thread_after_loop();
    const int64_t slot = is_long ? unit : unit * parts * rows + row(thread);
    const auto partial = [&](int64_t p) {
      return reinterpret_cast<T*>(static_cast<unsigned char*>(a.fold_partials) + (slot + p * rows) * Program::fold_bytes);
    };
    if (number(thread) == 0) *partial(part) = x;
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(a.fold_counters + unit, 1u) == unsigned(parts - 1);
    __syncthreads();
    __threadfence();
    stopped = !last;
    if (stopped) return x;
    x = identity;
    const int64_t each = (parts + slices - 1) / slices, first = each * number(thread), end = least(first + each, parts);
#pragma unroll 1
    for (int64_t p = first; p < end; p++) x = f(x, load_fresh(partial(p)));
    return over_slices(x, f);
  }
};

// Slices without a row take part in the block's folds, as the last row, and store nothing.
template <class Program> WF_FN void rows(const typename Program::Args& a) {
  using Part = Slice<Program>;
  typename Program::Sums sums = Program::none(a);
  int64_t parts = 1;
  if constexpr (Part::in_parts) parts = a.parts;
  const int64_t units = (a.n + Part::rows - 1) / Part::rows, last = a.n - 1;
  if constexpr (Program::ahead) {
    const int64_t first = int64_t(blockIdx.x) * Part::rows + Part::row();
    if (blockIdx.x < units) Program::template keep_row<Part>(a, first < a.n ? first : last);
  }
#pragma unroll 1
  for (int64_t task = blockIdx.x; task < units * parts; task += gridDim.x) {
    const int64_t unit = Part::in_parts ? task / parts : task, row = unit * Part::rows + Part::row();
    Part slice{a, row, unit, Part::in_parts ? task % parts : 0, parts, row < a.n, Part::number() == 0 && row < a.n};
    if constexpr (Program::ahead) {
      const int64_t next = row + int64_t(gridDim.x) * Part::rows;
      if (task + gridDim.x < units) slice.next = next < a.n ? next : last;
    }
    Program::visit_row(a, row < a.n ? row : last, slice, sums);
  }
  if constexpr (Program::reduces) {
    if (grid_reduce<Program>(a, sums) && threadIdx.x == 0) Program::finish(a, sums);
  }
}

// The tasks that `rows` queued. If they did not fit into the queue, each row is computed again, by one block.
template <class Program> WF_FN void long_rows(const typename Program::Args& a) {
  typename Program::Sums sums = Program::none(a);
  const int64_t queued = int64_t(*a.queued);
  const bool fits = queued <= a.capacity;
#pragma unroll 1
  for (int64_t k = blockIdx.x; k < (fits ? queued : a.n); k += gridDim.x) {
    const Task task = fits ? static_cast<const Task*>(a.tasks)[k] : Task{k, k};
    Slice<Program, Program::threads, true> slice{a, task.row, task.first, k - task.first, fits ? 0 : 1, true, threadIdx.x == 0};
    Program::visit_row(a, task.row, slice, sums);
  }
}

}  // namespace wf
