#include "arrays.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <tbb/parallel_for.h>

namespace bench::threads {
namespace {

// Calls f(i) for all rows i < n.
template <class F> void for_rows(int64_t n, const F& f) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 16), [&](const auto& range) {
    for (int64_t i = range.begin(); i < range.end(); i++) f(i);
  });
}

int64_t inside(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }

}  // namespace

void transpose(const float* a, int64_t n, int64_t m, float* out) {
  constexpr int64_t side = 32;
  tbb::parallel_for(int64_t(0), (m + side - 1) / side, [&](int64_t block) {
    const int64_t left = block * side, right = std::min(m, left + side);
    for (int64_t top = 0; top < n; top += side)
      for (int64_t j = left; j < right; j++)
        for (int64_t i = top, bottom = std::min(n, top + side); i < bottom; i++) out[j * n + i] = a[i * m + j];
  });
}

void softmax(const float* a, int64_t n, int64_t m, float* out) {
  for_rows(n, [&](int64_t i) {
    const float* x = a + i * m;
    float *r = out + i * m, most = x[0], sum = 0;
#pragma omp simd reduction(max : most)
    for (int64_t j = 0; j < m; j++) most = x[j] > most ? x[j] : most;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < m; j++) sum += r[j] = std::exp(x[j] - most);
    const float scale = 1 / sum;
#pragma omp simd
    for (int64_t j = 0; j < m; j++) r[j] *= scale;
  });
}

void layer_norm(const float* a, int64_t n, int64_t m, float* out) {
  for_rows(n, [&](int64_t i) {
    const float* x = a + i * m;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < m; j++) sum += x[j];
    const float mean = sum / float(m);
#pragma omp simd reduction(+ : squares)
    for (int64_t j = 0; j < m; j++) squares += (x[j] - mean) * (x[j] - mean);
    const float scale = 1 / std::sqrt(squares / float(m) + 1e-5f);
#pragma omp simd
    for (int64_t j = 0; j < m; j++) out[i * m + j] = (x[j] - mean) * scale;
  });
}

void convolve(const float* a, int64_t n, int64_t m, const float* weights, int64_t extent, float* out) {
  const int64_t columns = m - extent + 1;
  for_rows(n - extent + 1, [&](int64_t i) {
    float* r = out + i * columns;
    std::fill(r, r + columns, 0.f);
    for (int64_t k = 0; k < extent * extent; k++) {
      const float *x = a + (i + k / extent) * m + k % extent, weight = weights[k];
      for (int64_t j = 0; j < columns; j++) r[j] += x[j] * weight;
    }
  });
}

void edges(const float* a, int64_t n, int64_t m, float* blurred, float* out) {
  for_rows(n, [&](int64_t i) {
    const float *first = a + inside(i - 2, n) * m, *second = a + inside(i - 1, n) * m, *third = a + i * m,
                *fourth = a + inside(i + 1, n) * m, *fifth = a + inside(i + 2, n) * m;
    std::vector<float> column(size_t(m + 4));  // sums of columns j - 2 to j + 2 begin at j
    float* const sums = column.data();
    for (int64_t j = 0; j < m; j++) sums[j + 2] = first[j] + second[j] + third[j] + fourth[j] + fifth[j];
    sums[0] = sums[1] = sums[2], sums[m + 2] = sums[m + 3] = sums[m + 1];
    for (int64_t j = 0; j < m; j++) blurred[i * m + j] = (sums[j] + sums[j + 1] + sums[j + 2] + sums[j + 3] + sums[j + 4]) / 25;
  });
  for_rows(n, [&](int64_t i) {
    const float *above = blurred + inside(i - 1, n) * m, *here = blurred + i * m, *below = blurred + inside(i + 1, n) * m;
    auto gradient = [&](int64_t l, int64_t j, int64_t r) {
      const float x = above[r] - above[l] + 2 * (here[r] - here[l]) + below[r] - below[l];
      const float y = below[l] - above[l] + 2 * (below[j] - above[j]) + below[r] - above[r];
      return std::sqrt(x * x + y * y);
    };
    for (int64_t j = 1; j < m - 1; j++) out[i * m + j] = gradient(j - 1, j, j + 1);
    out[i * m] = gradient(0, 0, inside(1, m));
    out[i * m + m - 1] = gradient(inside(m - 2, m), m - 1, m - 1);
  });
}

void add_row_and_column(const float* a, const float* row, const float* column, int64_t n, int64_t m, float* out) {
  for_rows(n, [&](int64_t i) {
#pragma omp simd
    for (int64_t j = 0; j < m; j++) out[i * m + j] = a[i * m + j] + row[j] + column[i];
  });
}

void permute(const float* a, int64_t side, float* out) {
  for_rows(side, [&](int64_t k) {
    for (int64_t i = 0; i < side; i++)
      for (int64_t l = 0; l < side; l++)
        for (int64_t j = 0; j < side; j++) out[((k * side + i) * side + l) * side + j] = a[((i * side + j) * side + k) * side + l];
  });
}

void outer_sums(const float* a, int64_t n, int64_t m, float* out) {
  for_rows(m, [&](int64_t j) {
    float sum = 0;
    for (int64_t i = 0; i < n; i++)
#pragma omp simd reduction(+ : sum)
      for (int64_t k = 0; k < 64; k++) sum += a[(i * m + j) * 64 + k];
    out[j] = sum;
  });
}

void row_prefixes(const float* a, int64_t n, int64_t m, float* out) {
  for_rows(n, [&](int64_t i) {
    float sum = 0;
    for (int64_t j = 0; j < m; j++) out[i * m + j] = sum += a[i * m + j];
  });
}

void column_prefixes(const float* a, int64_t n, int64_t m, float* out) {
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, m, 1024), [&](const auto& columns) {
    std::vector<float> sums(columns.size());
    for (int64_t i = 0; i < n; i++)
#pragma omp simd
      for (int64_t j = columns.begin(); j < columns.end(); j++) out[i * m + j] = sums[size_t(j - columns.begin())] += a[i * m + j];
  });
}

void life(const uint8_t* a, int64_t n, int64_t m, uint8_t* out) {
  for_rows(n, [&](int64_t i) {
    const uint8_t *above = a + (i + n - 1) % n * m, *here = a + i * m, *below = a + (i + 1) % n * m;
    auto cell = [&](int64_t l, int64_t j, int64_t r) {
      const int around = above[l] + above[j] + above[r] + here[l] + here[r] + below[l] + below[j] + below[r];
      out[i * m + j] = uint8_t((around == 3) | ((around == 2) & here[j]));
    };
    cell(m - 1, 0, 1 % m);
#pragma omp simd
    for (int64_t j = 1; j < m - 1; j++) cell(j - 1, j, j + 1);
    if (m > 1) cell(m - 2, m - 1, 0);
  });
}

void heat(const float* a, int64_t n, int64_t m, float* out) {
  for_rows(n, [&](int64_t i) {
    const float* here = a + i * m;
    // Rows outside are multiplied by 0.
    const float *above = i > 0 ? here - m : here, *below = i < n - 1 ? here + m : here;
    const float up = i > 0 ? 1.f : 0.f, down = i < n - 1 ? 1.f : 0.f;
    auto cell = [&](int64_t j, float left, float right) {
      out[i * m + j] = here[j] + 0.2f * (up * above[j] + down * below[j] + left + right - 4 * here[j]);
    };
    cell(0, 0, m > 1 ? here[1] : 0);
#pragma omp simd
    for (int64_t j = 1; j < m - 1; j++) cell(j, here[j - 1], here[j + 1]);
    if (m > 1) cell(m - 1, here[m - 2], 0);
  });
}

}  // namespace bench::threads
