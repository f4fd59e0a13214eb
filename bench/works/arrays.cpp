// Arrays: views that reorder elements, rows and their elements, neighbourhoods, sums and scans along axes. n is the number of elements; matrices
// are square unless it is said.
//   transpose            the transpose, stored
//   permute4             out[k, i, l, j] = a[i, j, k, l]
//   softmax, layer_norm  of rows of 1024
//   edges                a blur by 5 x 5, then the length of Sobel's gradient
//   broadcast_add        a matrix, a row and a column
//   axis_sums            of (n, m, 64): along axes 0 and 2
//   axis_scans           inclusive sums along axis 1, then along axis 0
//   convolve             by 3 x 3 and by 7 x 7 weights
//   life                 a generation of the Game of Life on a torus
//   heat, heat_at        a step of the heat equation, 0 outside: by displaced arrays, and by a function of two indices
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "harness.h"
#include "peers/arrays.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {
namespace {

using warpfold::cast;
using Matrix = warpfold::Array<float, 2>;

int64_t root_of(int64_t n, double power) { return std::max<int64_t>(1, int64_t(std::floor(std::pow(double(n), 1 / power) + 1e-6))); }
float element(int64_t i) { return random_float(uint64_t(i), -1, 1); }

// The elements of an array and a Race of warpfold's with a peer's function of them.
template <class T, int R> struct Input {
  template <class F>
  Input(Bench& bench, const warpfold::Shape<R>& extents, F f)
      : context(bench.options().context), host(warpfold::arrays::length_of(extents), f), array(host.view(), extents, context) {}
  warpfold::Context context;
  Array<T> host;
  warpfold::Array<T, R> array;
};

// `compute` gives a delayed array, `loops` writes the same elements. A result passes if its elements are close to the loops', whose own running
// sums of 2^15 floats are wrong by up to 1.1e-3.
template <class T, int R, class Compute, class Loops>
void race(Bench& bench, const char* work, const char* type, int64_t n, const Input<T, R>& input, int64_t results, const Compute& compute,
          const Loops& loops) {
  Array<T> expected(results), out(results);
  loops(expected.data());
  auto is_right = [&](std::span<const T> found) {
    if (int64_t(found.size()) != results) return false;
    for (int64_t i = 0; i < results; i++)
      if (!close(double(found[size_t(i)]), double(expected[i]), 4e-3)) return false;
    return true;
  };
  const int64_t bytes = int64_t(sizeof(T)) * (input.host.size() + results);
  const Limit limit = results == input.host.size() ? copy_limit(input.host.data(), out.data(), int64_t(sizeof(T)) * results / 64 * 64)
                                                   : read_limit(input.host.data(), int64_t(sizeof(T)) * input.host.size() / 64 * 64);
  using Result = decltype(compute());
  std::unique_ptr<Result> result;
  Race race(bench, {work, type, n, bytes, limit});
  race.enter_warpfold(
      [&] {
        result = std::make_unique<Result>(compute());
        warpfold::wait(*result);
      },
      [&] { return is_right(result->span()); });
  race.enter(
      "loops on threads", [&] { loops(out.data()); }, [&] { return is_right(out.view()); });
  race.finish();
}

// The indices from i - reach to i + reach; those outside of [0, n) become the nearest inside.
template <class Index> std::vector<Index> around(const Index& i, int reach, int64_t n) {
  std::vector<Index> indices;
  for (int k = -reach; k <= reach; k++) indices.push_back(max(min(i + k, n - 1), 0));
  return indices;
}

// A blurred picture and its gradient, whose borders repeat. Both add along rows first, so that elements below each other share these sums.
Matrix blurred(const Matrix& a, int64_t n, int64_t m) {
  return warpfold::array(
      [&](auto i, auto j) {
        const auto rows = around(i, 2, n), columns = around(j, 2, m);
        auto row = [&](size_t p) {
          auto at = [&](size_t q) { return a(rows[p], columns[q]); };
          return at(0) + at(1) + at(2) + at(3) + at(4);
        };
        return (row(0) + row(1) + row(2) + row(3) + row(4)) / 25.f;
      },
      n, m);
}
Matrix gradient(const Matrix& b, int64_t n, int64_t m) {
  return warpfold::array(
      [&](auto i, auto j) {
        const auto rows = around(i, 1, n), columns = around(j, 1, m);
        auto slope = [&](size_t p) { return b(rows[p], columns[2]) - b(rows[p], columns[0]); };
        auto smooth = [&](size_t p) { return b(rows[p], columns[0]) + 2.f * b(rows[p], columns[1]) + b(rows[p], columns[2]); };
        const auto x = slope(0) + 2.f * slope(1) + slope(2), y = smooth(2) - smooth(0);
        return sqrt(x * x + y * y);
      },
      n, m);
}

warpfold::Array<uint8_t, 2> generation(const warpfold::Array<uint8_t, 2>& cells, int64_t n) {
  return warpfold::array(
      [&](auto i, auto j) {
        const auto up = where(i == 0, n - 1, i - 1), down = where(i == n - 1, 0, i + 1);
        const auto left = where(j == 0, n - 1, j - 1), right = where(j == n - 1, 0, j + 1);
        const auto around = cells(up, left) + cells(up, j) + cells(up, right) + cells(i, left) + cells(i, right) + cells(down, left) +
                            cells(down, j) + cells(down, right);
        return cast<uint8_t>(around == 3 || (around == 2 && cells(i, j) == 1));
      },
      n, n);
}

Matrix warmed(const Matrix& u) {
  const auto around = translate(u, {1, 0}) + translate(u, {-1, 0}) + translate(u, {0, 1}) + translate(u, {0, -1});
  return u + 0.2f * (around - 4 * u);
}
Matrix warmed_at(const Matrix& u, int64_t n) {
  return warpfold::array(
      [&](auto i, auto j) {
        const auto around = where(i > 0, u(i - 1, j), 0.f) + where(i < n - 1, u(i + 1, j), 0.f) + where(j > 0, u(i, j - 1), 0.f) +
                            where(j < n - 1, u(i, j + 1), 0.f);
        return u(i, j) + 0.2f * (around - 4 * u(i, j));
      },
      n, n);
}

}  // namespace

void transpose(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<float, 2> a(bench, {n, n}, element);
  race(
      bench, "transpose", "f32", elements, a, n * n, [&] { return Matrix(t(a.array)); },
      [&](float* out) { threads::transpose(a.host.data(), n, n, out); });
}

void permute4(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 4);
  const Input<float, 4> a(bench, {n, n, n, n}, element);
  race(
      bench, "permute4", "f32", elements, a, n * n * n * n, [&] { return warpfold::Array<float, 4>(permute(a.array, 2, 0, 3, 1)); },
      [&](float* out) { threads::permute(a.host.data(), n, out); });
}

void softmax(Bench& bench, int64_t elements) {
  const int64_t m = std::min<int64_t>(1024, elements), n = elements / m;
  const Input<float, 2> a(bench, {n, m}, element);
  race(
      bench, "softmax", "f32", elements, a, n * m, [&] { return Matrix(softmax(a.array, 1)); },
      [&](float* out) { threads::softmax(a.host.data(), n, m, out); });
}

void layer_norm(Bench& bench, int64_t elements) {
  const int64_t m = std::min<int64_t>(1024, elements), n = elements / m;
  const Input<float, 2> a(bench, {n, m}, element);
  race(
      bench, "layer_norm", "f32", elements, a, n * m,
      [&] { return Matrix((a.array - mean(a.array, 1, warpfold::keep)) / sqrt(variance(a.array, 1, warpfold::keep) + 1e-5f)); },
      [&](float* out) { threads::layer_norm(a.host.data(), n, m, out); });
}

void edges(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<float, 2> a(bench, {n, n}, element);
  Array<float> between(n * n);
  const warpfold::ContextScope scope(a.context);
  race(
      bench, "edges", "f32", elements, a, n * n, [&] { return gradient(blurred(a.array, n, n), n, n); },
      [&](float* out) { threads::edges(a.host.data(), n, n, between.data(), out); });
}

void convolve(Bench& bench, int64_t elements) {
  const int64_t n = std::max<int64_t>(7, root_of(elements, 2));
  const Input<float, 2> a(bench, {n, n}, element);
  for (int64_t extent : {3, 7}) {
    const Array<float> host(extent * extent, [&](int64_t i) { return element(i) / float(extent * extent); });
    const Matrix weights(host.view(), {extent, extent}, a.context);
    const int64_t results = (n - extent + 1) * (n - extent + 1);
    race(
        bench, extent == 3 ? "convolve3" : "convolve7", "f32", elements, a, results,
        [&] { return Matrix(warpfold::arrays::convolve(a.array, weights)); },
        [&](float* out) { threads::convolve(a.host.data(), n, n, host.data(), extent, out); });
  }
}

void broadcast_add(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<float, 2> a(bench, {n, n}, element);
  const Array<float> row(n, element), column(n, element);
  const Matrix across(row.view(), {1, n}, a.context), down(column.view(), {n, 1}, a.context);
  race(
      bench, "broadcast_add", "f32", elements, a, n * n, [&] { return Matrix(a.array + across + down); },
      [&](float* out) { threads::add_row_and_column(a.host.data(), row.data(), column.data(), n, n, out); });
}

void axis_sums(Bench& bench, int64_t elements) {
  const int64_t n = root_of(std::max<int64_t>(1, elements / 64), 2);
  const Input<float, 3> a(bench, {n, n, 64}, element);
  race(
      bench, "axis_sums", "f32", elements, a, n,
      [&] {
        return warpfold::Array<float, 1>(sum(a.array, {0, 2}));
      },
      [&](float* out) { threads::outer_sums(a.host.data(), n, n, out); });
}

void axis_scans(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<float, 2> a(bench, {n, n}, element);
  race(
      bench, "row_scans", "f32", elements, a, n * n, [&] { return Matrix(cumulative_sum(a.array, 1)); },
      [&](float* out) { threads::row_prefixes(a.host.data(), n, n, out); });
  race(
      bench, "column_scans", "f32", elements, a, n * n, [&] { return Matrix(cumulative_sum(a.array, 0)); },
      [&](float* out) { threads::column_prefixes(a.host.data(), n, n, out); });
}

void life(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<uint8_t, 2> cells(bench, {n, n}, [](int64_t i) { return uint8_t(random_bits(uint64_t(i)) % 10 < 3); });
  const warpfold::ContextScope scope(cells.context);
  race(
      bench, "life", "u8", elements, cells, n * n, [&] { return generation(cells.array, n); },
      [&](uint8_t* out) { threads::life(cells.host.data(), n, n, out); });
}

void heat(Bench& bench, int64_t elements) {
  const int64_t n = root_of(elements, 2);
  const Input<float, 2> u(bench, {n, n}, element);
  const warpfold::ContextScope scope(u.context);
  auto loops = [&](float* out) { threads::heat(u.host.data(), n, n, out); };
  race(
      bench, "heat", "f32", elements, u, n * n, [&] { return warmed(u.array); }, loops);
  race(
      bench, "heat_at", "f32", elements, u, n * n, [&] { return warmed_at(u.array, n); }, loops);
}

}  // namespace bench
