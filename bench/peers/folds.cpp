#include "folds.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include <tbb/info.h>
#include <tbb/parallel_for.h>

namespace bench::threads {
namespace {

// Calls f(begin, end) for chunks of [0, n) on all cores.
template <class F> void in_parts(int64_t n, int64_t grain, F f) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, grain), [&](const auto& range) { f(range.begin(), range.end()); });
}

float sum(const float* x, int64_t n) {
  float total = 0;
#pragma omp simd reduction(+ : total)
  for (int64_t j = 0; j < n; j++) total += x[j];
  return total;
}

}  // namespace

void row_sums(std::span<const float> a, int64_t columns, Out sums) {
  in_parts(int64_t(sums.size()), std::max<int64_t>(1, 65536 / columns), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) sums[size_t(i)] = sum(a.data() + i * columns, columns);
  });
}

// Each thread sums the columns of some rows; with many columns, of parts of 4 KiB.
void column_sums(std::span<const float> a, int64_t columns, Out sums) {
  const auto rows = int64_t(a.size()) / columns;
  const int parts = tbb::info::default_concurrency();
  std::vector<std::vector<float>> partial(static_cast<size_t>(parts), std::vector<float>(static_cast<size_t>(columns)));
  tbb::parallel_for(0, parts, [&](int part) {
    float* out = partial[size_t(part)].data();
    const int64_t begin = rows * part / parts, end = rows * (part + 1) / parts;
    for (int64_t first = 0; first < columns; first += 1024) {
      const int64_t last = std::min(first + 1024, columns);
      for (int64_t j = begin; j < end; j++)
        for (int64_t i = first; i < last; i++) out[i] += a[size_t(j * columns + i)];
    }
  });
  std::ranges::fill(sums, 0.0f);
  for (const auto& x : partial)
    for (size_t i = 0; i < sums.size(); i++) sums[i] += x[i];
}

void segment_sums(std::span<const float> a, std::span<const int64_t> offsets, Out sums) {
  in_parts(int64_t(sums.size()), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      const int64_t first = offsets[size_t(i)];
      sums[size_t(i)] = sum(a.data() + first, offsets[size_t(i) + 1] - first);
    }
  });
}

void sparse_product(std::span<const int64_t> row, std::span<const int32_t> column, std::span<const float> value, std::span<const float> x,
                    Out y) {
  in_parts(int64_t(y.size()), 4096, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r++) {
      float total = 0;
#pragma omp simd reduction(+ : total)
      for (int64_t k = row[size_t(r)]; k < row[size_t(r) + 1]; k++) total += value[size_t(k)] * x[size_t(column[size_t(k)])];
      y[size_t(r)] = total;
    }
  });
}

void forces(std::span<const float> x, std::span<const float> y, std::span<const float> z, Out out) {
  const auto n = int64_t(x.size());
  std::vector<float> fy(x.size()), fz(x.size());
  in_parts(n, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
      float a = 0, b = 0, c = 0;
#pragma omp simd reduction(+ : a, b, c)
      for (int64_t j = 0; j < n; j++) {
        const float dx = x[size_t(j)] - x[size_t(i)], dy = y[size_t(j)] - y[size_t(i)], dz = z[size_t(j)] - z[size_t(i)];
        const float square = dx * dx + dy * dy + dz * dz + 0.01f;
        const float scale = 1.0f / (square * std::sqrt(square));
        a += dx * scale, b += dy * scale, c += dz * scale;
      }
      out[size_t(i)] = a, fy[size_t(i)] = b, fz[size_t(i)] = c;
    }
  });
}

}  // namespace bench::threads
