// Maps that read neighbourhoods of a matrix, such as blurs, convolutions and cellular automata.
//
// Neighbouring elements read nearly the same neighbours. So a thread computes a small block of elements as one function, in which equal reads,
// and equal indices with their limits at the borders, are equal terms. Indices have 32 bits.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cuda/form.h"

namespace wf::cuda {

// The extent of the rows if the function, of index i, reads several elements at columns next to i rem width, in rows that depend on i div width.
std::optional<int64_t> neighbourhood_width(const Fn& fn);

// Sets the form's window, pack and rows, and returns true, if the kernel is such a map whose indices fit.
bool choose_window(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form);

// The function from column x and row y of a block's first element to the results of the block's elements, row by row. Inner blocks are at least
// a pack away from the first and the last column of their rows.
FnRef body_of_block(const Fn& body, const Form& form, bool is_inner);

// A read of an inner block as element `place` of the pack that begins `offset` elements after the index `base`.
struct PackRead {
  Id base;
  int64_t offset;
  int place;
};
std::optional<PackRead> pack_read(const Fn& block, const Form& form, const Term& read);

// The kernel with its folds unrolled if that makes it such a map, as of a convolution; otherwise null.
std::shared_ptr<const Kernel> unrolled_window(const Kernel& kernel);

}  // namespace wf::cuda
