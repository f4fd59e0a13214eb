// Maps that read neighbours of each element of a matrix, such as blurs and convolutions.
//
// Inside, where no neighbour is limited by a border, all elements of a row read neighbours at the same distances. So a row's inner elements are
// computed by a function of their own, which loads runs of neighbours and computes no index. The others are computed by the kernel's body.
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

  bool is_inner_row(int64_t row, int64_t n) const { return row >= margin && row < n / width - margin; }
  // Returns true if the kernel may run so: over n elements, with inputs of these lengths.
  bool fits(int64_t n, std::span<const InputView> inputs) const;
};

// Nothing if the kernel, over n elements, is no such map.
std::optional<Neighbours> neighbours_of(const Kernel& kernel, int64_t n);

}  // namespace wf::cpu
