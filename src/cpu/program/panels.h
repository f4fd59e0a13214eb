// Reads of a transposed array. Consecutive elements are far apart in memory, and their neighbours in memory are read one row of the result
// later. So a panel is copied at once: for a group of neighbouring rows of the result, all elements of a range of columns, each row's
// elements next to each other. Each cache line of the input is read once, and rows of the panel are read in place.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cpu/program/block_program.h"
#include "expr/indices/walk.h"

namespace wf::cpu {

class Panels {
 public:
  // Returns true if a walk reads such an array, in panels that fit in the second-level cache.
  static bool fit(const Walk& walk, size_t size);
  Panels(const Walk& walk, size_t size);

  // The elements of a run of n, which begins at these digits with this index: in place if they are in one panel, else copied to `out`. All
  // indices that the panels of the run read must be within the input: see covers. Panels of a small input would not repay, and without memory
  // there are none.
  const std::byte* run(const InputView& input, int64_t first, int64_t n, const int64_t* digits, std::byte* out);
  bool covers(const InputView& input, int64_t first, const int64_t* digits);
  // The input's memory may have changed.
  void forget();

 private:
  static constexpr int64_t rows = 16, columns = 2048, row_length = columns + 16;  // the padding keeps rows apart in the first-level cache
  const std::byte* panel(const InputView& input, int64_t origin, int64_t number, int64_t count);
  int64_t origin_of(int64_t first, const int64_t* digits) const;
  int64_t rows_at(const InputView& input, int64_t origin, const int64_t* digits) const;

  size_t size_;
  int64_t extent_, stride_, height_;
  std::vector<int64_t> origins_;  // per panel: the input's index of its first row and column 0, or -1
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace wf::cpu
