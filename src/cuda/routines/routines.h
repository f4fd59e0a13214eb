// The routines on a GPU, and the text of their kernels (skeletons/routines.cuh, scatter.cuh and sort.cuh). Each fills the outputs of a launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/routines/routine_run.h"
#include "ops/ops.h"

namespace wf::cuda {

// ---- Join ----------------------------------------------------------------------------------------------------------------------

void run_join(Routines& routines, const RoutineCall& call, Launch& launch);
// The kernel warpfold_join for a column of that type.
std::string join_text(Type type);

// ---- SegmentIds ----------------------------------------------------------------------------------------------------------------

// The launch may have no output. Throws RangeError if the offsets do not cut the positions into segments.
void run_segment_ids(Routines& routines, const RoutineCall& call, Launch& launch);
// The kernel warpfold_segment_ids for ids of that type.
std::string segment_ids_text(Type type);

// ---- Iterate -------------------------------------------------------------------------------------------------------------------

void run_iterate(Routines& routines, const RoutineCall& call, Launch& launch);
struct IterateText {
  std::string text;
  int tile;  // elements of a tile, and threads of the block
};
// The kernel warpfold_iterate, of one block. Its argument is a structure of 8-byte words: the addresses of the initial state's columns, of the
// elements' columns and of the results', and the number of elements. element: the types of an element's columns.
// Throws UnsupportedError if a state and an element are too large for a block's shared memory, or the function has no source.
IterateText iterate_text(const RoutineCall& call, const std::vector<Type>& element);

// ---- Sort and Merge ------------------------------------------------------------------------------------------------------------

// The plugin's radix sort if there is one and the order is that of keys, and the merge sort otherwise; rows that are sorted each on its own by a
// network. Working memory: once the bytes of the outputs; the radix sort's is a little more, or 8 bytes per element if there are several columns,
// and 16 more if there are several keys.
void run_sort(Routines& routines, const RoutineCall& call, Launch& launch);
// Returns false if the plugin has no code for this device or is missing.
bool run_radix_sort(Routines& routines, const RoutineCall& call, Launch& launch);

// ---- Scatter -------------------------------------------------------------------------------------------------------------------

void run_scatter(Routines& routines, const RoutineCall& call, Launch& launch);

// The kernel warpfold_scatter that combines values, or counts indices if op is null, into columns of `type`. in_table: through tables in shared
// memory. in_range: no index is out of range. checks: an index out of range is recorded as a fault. looks: bools are read before they are stored,
// for `or` and `and`. The argument is a structure of 8-byte words: the addresses of indices, values and results, the number of indices, of
// results and of packs of indices, the logarithm of a table's copies, the address of the fault, and the full groups.
std::string scatter_text(std::optional<Op> op, Type type, Type index, bool in_table, bool in_range, bool checks, bool looks);

// The kernels for floats: warpfold_scatter, which joins the elements of each block in a table, and warpfold_join, with a block of one warp for each
// result, which joins those tables. The argument of both: the addresses of indices, values, results, of the elements to begin with, and of the
// tables, the numbers of indices, results, packs of indices, and tables, and the address of the fault.
std::string scatter_floats_text(Op op, Type type, Type index, bool checks);

// The kernels that replace elements by values: warpfold_claim and warpfold_replace. The argument of both: the addresses of indices, values, results,
// the base, and of the places' keys and positions (u64 if they are `wide`, else u32), the numbers of indices and results, a mask, and the address of the fault.
std::string replace_text(Type type, Type index, bool wide, bool checks);

}  // namespace wf::cuda
