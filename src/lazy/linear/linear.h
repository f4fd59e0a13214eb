// Linear algebra. A matrix is the last two axes of an array; the axes before them number the matrices of a batch. Each function checks types and
// shapes, and runs nothing. Sequences have known lengths.
#pragma once

#include <string_view>
#include <vector>

#include "lazy/node.h"

namespace wf {

// The product by NumPy's rules for matmul: a vector on the left is a row, on the right a column, and batches are broadcast.
NodeRef matmul(const NodeRef& a, const NodeRef& b);
// The n-th power of square matrices, n >= 0.
NodeRef matrix_power(const NodeRef& a, int64_t n);
// x with a x = b, by the form of a: see forms in solve.cpp. b: vectors or matrices.
NodeRef solve(std::string_view form, const NodeRef& a, const NodeRef& b);
// The results of a factorization: see factorizations in factor.cpp.
std::vector<NodeRef> factor(std::string_view name, const NodeRef& a);
// A function of one or two matrices, by its name: see functions in functions.cpp.
NodeRef linear_function(std::string_view name, std::span<const NodeRef> arguments);
// Elements (i, j) of the result: the sum of kernel[p, q] image[i + p, j + q]. image: any batch.
NodeRef convolve(const NodeRef& image, const NodeRef& kernel);
// The largest element of each block of rows x columns; elements after the last whole block are dropped.
NodeRef max_pool(const NodeRef& image, int64_t rows, int64_t columns);

}  // namespace wf
