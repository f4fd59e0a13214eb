// Loops by hand for bench/folds.cpp, on all cores.
#pragma once

#include <cstdint>
#include <span>

namespace bench::threads {

using Out = std::span<float>;

void row_sums(std::span<const float> a, int64_t columns, Out sums);
void column_sums(std::span<const float> a, int64_t columns, Out sums);
// offsets: of each segment, and the end of the last one.
void segment_sums(std::span<const float> a, std::span<const int64_t> offsets, Out sums);
void sparse_product(std::span<const int64_t> row, std::span<const int32_t> column, std::span<const float> value, std::span<const float> x,
                    Out y);
// The first component of the force on each body.
void forces(std::span<const float> x, std::span<const float> y, std::span<const float> z, Out out);

}  // namespace bench::threads
