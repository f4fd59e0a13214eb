// The kernel IR: the only interface between plan, which makes kernels, and the engines, which run them.
//
// A kernel is one loop over i in [0, n):
//
//     v      = body(i, exclusive prefixes, inclusive prefixes)      the values of one index
//     prefix = scan of some of those values                          (optional)
//     sinks  = stores, compactions (filter), reductions, scatters of some of those values
//     finish = scalars computed from reductions, scan totals and counts, after the loop
//
// If an index is a row of elements, the kernel also stores a value of each element, computed from values of its row (RowElements).
//
// Fusing two kernels over one domain is merging two of these records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "expr/fn.h"
#include "lazy/scan_axis.h"

namespace wf {

// One column of input; At(slot) in a body reads inputs[slot], column 0, and gives 0 outside [0, length).
struct Input {
  Type type;
  // The planner chooses the source of the bytes (Step::sources); the engine gets buffers next to the kernel.
  // True: At(slot, i) is the number of the segment that contains i, the last k with offsets[k] <= i. The source has the offsets, i64, which cut
  // [0, n) into segments: a wrong one is a range error of the run, before any other. The kernel only stores or scatters, and only its body reads
  // the input, at i alone.
  bool of_segments = false;
  bool lacks_end = false;  // the source lacks the last offset, which is n
  // True: the source is a sequence that no step stores, of which the engine gets the parts (InputBuffer::parts). Only the body reads the input, at
  // i alone.
  bool of_parts = false;
  Type source_type() const { return of_segments ? Type::I64 : type; }
};

// All scans of a kernel as one scan of m columns, combined by one function of 2m parameters
// (left columns, right columns) -> m results. `values` depend on no prefix parameter.
struct Scan {
  FnRef combine;                 // 2m -> m, associative
  std::vector<Bits64> identity;  // m; see Engine::knows_identities
  std::vector<uint32_t> values;  // m numbers of body results: the scanned values
  // True if every sink that reads a prefix is a reduction by the law (see Reduction::law). Then chunks are scanned independently,
  // without a chained carry.
  bool by_law = false;
  ScanAxis axis = {};  // if it exists, the kernel has no sinks other than stores
};

constexpr uint32_t no_mask = ~0u;

struct Store {  // outputs[output][i] = result
  uint32_t value;
  uint32_t output;
};

struct Compact {  // the values of those i whose mask holds, in order, and their number
  uint32_t mask;
  std::vector<uint32_t> values;
  std::vector<uint32_t> outputs;
};

struct Reduction {
  FnRef combine;                 // 2m -> m, associative
  std::vector<Bits64> identity;  // m; precedes the first element
  std::vector<uint32_t> values;  // m numbers of body results
  uint32_t mask = no_mask;       // a bool; only indices where it is true are reduced
  // Under the law: m = 1, combine is one op g, the value is the prefix of scan column `law_column` and nothing else
  // (inclusive or exclusive), whose combine is one op f that distributes over g. A chunk scanned from the
  // identity has the result `best`; if all earlier chunks total t, its true result is f(t, best).
  // Engines must detect that the law fails (integer wrap or non-finite floats under add and min or max) and fall back.
  bool by_law = false;
  uint32_t law_column = 0;
};

// The output begins as a copy of the base, an input that no function reads. Then out[index] = out[index] op value, for each i, in any order.
// An index outside the base, whose check fails, is left out.
struct Scatter {
  Op op;                  // on integers or bools, commutative
  uint32_t index, value;  // numbers of body results
  uint32_t base, output;  // an input and an output, both of the base's length
};

// Index i of the loop is a row of the elements i * count to i * count + count - 1. Their values may depend on values of the row, such as its
// folds, so that an engine computes both while the row is in a cache.
struct RowElements {
  int64_t count;              // of a row, at least 1
  FnRef value;                // params: the number of an element, then the row's values. It checks no index and has no loops
  std::vector<uint32_t> row;  // numbers of body results: the row's values
  std::vector<Store> stores;  // outputs[output][element] = result of `value`
};

// The scalars that exist after the loop, in this order: every reduction's columns, the scan's totals (m), every
// compaction's count (i64). `finish` maps them, and further inputs read at index 0 by At, to rank-0 outputs.
struct Kernel {
  uint64_t id = 0;  // unique; engines may cache compiled code by it. 0: none
  std::vector<Input> inputs;
  uint32_t arguments = 0;     // of body and finish; their values are the launch's
  std::vector<Type> outputs;  // types of stored columns (stores and compactions)
  // params: i (i64), then m exclusive prefixes, then m inclusive prefixes. Results are numbered by the sinks.
  FnRef body;
  std::vector<Scan> scan;  // none or one
  std::vector<Store> stores;
  std::vector<Compact> compactions;
  std::vector<Reduction> reductions;
  std::vector<Scatter> scatters;      // only for engines that run them (Engine::scatters_in_kernels)
  FnRef finish;                       // its results are the scalar outputs; null if there are none
  std::vector<RowElements> elements;  // none or one; then there are no other sinks than stores
  bool has_scan() const { return !scan.empty(); }
};

// visit(fn) for each function of the kernel: body, finish, the value of elements, and the combines of scan and reductions.
template <class Visit> void for_each_function(const Kernel& kernel, const Visit& visit) {
  visit(kernel.body);
  for (const RowElements& e : kernel.elements) visit(e.value);
  if (kernel.finish) visit(kernel.finish);
  for (const Scan& s : kernel.scan) visit(s.combine);
  for (const Reduction& r : kernel.reductions) visit(r.combine);
}

// Returns true if two kernels do the same to buffers of the same types; ids and names of parameters may differ. Without literals, kernels
// are equal if they differ only in the bits of literals and in identities.
bool same_structure(const Kernel& a, const Kernel& b, bool with_literals);
inline bool operator==(const Kernel& a, const Kernel& b) { return same_structure(a, b, true); }
// A hash that agrees with same_structure.
uint64_t structure_hash(const Kernel& kernel, bool with_literals);

// Returns true if a function of the kernel calls an opaque function.
bool has_foreign(const Kernel& kernel);
bool has_foreign(const Fn& fn);

// Returns true if the kernel's only sinks are stores of values of its indices, without prefixes.
inline bool only_stores(const Kernel& k) {
  return k.scan.empty() && k.compactions.empty() && k.reductions.empty() && !k.finish && k.elements.empty() && k.scatters.empty();
}
inline bool has_segments(const Kernel& k) { return std::ranges::any_of(k.inputs, &Input::of_segments); }
inline bool has_parts(const Kernel& k) { return std::ranges::any_of(k.inputs, &Input::of_parts); }

// The kernel with its folds as loops.
Kernel lower_folds(const Kernel& kernel);
bool has_folds(const Kernel& kernel);

// The elements of an output per index of the kernel.
int64_t elements_per_index(const Kernel& kernel, uint32_t output);

// A kernel with RowElements or reductions as two kernels. The first one ranges over the rows and has further outputs, the rows' values. The second
// one ranges over the elements, or over the rows again to reduce them, and has further inputs, the same. Both have all outputs of the kernel, of which
// each stores its own.
struct InTwo {
  Kernel first, second;
  int64_t count;  // indices of the second per index of the first
};
InTwo in_two(const Kernel& kernel);

// Marks the terms of a kernel's body that depend on a prefix parameter.
std::vector<bool> depends_on_prefix(const Fn& body);

// The kernel with literals of these values in place of its arguments.
Kernel with_values(const Kernel& kernel, std::span<const Bits64> arguments);

// Returns true if an engine that runs this kernel, over n elements and with inputs of these lengths, computes a value that several neighbours in a matrix
// need about once.
using SharesNeighbours = bool (*)(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n);

}  // namespace wf
