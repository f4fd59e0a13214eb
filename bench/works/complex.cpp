// complex: x += y z for 3x3 complex matrices, each of 18 columns of floats: 216 bytes per element are read and 72 written.

#include <array>
#include <complex>
#include <tuple>

#include "complete.h"
#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq, warpfold::tabulate;

template <class T> using Matrix = std::array<std::array<T, 2>, 9>;  // row by row; a number is its real and imaginary part

template <class T> static Matrix<T> multiply_add(Matrix<T> x, const Matrix<T>& y, const Matrix<T>& z) {
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) {
        auto [a, b] = y[3 * i + k];
        auto [c, d] = z[3 * k + j];
        x[3 * i + j][0] = x[3 * i + j][0] + a * c - b * d;
        x[3 * i + j][1] = x[3 * i + j][1] + a * d + b * c;
      }
  return x;
}

// Matrix k of the `first`-th sequence.
template <class Index, class ToFloat> static auto matrix(Index k, int64_t first, ToFloat to_float) {
  auto part = [&](int64_t p) { return to_float((k * (first + p) + 7) % 1000) * 0.001f; };
  auto number = [&](int64_t c) { return std::array{part(2 * c), part(2 * c + 1)}; };
  return std::array{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7), number(8)};
}

void complex(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  auto matrices = [&](int64_t first) {
    return tabulate([=](auto k) { return matrix(k, first, [](auto i) { return warpfold::cast<float>(i); }); }, n, context).force();
  };
  const auto x = matrices(1), y = matrices(20), z = matrices(40);
  auto result = x;
  auto host_matrix = [](int64_t k, int64_t first) { return matrix(k, first, [](int64_t i) { return float(i); }); };
  auto right = [&] {
    for (int64_t k : {int64_t(0), n / 3, n - 1}) {
      const Matrix<float> expected = multiply_add(host_matrix(k, 1), host_matrix(k, 20), host_matrix(k, 40)), got = result[k].get();
      for (size_t c = 0; c < 9; ++c)
        for (size_t part = 0; part < 2; ++part)
          if (!close(got[c][part], expected[c][part], 1e-5)) return false;
    }
    return true;
  };
  Array<float> from(18 * n), to(18 * n);
  Race race(bench, {"complex", "18 x f32", n, 288 * n, copy_limit(from.data(), to.data(), 72 * n)});
  race.enter_warpfold([&] { result = complete(map([](auto a, auto b, auto c) { return multiply_add(a, b, c); }, x, y, z)); }, right);
  race.finish();
}

}  // namespace bench
