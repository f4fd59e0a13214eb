// A Program is the type with which a skeleton is instantiated: a kernel's functions and constants as static members. It derives from
// Defaults<Program, Args>, where Args is the kernel's argument, and defines what differs from the defaults. A member that a skeleton uses
// and that has no default must be defined. `a` is the argument, `i` an index of the domain.
//
// In every skeleton:
//   threads                          per block, at most
//   Sums, none(a), join(a, x, y)     the state of all reductions, its identity and its fold; has_sums
//   finish(a, sums[, total])         the scalars after the loop; total is the Carry (scan.cuh) or the Local (small.cuh); has_finish
//
// map and reduce (reduce.cuh):
//   pack, rows                       elements per access, and accesses in flight
//   Row, Out                         one pack of each stream, and of each output
//   numbers, number(a, first, rows)  a map whose warps number the segments of their parts of tiles before they fetch
//   prepare(a)                       of a map, called by all threads of a block before the first element
//   fetch(a, i, row)                 loads the streams' elements at i, ..., i + pack - 1
//   fetch_shared(a, i, row)          loads the same into shared memory; complete after wait_for_copies
//   fetch_one(a, i, row)             loads the streams' elements at i into place 0
//   visit(a, i, row, p, out, sums, checks)   evaluates the body at index i for place p: sets out's place p and joins sums
//   recorder(a)                      Checks that record (memory.cuh), if the kernel checks indices
//   inner, below, extent             of tiles; inner = 0: the elements are visited in their order
//   visit_bytes(a, row, sums)        the same for a whole row, four elements per word
//   copy(row, row)                   copies all packs
//   turn(row), turn(out)             rotates all packs by one place; a Program that defines one of them defines both
//   store(a, i, out), store_one(a, i, out, p)
//   fold_warp(a, sums)               folds the warp's sums, if all are integers by the law
//
// neighbourhoods (strips.cuh):
//   width, packs, pack, high         elements of a row; packs side by side in strips, their columns, and the rows of a strip
//   together                         rows that are loaded at once
//   first, margin                    the first column of the strips; the rows above and below them
//   lag, depth                       a step stores the elements `lag` rows above its newest one, from step `depth` on
//   Fixed, Row, Kept                 the elements that all steps read, those that a step loads, and the values of earlier steps
//   load_fixed(a, fixed)             loads the elements that all steps read
//   load_row(a, x, y, row)           loads the elements of the step in column x whose newest row is y
//   prefetch_row(a, x, y)            begins to load the same elements into the L2 cache
//   step(a, x, y, fixed, row, kept, stores)      evaluates the step, and stores its elements if `stores`
//   visit_element(a, x, y)           evaluates the body for the element in column x and row y, and stores it
//
// scan and filter (scan.cuh), in addition to Row, Out, turn, store and store_one:
//   Local                            the scanned columns and the number of kept elements of a thread, a warp or a tile
//   local_identity(a), combine(a, x, y)
//   Carry                            the same of all elements before a tile
//   carry_identity(a), advance(a, carry, local), append(a, carry, carry)
//   early(a, i, row, p, checks)      the Local of one element
//   late(a, i, row, p, before, after, first, within, stage, kept, out, sums)
//                                    the sinks of one element, given its exclusive and inclusive prefix; a kept element is written to
//                                    stage, or to kept if no stream's memory can be reused
//   flush(a, stage, kept, first, start, count)   stores `count` kept elements from place `first` on to index `start` on
//   Stage, Kept                      one tile of each stream, and of each compaction output that reuses no stream's memory
//   fetch(stage, at, row)            reads the packs at place `at`
//   copy_one(a, i, stage, p)         copies the streams' elements at index i to place p
//   bulk_bytes(count)                bytes of the first count elements of all streams, rounded down to multiples of 16
//   copy_bulk(a, i, count, stage, barrier)   copies these bytes in bulk, from index i on
//   copy_rest(a, i, count, stage)    copies the remaining elements, by one warp
//   Form                             the shape of a tile and the order of folds
//
// filter without scans (filter.cuh), in addition to Local, local_identity, combine, Carry, carry_identity, advance, append and Row:
//   inner(a)                         the indices at which no read of a Row is out of range, and at which is_kept is the mask
//   fetch(a, i, row)                 loads the elements around i, ..., i + pack - 1
//   is_kept(a, i, row, p)            the mask at index i, for place p of the row; is_kept_at_edge(a, i) at any index
//   keep(a, i, to)                   stores the values at index i as the outputs' elements `to`
//
// scans along an axis (scan.cuh), in addition to Row, Out, fetch and store, and the Local of a scan:
//   down, columns                    warps that go along a vector together; neighbouring vectors are neighbours in memory
//   length(a), inner(a)              of the axis (lazy/scan_axis.h)
//   late(a, i, row, p, before, after, out)   sets out's place p, given the exclusive and inclusive prefix at index i
//
// Few elements (small.cuh):
//   Local, local_identity, combine   as above; has_locals
//   early(a, i, checks)              the Local of one element
//   late(a, i, before, after, sums)  evaluates the body at index i between those prefixes: stores, keeps, and joins sums
#pragma once

#include "memory.cuh"
#include "ops.cuh"

namespace wf {

// The indices from low to high.
struct IndexRange {
  int64_t low, high;
};

// A tile's shape and the order of folds as constants.
template <class Program> struct FixedForm {
  static constexpr int threads = Program::threads, pack = Program::pack, rows = Program::rows;
  static constexpr bool ordered = Program::ordered;
  WF_MEMBER explicit FixedForm(const typename Program::Args&) {}
};

template <class Program, class Arguments> struct Defaults {
  using Args = Arguments;
  using Form = FixedForm<Program>;
  struct alignas(4) Nothing {};
  using Sums = Nothing;
  using Local = Nothing;
  struct Row {};
  struct Out {};
  struct alignas(128) Stage {};
  struct alignas(128) Kept {};

  static constexpr int pack = 1, rows = 1;
  static constexpr int64_t inner = 0, below = 0, extent = 0;
  static constexpr bool rolled = false;    // the body is long and written once, not once per place of a pack
  static constexpr bool draws = false;     // the body computes random words, of which a pack's places share blocks
  static constexpr bool ordered = false;   // a reduction preserves the order
  static constexpr bool staged = false;    // a reduction in order loads through shared memory
  static constexpr bool by_law = false;    // all reductions are of integers by the law
  static constexpr bool by_bytes = false;  // visit_bytes replaces visit
  static constexpr bool numbers = false;   // number precedes fetch
  static constexpr bool bulk = false;      // tiles are loaded by bulk copies
  static constexpr bool per_tile = false;  // each tile stores its sums, since their association decides the bits
  static constexpr bool compacts = false;  // there are kept elements
  static constexpr bool counts = false;    // Carry is one count
  static constexpr bool gathers = false;   // a scan reads elements at indices that it loads or computes, and only stores
  static constexpr bool exact = false;     // the scan's fold is associative to the last bit
  static WF_MEMBER bool has_sums(const Args&) { return false; }
  static WF_MEMBER bool has_locals(const Args&) { return false; }
  static WF_MEMBER bool has_finish(const Args&) { return false; }

  static WF_MEMBER Nothing none(const Args&) { return {}; }
  static WF_MEMBER Nothing join(const Args&, const Nothing&, const Nothing&) { return {}; }
  static WF_MEMBER Nothing local_identity(const Args&) { return {}; }
  static WF_MEMBER Nothing combine(const Args&, const Nothing&, const Nothing&) { return {}; }
  static WF_MEMBER Nothing early(const Args&, int64_t, Checks&) { return {}; }
  static WF_MEMBER unsigned bulk_bytes(int) { return 0; }
  static WF_MEMBER Checks recorder(const Args&) { return {}; }
  template <class... T> static WF_MEMBER void check_segments(const T&...) {}
  template <class... T> static WF_MEMBER void prepare(const T&...) {}
  template <class... T> static WF_MEMBER void fetch(const T&...) {}
  template <class... T> static WF_MEMBER void fetch_shared(const T&...) {}
  template <class... T> static WF_MEMBER void fetch_one(const T&...) {}
  template <class... T> static WF_MEMBER void copy(const T&...) {}
  template <class... T> static WF_MEMBER void turn(const T&...) {}
  template <class... T> static WF_MEMBER void store(const T&...) {}
  template <class... T> static WF_MEMBER void store_one(const T&...) {}
  template <class... T> static WF_MEMBER void copy_one(const T&...) {}
  template <class... T> static WF_MEMBER void copy_bulk(const T&...) {}
  template <class... T> static WF_MEMBER void copy_rest(const T&...) {}
  template <class... T> static WF_MEMBER void flush(const T&...) {}
  template <class... T> static WF_MEMBER void finish(const T&...) {}
};

}  // namespace wf
