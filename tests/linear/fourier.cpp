// Fourier transforms against their sums in long double.
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

using Complex = std::complex<long double>;

double number(int64_t i) { return double((i * 2654435761u) % 2003) / 1001.5 - 1; }

template <class T> std::vector<T> numbers(int64_t n) {
  std::vector<T> all(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) all[size_t(i)] = T(number(i));
  return all;
}

// Sums along the second of the axes outer, n and inner.
std::vector<Complex> sums(const std::vector<Complex>& x, int64_t outer, int64_t n, int64_t inner, int sign) {
  std::vector<Complex> y(x.size()), root(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; k++) root[size_t(k)] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * k / n);
  for (int64_t o = 0; o < outer; o++)
    for (int64_t k = 0; k < n; k++)
      for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < inner; i++)
          y[size_t((o * n + k) * inner + i)] += root[size_t(j * k % n)] * x[size_t((o * n + j) * inner + i)];
  return y;
}

template <class T> std::vector<Complex> pairs(const std::vector<T>& x) {
  std::vector<Complex> all;
  for (size_t k = 0; k < x.size(); k += 2) all.push_back({x[k], x[k + 1]});
  return all;
}

// The largest difference, in units of the precision and of the largest element.
template <class T> double distance(const std::vector<T>& x, const std::vector<Complex>& expected) {
  if (x.size() != 2 * expected.size()) return INFINITY;
  long double most = 0, size = 1e-30L;
  for (size_t k = 0; k < expected.size(); k++) {
    most = std::max(most, std::abs(Complex(x[2 * k], x[2 * k + 1]) - expected[k]));
    size = std::max(size, std::abs(expected[k]));
  }
  return double(most / size / std::numeric_limits<T>::epsilon());
}

template <class T, int R> std::vector<T> elements(const Array<T, R>& a) { return a.flat().to_vector(); }

template <class T> void check_lengths() {
  for (int64_t n : {0, 1, 2, 3, 5, 8, 31, 32, 37, 64, 97, 100, 210, 1024, 1369, 2039}) {
    const std::vector<T> x = numbers<T>(3 * n * 2);
    const Array<T, 3> a = reshape(Seq<T>(x), 3, n, 2);
    const std::vector<Complex> expected = sums(pairs(x), 3, n, 1, -1);
    CHECK(distance(elements(fft(a)), expected) < 20);
    std::vector<Complex> back = sums(pairs(x), 3, n, 1, 1);
    for (Complex& y : back) y /= std::max<int64_t>(n, 1);
    CHECK(distance(elements(inverse_fft(a)), back) < 20);
    CHECK(distance(elements(inverse_fft(fft(a))), pairs(x)) < 20);
    // The real parts alone.
    const Array<T, 2> real = a(every, every, 0);
    std::vector<Complex> of_real = pairs(x);
    for (Complex& y : of_real) y = y.real();
    const std::vector<Complex> whole = sums(of_real, 3, n, 1, -1);
    std::vector<Complex> half;
    for (int64_t b = 0; b < 3; b++)
      for (int64_t k = 0; n > 0 && k <= n / 2; k++) half.push_back(whole[size_t(b * n + k)]);
    CHECK(distance(elements(real_fft(real)), half) < 20);
    std::vector<T> round_trip;
    for (T y : elements(inverse_real_fft(real_fft(real), n % 2 == 1))) round_trip.insert(round_trip.end(), {y, 0});
    CHECK(distance(round_trip, of_real) < 20);
  }
}

TEST(transforms_of_every_kind_of_length_are_their_sums) {
  check_lengths<float>();
  check_lengths<double>();
}

TEST(transforms_of_several_axes_are_those_of_one_after_the_other) {
  const int64_t b = 2, l = 4, m = 37, n = 6, all = b * l * m * n;
  const std::vector<double> x = numbers<double>(2 * all);
  const Array<double, 5> a = reshape(Seq<double>(x), b, l, m, n, 2);
  const std::vector<Complex> one = sums(pairs(x), b * l * m, n, 1, -1), two = sums(one, b * l, m, n, -1),
                             three = sums(two, b, l, m * n, -1);
  CHECK(distance(elements(fft(a)), one) < 20);
  CHECK(distance(elements(fft2(a)), two) < 20);
  CHECK(distance(elements(fft3(a)), three) < 20);
  CHECK(distance(elements(inverse_fft2(fft2(a))), pairs(x)) < 20);
  CHECK(distance(elements(inverse_fft3(fft3(a))), pairs(x)) < 20);
  const Array<double, 4> real = a(every, every, every, every, 1);
  const std::vector<double> r = elements(real);
  const Array<double, 5> with_zeros =
      array([&](auto h, auto i, auto j, auto k, auto part) { return where(part == 0, real(h, i, j, k), 0.0); }, b, l, m, n, 2);
  CHECK(distance(elements(real_fft2(real)), pairs(elements(fft2(with_zeros)(every, every, every, slice(0, n / 2 + 1), every)))) < 20);
  CHECK(distance(elements(real_fft3(real)), pairs(elements(fft3(with_zeros)(every, every, every, slice(0, n / 2 + 1), every)))) < 20);
  double most = 0;
  for (const std::vector<double>& back : {elements(inverse_real_fft2(real_fft2(real))), elements(inverse_real_fft3(real_fft3(real)))}) {
    CHECK_EQ(back.size(), r.size());
    for (size_t k = 0; k < r.size(); k++) most = std::max(most, std::abs(back[k] - r[k]));
  }
  CHECK(most < 1e-14);
  // Views whose elements are not side by side.
  const Array<double, 3> page = a(1, 2, every, every, every), turned = permute(page, 1, 0, 2);
  CHECK(distance(elements(fft(turned)), pairs(elements(fft(Array<double, 3>(reshape(turned.flat().force(), n, m, 2)))))) < 1);
  CHECK(distance(elements(fft2(turned)), pairs(elements(permute(fft2(page), 1, 0, 2)))) < 20);
}

TEST(a_long_transform_and_many_short_ones) {
  const int64_t n = 1 << 18;
  const std::vector<float> x = numbers<float>(2 * n);
  const Array<float, 2> a = reshape(Seq<float>(x), n, 2);
  CHECK(distance(elements(inverse_fft(fft(a))), pairs(x)) < 20);
  const Array<float, 3> rows = reshape(Seq<float>(x), n / 8, 8, 2);
  CHECK(distance(elements(fft(rows)), sums(pairs(x), n / 8, 8, 1, -1)) < 20);
  const Array<float, 2> prime = reshape(take(Seq<float>(x), 2 * 99991), 99991, 2);
  CHECK(distance(elements(inverse_fft(fft(prime))), pairs(elements(prime))) < 20);
}

TEST(a_nan_fills_its_own_transform_alone) {
  std::vector<double> x = numbers<double>(2 * 2 * 40);
  x[7] = NAN;
  const std::vector<double> y = elements(fft(reshape(Seq<double>(x), 2, 40, 2)));
  for (size_t k = 0; k < y.size(); k++) CHECK_EQ(std::isnan(y[k]), k < 80);
}

// <w, F x> = <F* w, x>, and transforms are linear, so the gradient at any x is F* w.
TEST(gradients_are_adjoint_transforms) {
  const int64_t m = 3, n = 10;
  const Array<double, 3> x = reshape(Seq<double>(numbers<double>(2 * m * n)), m, n, 2), w = x * 3.0 + 1.0;
  const auto adjoint = [&](auto f) { return elements(grad([=](const Array<double, 3>& a) { return sum(w * f(a)); })(x)); };
  const Array<double, 3> inverse = inverse_fft(w);
  const std::vector<double> of_fft = adjoint([](const auto&a) { return fft(a); }), expected = elements(inverse * double(n));
  const std::vector<double> of_inverse = adjoint([](const auto&a) { return inverse_fft2(a); }), other = elements(fft2(w) / double(m * n));
  for (size_t k = 0; k < expected.size(); k++) {
    CHECK(std::abs(of_fft[k] - expected[k]) < 1e-12);
    CHECK(std::abs(of_inverse[k] - other[k]) < 1e-12);
  }
}

TEST(a_convolution_by_transforms_in_a_plan) {
  const auto product = [](const Array<float, 2>& a, const Array<float, 2>& b) {
    return array(
        [=](auto i, auto part) { return where(part == 0, a(i, 0) * b(i, 0) - a(i, 1) * b(i, 1), a(i, 0) * b(i, 1) + a(i, 1) * b(i, 0)); },
        a.shape()[0], 2);
  };
  auto smooth =
      jit([=](const Array<float, 1>& x, const Array<float, 1>& y) { return inverse_real_fft(product(real_fft(x), real_fft(y))); });
  const int64_t n = 64;
  const Array<float, 1> x = Seq<float>(numbers<float>(n)), y = array([](auto i) { return where(i == 5, 2.f, 0.f); }, n);
  for (int k = 0; k < 3; k++) {
    const std::vector<float> z = elements(smooth(x, y));
    for (int64_t i = 0; i < n; i++) CHECK(std::abs(z[size_t(i)] - 2 * float(number((i + n - 5) % n))) < 1e-5f);
  }
}

template <class F> void check_message(const F& f, const std::string& message) {
  try {
    f();
    CHECK_EQ(std::string("no error"), message);
  } catch (const Error& e) { CHECK_EQ(std::string(e.what()), message); }
}

TEST(errors_name_the_shape) {
  const Array<float, 2> a = reshape(Seq<float>(numbers<float>(12)), 4, 3);
  check_message([&] { fft(a); }, "fft: a has shape 4 x 3; expected 2 elements along the last axis: real and imaginary parts");
  check_message([&] { fft2(reshape(Seq<float>(numbers<float>(12)), 6, 2)); },
                "fft2: a has shape 6 x 2; expected at least rank 3, of which the last axis has the real and imaginary parts");
  check_message([&] { real_fft3(a); }, "real_fft3: a has shape 4 x 3; expected at least rank 3");
}

}  // namespace
