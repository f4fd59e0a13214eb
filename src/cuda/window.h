// Maps that read neighbourhoods of a matrix, such as blurs, convolutions and cellular automata.
//
// Neighbouring elements read nearly the same neighbours. So a thread computes a pack of columns as one function, in which equal reads are equal
// terms, down a strip of rows (strip.h). The elements at the borders, whose indices are limited, are computed one by one. Indices have 32 bits.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cuda/form.h"
#include "expr/indices/pack.h"

namespace wf::cuda {

// Returns true if the kernel, over n elements and with inputs of these lengths, runs as such a map.
bool shares_neighbours(const Kernel& kernel, std::span<const int64_t> lengths, int64_t n);

// Sets the form's window, pack and rows, and returns true, if the kernel is such a map whose indices fit.
bool choose_window(const Kernel& kernel, std::span<const InputView> inputs, int64_t n, Form& form);

// Returns true if the integers of 64 bits of a body, with these ranges, can be computed in 32 bits.
bool fits_32_bits(const Fn& body, std::span<const Range> known);

// The function of a pack of elements in strips.
FnRef body_of_strip(const Fn& body, const Window& window, int64_t pack);

// The kernel with its folds unrolled if that makes it such a map, as of a convolution; otherwise null.
std::shared_ptr<const Kernel> unrolled_window(const Kernel& kernel);

}  // namespace wf::cuda
