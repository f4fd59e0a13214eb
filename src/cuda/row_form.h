// The form of a kernel whose body contains folds: the threads that share a row (skeletons/rows.cuh).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/form.h"

namespace wf::cuda {

struct RowForm {
  Form form;
  int64_t parts = 1;  // blocks that share a row's positions
  // There should be several such blocks, and the kernel reduces: it must run as two, since the order in which blocks end would decide that of a sum.
  bool reduces_apart = false;
  int64_t count = 0;  // elements of each row, if they are kept or computed
  int64_t tasks = 0;  // for which the queue of long rows has room, if the rows are uneven
  // Says who works on a row: "each by 32 threads, along it".
  std::string describe() const;
};

// Returns nullopt if there is little work, or if the kernel scans, filters, reduces in order or calls foreign functions: then its folds
// run as loops; with elements, they run as two kernels. lengths: of the inputs. The expected number of positions is a count that follows
// from literals and lengths, or else the length of the longest input divided by n.
std::optional<RowForm> choose_rows(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n);

// The positions of the longest row that is not a task. A longer row is divided into parts of part_of_long_row positions each, by blocks.
constexpr int64_t part_of_long_row = 1 << 14;
inline int64_t longest_of_slices(const Form& form) { return form.flat ? 4096 : int64_t(256) * form.slices; }

// The bytes of shared memory in which a block keeps its rows.
int64_t kept_bytes(const Kernel& kernel, const Form& form);

// The bytes of the largest state of a fold of the body.
size_t fold_bytes(const Kernel& kernel);

// The groups in which merge_folds joins folds of a body: those in any order, and those in order. Folds of few positions, which are unrolled, stay apart.
std::vector<int> groups_of_folds(const Fn& body);

// Returns true if the order of the values does not matter: every column is combined by a commutative operation of its own.
bool commutes(const Fn& combine);

// The Checks and reads of a fold's value whose index is linear in the position.
struct LinearReads {
  struct Test {
    Id index;
    std::vector<Id> terms;  // the Checks and Ats of this index
  };
  std::vector<Test> tests;
  std::vector<bool> is_in_range;  // for each term: if all tests hold, it needs none
  std::vector<bool> is_streamed;  // for each of these reads: it is by row and position, and another read's index depends on an element
};
LinearReads linear_reads(const Fn& value);

}  // namespace wf::cuda
