// Gradients of functions of matrices: losses of rows, products, Cholesky's factor, a convolution.

#include <algorithm>
#include <cmath>

#include "gradients/gradients.h"

namespace bench::gradients {

using warpfold::keep;
using warpfold::Seq;
template <class T> using Matrix = warpfold::Array<T, 2>;

namespace {

template <class F> Matrix<float> made(int64_t rows, int64_t columns, const F& f) {
  return {Array<float>(rows * columns, f).view(), {rows, columns}};
}
// Elements in [-scale, scale).
Matrix<float> input(int64_t rows, int64_t columns, uint64_t which, float scale = 1) {
  return made(rows, columns, [=](int64_t i) { return scale * element(which, i); });
}
Seq<float> vector(int64_t n, uint64_t which) {
  return Seq<float>(Array<float>(n, [=](int64_t i) { return element(which, i); }).view());
}

template <class A> auto sum_of_squares(const A& a) {
  return sum(map([](auto each) { return each * each; }, a));
}

void rows(Bench& bench, int64_t n) {
  const int64_t columns = std::min<int64_t>(4096, n), rows = n / columns;
  const Matrix<float> x = input(rows, columns, 1);
  const Seq<float> w = vector(columns, 2);
  const Seq<int32_t> labels(Array<int32_t>(rows, [=](int64_t r) { return int32_t(random_bits(uint64_t(r)) % uint64_t(columns)); }).view());
  race<0>(
      bench, "softmax cross entropy", n,
      []<class T>(const Matrix<T>& x, const Seq<int32_t>& labels) {
        return sum(logsumexp(x, 1)) - sum(warpfold::tabulate([=](auto r) { return x(r, labels[r]); }, labels.size()));
      },
      x, labels);
  race<0>(
      bench, "layer norm . w", n,
      []<class T>(const Matrix<T>& x, const Seq<T>& w) { return sum((x - mean(x, 1, keep)) / sqrt(variance(x, 1, keep) + T(1e-5)) * w); },
      x, w);
  race<1>(
      bench, "least squares", n,
      []<class T>(const Matrix<T>& x, const Seq<T>& w, const Seq<T>& y) { return sum_of_squares(matmul(x, w) - y); }, x, w,
      vector(rows, 3));
}

void products(Bench& bench, int64_t n) {
  const auto side = std::max<int64_t>(2, int64_t(std::sqrt(double(n)) / 2));
  race<0, 1>(
      bench, "product, squared", side * side, [](const auto& a, const auto& b) { return sum_of_squares(matmul(a, b)); },
      input(side, side, 1), input(side, side, 2));
  const int64_t width = std::max<int64_t>(2, side / 4);
  race<1, 2>(
      bench, "two layers", side * width,
      [](const auto& x, const auto& u, const auto& v) { return sum_of_squares(matmul(rectify(matmul(x, u)), v)); }, input(side, width, 1),
      input(width, width, 2, 0.1f), input(width, width, 3, 0.1f));
  race<0>(
      bench, "log determinant", side * side, [](const auto& a) { return log_determinant_positive(a); }, made(side, side, [=](int64_t k) {
        const int64_t i = k / side, j = k % side;
        return (element(1, i * side + j) + element(1, j * side + i)) / float(side) + (i == j ? 2.f : 0.f);
      }));
}

}  // namespace

void arrays(Bench& bench, int64_t n) {
  rows(bench, n);
  products(bench, n);
  const auto side = std::max<int64_t>(8, int64_t(std::sqrt(double(n))));
  race<0, 1>(
      bench, "convolution, 3 x 3", side * side,
      [](const auto& image, const auto& kernel) { return sum_of_squares(convolve(image, kernel)); }, input(side, side, 1), input(3, 3, 2));
}

}  // namespace bench::gradients
