// Arrays by plain loops over rows, which threads share. Matrices are n x m, by rows.
#pragma once

#include <cstdint>

namespace bench::threads {

void transpose(const float* a, int64_t n, int64_t m, float* out);  // in blocks of 32 x 32
void softmax(const float* a, int64_t n, int64_t m, float* out);    // of each row
void layer_norm(const float* a, int64_t n, int64_t m, float* out);
void convolve(const float* a, int64_t n, int64_t m, const float* weights, int64_t extent, float* out);
void edges(const float* a, int64_t n, int64_t m, float* blurred, float* out);  // a blur by 5 x 5, then Sobel's gradient; the border repeats
void add_row_and_column(const float* a, const float* row, const float* column, int64_t n, int64_t m, float* out);
void permute(const float* a, int64_t side, float* out);                  // out[k, i, l, j] = a[i, j, k, l], all extents equal
void outer_sums(const float* a, int64_t n, int64_t m, float* out);       // of (n, m, 64): axes 0 and 2
void row_prefixes(const float* a, int64_t n, int64_t m, float* out);     // inclusive sums along axis 1
void column_prefixes(const float* a, int64_t n, int64_t m, float* out);  // along axis 0
void life(const uint8_t* a, int64_t n, int64_t m, uint8_t* out);         // a generation on a torus
void heat(const float* a, int64_t n, int64_t m, float* out);             // a step of the heat equation, 0 outside

}  // namespace bench::threads
