// Reductions inside functions: sums of rows and of columns of matrices, sums of segments and a sparse matrix times a vector with lengths
// that follow a power law, and the forces between bodies.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "complete.h"
#include "harness.h"
#include "peers/folds.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

namespace {

std::string shape(int64_t rows, int64_t m) { return "f32, " + std::to_string(rows) + " x " + std::to_string(m); }

// Offsets of segments that cover n elements exactly. P(length >= k) is proportional to k^(-5/3); the mean is approximately `mean`.
std::vector<int64_t> power_law_offsets(int64_t n, double mean) {
  std::vector<int64_t> offsets{0};
  while (offsets.back() < n) {
    const double u = double(random_bits(offsets.size()) >> 11) * 0x1p-53 + 0x1p-54;
    const auto length = int64_t(std::min(0.4 * mean * std::pow(u, -0.6), double(n / 64 + 1)));
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

// The greatest difference between sums of `count` numbers between -1 and 1 that are added in different orders.
double rounding(int64_t count) { return 1e-5 * std::sqrt(double(count)); }

// Sums of n floats as rows and as columns of a matrix of m columns.
void sums(Bench& bench, const warpfold::Context& context, const Seq<float>& a, int64_t n, int64_t m) {
  const int64_t rows = n / m;
  const std::span<const float> input = a.span();
  std::vector<float> expected(static_cast<size_t>(rows)), out;
  Seq<float> result;
  threads::row_sums(input, m, expected);
  {
    Race race(bench, {"row_sums", shape(rows, m), n, 4 * (n + rows), read_limit(input.data(), 4 * n)});
    race.enter_warpfold(
        [&] {
          result = complete(
              warpfold::tabulate([&](auto i) { return warpfold::reduce(warpfold::plus, 0.f, subseq(a, i * m, m)); }, rows, context));
        },
        [&] { return all_close(result.span(), expected, rounding(m)); });
    out.resize(expected.size());
    race.enter(
        "loops on threads", [&] { threads::row_sums(input, m, out); }, [&] { return all_close(out, expected, rounding(m)); });
    race.finish();
  }
  expected.resize(static_cast<size_t>(m));
  threads::column_sums(input, m, expected);
  Race race(bench, {"column_sums", shape(rows, m), n, 4 * (n + m), read_limit(input.data(), 4 * n)});
  race.enter_warpfold(
      [&] {
        result = complete(warpfold::tabulate(
            [&](auto i) {
              return warpfold::reduce(warpfold::plus, 0.f, warpfold::tabulate([&](auto j) { return a[j * m + i]; }, rows, context));
            },
            m, context));
      },
      [&] { return all_close(result.span(), expected, rounding(rows)); });
  out.resize(expected.size());
  race.enter(
      "loops on threads", [&] { threads::column_sums(input, m, out); }, [&] { return all_close(out, expected, rounding(rows)); });
  race.finish();
}

}  // namespace

void matrix_sums(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<float> a(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context);
  for (int64_t m : {n >> 11, n >> 15, int64_t(4), int64_t(1024)})
    if (m > 0 && m <= n) sums(bench, context, a, n, m);
}

void segment_sums(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<float> a(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context);
  for (double mean : {4096.0, 64.0, 4.0}) {
    const std::vector<int64_t> first = power_law_offsets(n, mean);
    const auto segments = int64_t(first.size()) - 1;
    Seq<int64_t> offsets(first, context);
    std::vector<float> expected(static_cast<size_t>(segments)), out = expected;
    threads::segment_sums(a.span(), first, expected);
    Seq<float> result;
    Race race(bench, {"segment_sums", "f32, " + std::to_string(segments) + " segments", n, 4 * n, read_limit(a.data(), 4 * n)});
    race.enter_warpfold(
        [&] {
          result = complete(warpfold::tabulate(
              [&](auto i) { return warpfold::reduce(warpfold::plus, 0.f, subseq(a, offsets[i], offsets[i + 1] - offsets[i])); }, segments,
              context));
        },
        [&] { return all_close(result.span(), expected, 1e-3); });
    race.enter(
        "loops on threads", [&] { threads::segment_sums(a.span(), first, out); }, [&] { return all_close(out, expected, 1e-3); });
    race.finish();
  }
}

void sparse_product(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  const int64_t columns = std::max<int64_t>(1, n / 16);
  const std::vector<int64_t> first = power_law_offsets(n, 32);
  const auto rows = int64_t(first.size()) - 1;
  Seq<int64_t> row(first, context);
  Seq<int32_t> column(Array<int32_t>(n, [&](int64_t i) { return int32_t(random_bits(uint64_t(i)) % uint64_t(columns)); }).view(), context);
  Seq<float> value(Array<float>(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context);
  Seq<float> x(Array<float>(columns, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }).view(), context);
  std::vector<float> expected(static_cast<size_t>(rows)), out = expected;
  const auto by_hand = [&](std::span<float> y) { threads::sparse_product(first, column.span(), value.span(), x.span(), y); };
  by_hand(expected);
  Seq<float> result;
  Race race(bench, {"sparse_product", "f32, " + std::to_string(rows) + " rows", n, 8 * n + 12 * rows, {}});
  race.enter_warpfold(
      [&] {
        result = complete(warpfold::tabulate(
            [&](auto r) {
              return warpfold::reduce(warpfold::plus, 0.f,
                                      map([&](auto k) { return value[k] * x[column[k]]; }, warpfold::range(row[r], row[r + 1])));
            },
            rows, context));
      },
      [&] { return all_close(result.span(), expected, 1e-3); });
  race.enter(
      "loops on threads", [&] { by_hand(out); }, [&] { return all_close(out, expected, 1e-3); });
  race.finish();
}

void bodies(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  using Force = std::tuple<float, float, float>;
  std::vector<Seq<float>> p;
  for (uint64_t k = 0; k < 3; k++)
    p.emplace_back(Array<float>(n, [&](int64_t i) { return random_float(uint64_t(i) + (k << 32), 0, 1); }).view(), context);
  const auto &x = p[0], &y = p[1], &z = p[2];
  std::vector<float> expected(static_cast<size_t>(n)), out = expected;
  threads::forces(x.span(), y.span(), z.span(), expected);
  Seq<Force> result;
  Race race(bench, {"bodies", "f32", n, 24 * n, {}});
  race.enter_warpfold(
      [&] {
        auto forces = warpfold::tabulate(
            [&](auto i) {
              return warpfold::reduce(
                  [](auto a, auto b) {
                    return std::tuple(std::get<0>(a) + std::get<0>(b), std::get<1>(a) + std::get<1>(b), std::get<2>(a) + std::get<2>(b));
                  },
                  Force(0.f, 0.f, 0.f),
                  warpfold::tabulate(
                      [&](auto j) {
                        auto dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                        auto square = dx * dx + dy * dy + dz * dz + 0.01f;
                        auto scale = 1.0f / (square * sqrt(square));
                        return std::tuple(dx * scale, dy * scale, dz * scale);
                      },
                      n, context));
            },
            n, context);
        result = complete(forces);
      },
      [&] {
        std::vector<float> first;
        for (const Force& force : result.to_vector()) first.push_back(std::get<0>(force));
        return all_close(first, expected, 1e-2);
      });
  race.enter(
      "loops on threads", [&] { threads::forces(x.span(), y.span(), z.span(), out); }, [&] { return all_close(out, expected, 1e-2); });
  race.finish();
}

}  // namespace bench
