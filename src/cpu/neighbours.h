// Maps that read neighbours of each element of a matrix, such as blurs and convolutions.
//
// Inside, where no neighbour is limited by a border, all elements of a row read neighbours at the same distances. So a row's inner elements are
// computed by a function of their own, which loads runs of neighbours and computes no index. The others are computed by the kernel's body.
//
// If the inputs have rows of the same length, the distances are the same in all rows, and one run of the inner function goes from the first inner
// element to the last. Then it also computes the elements next to the border between two rows, whose values are wrong but whose reads are within
// the inputs. They are computed again by a function of their number: the last `margin` elements of a row and the first ones of the next are
// neighbours in memory. So rows may be short.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cpu/program/block_program.h"
#include "expr/indices/pack.h"
#include "plan/kernel.h"

namespace wf::cpu {

struct Neighbours {
  FnRef body;                                 // of the kernel, with unrolled folds
  std::shared_ptr<const BlockProgram> inner;  // of the index row * stride + column
  int64_t width, stride;                      // of rows of the domain, and of those of an input
  int64_t length;                             // of the domain; 0: any number of rows
  int64_t margin;                             // elements at each border that are not inner ones
  uint32_t first_argument;
  std::vector<int64_t> steps;  // argument first_argument + k of `inner` is the row times steps[k]
  struct Read {
    uint32_t slot;
    Plane plane;
  };
  std::vector<Read> reads;
  // If one run goes through all rows: the function of row * 2 margin + k, for element row * width - margin + k. Null if there is no margin.
  bool through_rows = false;
  std::shared_ptr<const BlockProgram> edges;

  bool is_inner_row(int64_t row, int64_t n) const { return row >= margin && row < n / width - margin; }
  // The way in which a kernel over n elements, with inputs of these lengths, may run. A run through rows writes elements before it has read
  // them for the last time.
  enum class Way : uint8_t { by_body, by_rows, through_rows };
  Way way(int64_t n, std::span<const InputView> inputs, bool in_place) const;
};

// Nothing if the kernel, over n elements, is no such map.
std::optional<Neighbours> neighbours_of(const Kernel& kernel, int64_t n);

}  // namespace wf::cpu
