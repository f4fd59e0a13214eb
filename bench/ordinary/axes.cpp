// Matrices along their axes, and products of tall matrices: sums up to each row, positions and moments of rows and columns, tridiagonal systems.

#include <cmath>
#include <memory>
#include <vector>

#include "ordinary/ordinary.h"
#include "warpfold/warpfold.hpp"

namespace bench::ordinary {
namespace {

using Matrix = warpfold::Array<float, 2>;

float element(int64_t i) { return random_float(uint64_t(i), -1, 1); }

// The rows, or columns, [begin, end) of a part, on threads: few elements are not divided.
template <class F> void in_shares(int64_t count, int64_t elements, F f) {
  const int64_t parts = std::min({count, int64_t(64), std::max<int64_t>(1, elements >> 14)});
  tbb::parallel_for(int64_t(0), parts, [&](int64_t k) { f(count * k / parts, count * (k + 1) / parts); });
}

// compute() against loops(out); both have `results` elements, which agree within `bound`.
template <class T, class Compute, class Loops>
void race(Bench& bench, const std::string& work, const std::string& type, int64_t n, int64_t results, double bound, const Compute& compute,
          const Loops& loops) {
  std::vector<T> expected(static_cast<size_t>(results)), out(static_cast<size_t>(results));
  loops(expected.data());
  const auto is_right = [&](std::span<const T> x) {
    if (x.size() != expected.size()) return false;
    for (size_t i = 0; i < x.size(); i++)
      if (!close(double(x[i]), double(expected[i]), bound)) return false;
    return true;
  };
  std::unique_ptr<decltype(compute())> result;
  Race contest(bench, {work, type, n, int64_t(sizeof(T)) * results + 4 * n});
  contest.enter_warpfold(
      [&] {
        result = std::make_unique<decltype(compute())>(compute());
        warpfold::wait(*result);
      },
      [&] { return is_right(result->span()); });
  contest.enter(
      "loops on threads", [&] { loops(out.data()); }, [&] { return is_right(out); });
  contest.finish();
}

// The mean and the variance of each column [begin, end).
void moments(const float* x, int64_t rows, int64_t columns, int64_t begin, int64_t end, float* means, float* variances) {
  std::fill(means + begin, means + end, 0.f), std::fill(variances + begin, variances + end, 0.f);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = begin; j < end; j++) means[j] += x[i * columns + j];
  for (int64_t j = begin; j < end; j++) means[j] /= float(rows);
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = begin; j < end; j++) variances[j] += (x[i * columns + j] - means[j]) * (x[i * columns + j] - means[j]);
  for (int64_t j = begin; j < end; j++) variances[j] /= float(rows);
}

void along_axes(Bench& bench, int64_t rows, int64_t columns) {
  const warpfold::Context context(bench.options().context);
  const int64_t n = rows * columns;
  const Array<float> host(n, element);
  const float* const x = host.data();
  const Matrix a(host.view(), {rows, columns}, context);
  const std::string shape = "f32, rows of " + std::to_string(columns);
  auto by_rows = [&](auto f) { in_shares(rows, n, f); };
  auto by_columns = [&](auto f) {
    in_shares(std::max<int64_t>(1, columns / 16), n, [&](int64_t begin, int64_t end) {
      const int64_t shares = std::max<int64_t>(1, columns / 16);
      f(columns * begin / shares, columns * end / shares);
    });
  };

  race<float>(
      bench, "cumulative_sum, axis 0", shape, n, n, 1e-1, [&] { return Matrix(cumulative_sum(a, 0)); },
      [&](float* out) {
        by_columns([&](int64_t begin, int64_t end) {
          std::copy(x + begin, x + end, out + begin);
          for (int64_t i = 1; i < rows; i++)
            for (int64_t j = begin; j < end; j++) out[i * columns + j] = out[(i - 1) * columns + j] + x[i * columns + j];
        });
      });
  race<float>(
      bench, "cumulative_sum, axis 1", shape, n, n, 1e-2, [&] { return Matrix(cumulative_sum(a, 1)); },
      [&](float* out) {
        by_rows([&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; i++) {
            float sum = 0;
            for (int64_t j = i * columns; j < (i + 1) * columns; j++) out[j] = sum += x[j];
          }
        });
      });
  race<int64_t>(
      bench, "argmax, axis 0", shape, n, columns, 0, [&] { return warpfold::Array<int64_t, 1>(argmax(a, 0)); },
      [&](int64_t* out) {
        by_columns([&](int64_t begin, int64_t end) {
          std::vector<float> most(x + begin, x + end);
          std::fill(out + begin, out + end, 0);
          for (int64_t i = 1; i < rows; i++)
            for (int64_t j = begin; j < end; j++)
              if (x[i * columns + j] > most[size_t(j - begin)]) most[size_t(j - begin)] = x[i * columns + j], out[j] = i;
        });
      });
  race<int64_t>(
      bench, "argmax, axis 1", shape, n, rows, 0, [&] { return warpfold::Array<int64_t, 1>(argmax(a, 1)); },
      [&](int64_t* out) {
        by_rows([&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; i++) out[i] = std::max_element(x + i * columns, x + (i + 1) * columns) - (x + i * columns);
        });
      });
  race<float>(
      bench, "variance, axis 0", shape, n, columns, 1e-2, [&] { return warpfold::Array<float, 1>(variance(a, 0)); },
      [&](float* out) {
        std::vector<float> means(static_cast<size_t>(columns));
        by_columns([&](int64_t begin, int64_t end) { moments(x, rows, columns, begin, end, means.data(), out); });
      });
  race<float>(
      bench, "centred and scaled columns", shape, n, n, 1e-2,
      [&] { return Matrix((a - mean(a, 0, warpfold::keep)) / sqrt(variance(a, 0, warpfold::keep) + 1e-5f)); },
      [&](float* out) {
        std::vector<float> means(static_cast<size_t>(columns)), scales(static_cast<size_t>(columns));
        by_columns([&](int64_t begin, int64_t end) {
          moments(x, rows, columns, begin, end, means.data(), scales.data());
          for (int64_t j = begin; j < end; j++) scales[size_t(j)] = 1 / std::sqrt(scales[size_t(j)] + 1e-5f);
          for (int64_t i = 0; i < rows; i++)
            for (int64_t j = begin; j < end; j++) out[i * columns + j] = (x[i * columns + j] - means[size_t(j)]) * scales[size_t(j)];
        });
      });
  race<float>(
      bench, "softmax, axis 1", shape, n, n, 1e-4, [&] { return Matrix(softmax(a, 1)); },
      [&](float* out) {
        by_rows([&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; i++) {
            const float *const from = x + i * columns, most = *std::max_element(from, from + columns);
            float* const to = out + i * columns;
            float sum = 0;
            for (int64_t j = 0; j < columns; j++) sum += to[j] = std::exp(from[j] - most);
            for (int64_t j = 0; j < columns; j++) to[j] /= sum;
          }
        });
      });
}

// xT x for x of `rows` x `columns`: each thread adds the products of its rows.
void square_of_tall(Bench& bench, int64_t rows, int64_t columns) {
  const warpfold::Context context(bench.options().context);
  const Array<float> host(rows * columns, element);
  const Matrix a(host.view(), {rows, columns}, context);
  const auto size = static_cast<size_t>(columns * columns);
  race<float>(
      bench, "xT x", "f32, rows of " + std::to_string(columns), rows * columns, columns * columns, 1e-2, [&] { return matmul(t(a), a); },
      [&](float* out) {
        const int64_t parts = std::clamp<int64_t>(rows * columns >> 14, 1, 64);
        std::vector<float> sums(size_t(parts) * size);
        tbb::parallel_for(int64_t(0), parts, [&](int64_t part) {
          float* const sum = sums.data() + size_t(part) * size;
          for (int64_t r = rows * part / parts; r < rows * (part + 1) / parts; r++)
            for (int64_t i = 0; i < columns; i++)
              for (int64_t j = 0; j < columns; j++) sum[i * columns + j] += host[r * columns + i] * host[r * columns + j];
        });
        std::fill(out, out + size, 0.f);
        for (int64_t part = 0; part < parts; part++)
          for (size_t k = 0; k < size; k++) out[k] += sums[size_t(part) * size + k];
      });
}

}  // namespace

void axes(Bench& bench, int64_t n) {
  for (const int64_t columns : {int64_t(3), int64_t(16), int64_t(512), int64_t(4096)})
    if (n >= 8 * columns) along_axes(bench, n / 4 / columns, columns);
  for (const int64_t columns : {int64_t(4), int64_t(64)})
    if (n >= 8 * columns) square_of_tall(bench, n / 4 / columns, columns);
}

}  // namespace bench::ordinary
