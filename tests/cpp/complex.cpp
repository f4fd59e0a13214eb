// std::complex as an element, and transforms of such sequences.
#include <complex>

#include "common.h"

using namespace warpfold;

namespace {

using C = std::complex<double>;

std::vector<C> complex_numbers(int64_t n) {
  const std::vector<double> parts = numbers<double>(2 * n);
  std::vector<C> all;
  for (size_t k = 0; k < parts.size(); k += 2) all.push_back({parts[k] / 8, parts[k + 1] / 8});
  return all;
}

template <class F, class G> void check_map(const F& f, const G& expected) {
  for (int64_t n : lengths) {
    const std::vector<C> z = complex_numbers(n);
    const std::vector<C> y = map(f, Seq<C>(z)).to_vector();
    for (size_t k = 0; k < z.size(); k++) CHECK(std::abs(y[k] - expected(z[k])) <= 1e-12 * (1 + std::abs(y[k])));
  }
}

TEST(arithmetic_in_a_function_is_that_of_std_complex) {
  const C c(0.5, -2);
  check_map([=](auto z) { return z * z + c; }, [=](C z) { return z * z + c; });
  check_map([=](auto z) { return c - 2.0 * z * c; }, [=](C z) { return c - 2.0 * z * c; });
  check_map([=](auto z) { return 1.0 - (z - 3.0) / 2.0; }, [=](C z) { return 1.0 - (z - 3.0) / 2.0; });
  check_map([=](auto z) { return c / (z + C(0, 20)) - conj(-z); }, [=](C z) { return c / (z + C(0, 20)) - std::conj(-z); });
  check_map([=](auto z) { return exp(z * C(0, 1)) + Complex{real(z), imag(z)}; }, [=](C z) { return std::exp(z * C(0, 1)) + z; });
  check_map([=](auto z) { return log(z + C(0, 20)); }, [=](C z) { return std::log(z + C(0, 20)); });
  check_map(
      [=](auto z) {
        return Complex{abs(z), norm(z)} + arg(z + C(0, 20));
      },
      [=](C z) { return C(std::abs(z), std::norm(z)) + std::arg(z + C(0, 20)); });
}

TEST(reductions_scans_and_filters_of_complex_numbers) {
  for (int64_t n : lengths) {
    const std::vector<C> z = complex_numbers(n);
    const Seq<C> s(z);
    C sum = 0;
    std::vector<C> prefixes, kept;
    for (C x : z) {
      prefixes.push_back(sum += x);
      if (x == C(1, -1) || x.real() > 2) kept.push_back(x);
    }
    const auto add = [](auto a, auto b) { return a + b; };
    CHECK_EQ(reduce(add, C(0), s).get(), sum);  // exact in these numbers
    CHECK(scan_incl(add, C(0), s).to_vector() == prefixes);
    CHECK(filter([](auto x) { return x == C(1, -1) || x.re > 2.0; }, s).to_vector() == kept);
  }
}

TEST(transforms_of_sequences_and_arrays) {
  const int64_t n = 96;
  const std::vector<C> z = complex_numbers(n);
  const Seq<C> s(z);
  std::vector<C> expected(z.size());
  for (int64_t k = 0; k < n; k++)
    for (int64_t j = 0; j < n; j++) expected[size_t(k)] += std::polar(1.0, -2 * M_PI * double(j * k % n) / double(n)) * z[size_t(j)];
  const std::vector<C> y = fft(s).to_vector(), back = inverse_fft(fft(s)).to_vector();
  for (size_t k = 0; k < z.size(); k++) {
    CHECK(std::abs(y[k] - expected[k]) < 1e-11);
    CHECK(std::abs(back[k] - z[k]) < 1e-12);
  }
  const Array<C, 2> a = reshape(s, 8, 12);
  const std::vector<C> rows = fft(a).flat().to_vector(), first = fft(take(s, 12)).to_vector(),
                       same = inverse_fft2(fft2(a)).flat().to_vector();
  for (size_t k = 0; k < 12; k++) CHECK(std::abs(rows[k] - first[k]) < 1e-12);
  for (size_t k = 0; k < z.size(); k++) CHECK(std::abs(same[k] - z[k]) < 1e-12);
}

}  // namespace
