// Terms of a row's folds and of its elements' value that follow from the row and the position alone: elements of rows that the threads of a
// row keep in shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/kernel.h"

namespace wf::cuda {

struct RowTerm {
  enum Kind : uint8_t {
    Element,   // a read of element row * count + position of an input
    Position,  // the position, as number % count
    Row,       // the row, as number / count
    Value,     // the value of fold `fold` at the position, which replaces the elements of its only input that is read
  } kind;
  uint32_t function;  // a fold's number in Fn::loops of the body, or of_elements
  Id term;
  uint32_t fold = 0;
  static constexpr uint32_t of_elements = ~0u;
  bool operator==(const RowTerm&) const = default;
};

// The terms in folds of `count` positions and in the elements' value, for n rows. lengths: of the inputs.
std::vector<RowTerm> find_row_terms(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n, int64_t count);

// Returns the term of the elements' value that is a fold's value as well, if the fold's threads can store it instead of the elements that
// they read: nothing else reads these later. So a softmax computes each exponential once.
std::optional<RowTerm> find_shared_value(const Kernel& kernel, std::span<const RowTerm> terms);

// Returns the inputs of which these terms read elements, in order.
std::vector<uint32_t> inputs_of(const Kernel& kernel, std::span<const RowTerm> terms);

}  // namespace wf::cuda
