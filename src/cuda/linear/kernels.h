// The texts of the kernels of linear algebra. The argument of each is a structure of 8-byte words.
#pragma once

#include <cstddef>
#include <string>

#include "ops/types.h"

namespace wf::cuda {

std::string product_text(size_t bytes);   // warpfold_product, of integers of `bytes` bytes
std::string few_text(Type type);          // warpfold_multiply_few and warpfold_add_products, of floats or integers
std::string diagonal_text(size_t bytes);  // warpfold_check_diagonal, of floats
std::string nan_text(size_t bytes);       // warpfold_find_nan, warpfold_finish_elimination and warpfold_keep_nan, of floats
std::string scale_text(size_t bytes);     // warpfold_scale_matrix and warpfold_scale_values, of floats
std::string convert_text();               // warpfold_widen, from f32 to f64, and warpfold_narrow, the other way round

}  // namespace wf::cuda
