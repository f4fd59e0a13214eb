// Special functions of scalars, sequences and arrays, inside reductions of rows and inside loops: the same values everywhere.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "common.h"

using namespace warpfold;

namespace {

template <class T> bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t k = 0; k < a.size(); k++)
    if (!(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k])))) return false;
  return true;
}
template <class T> std::vector<T> greatest_of_rows(const std::vector<T>& x, size_t row) {
  std::vector<T> out;
  for (size_t k = 0; k < x.size(); k += row) out.push_back(*std::max_element(x.begin() + long(k), x.begin() + long(k + row)));
  return out;
}
// Varied numbers in (low, high).
template <class T> std::vector<T> between(int64_t n, double low, double high, int64_t step) {
  std::vector<T> x;
  for (int64_t k = 0; k < n; k++) x.push_back(T(low + (high - low) * (double((k * step) % n) + 0.5) / double(n)));
  return x;
}

constexpr int64_t planes = 2, rows = 41, width = 25, n = planes * rows * width;  // more than a block

// A function of values of each kind, so that the checks below are compiled once for all functions.
template <class V, size_t> using Same = V;
template <class V, class Numbers> struct Taking;
template <class V, size_t... k> struct Taking<V, std::index_sequence<k...>> { using Function = std::function<V(const Same<V, k>&...)>; };
template <class T, size_t arity> struct Function {
  template <class V> using Of = typename Taking<V, std::make_index_sequence<arity>>::Function;
  const char* name;
  Of<Expr<T>> in_trace;
  Of<Scalar<T>> of_scalars;
  Of<Array<T, 2>> of_matrices;
  Of<Array<T, 3>> of_rank_3;
};

// Each operand has n elements.
template <class T, class... X> void check_ranks(const Function<T, sizeof...(X)>& f, const X&... x) {
  const std::vector<T> expected = map(f.in_trace, Seq<T>(x)...).to_vector();
  auto check = [&](const char* where, const std::vector<T>& got, const std::vector<T>& wanted) {
    if (!same(got, wanted)) CHECK_EQ(std::string(f.name) + (sizeof(T) == 4 ? " f32 " : " f64 ") + where, "equal");
  };
  for (size_t k : {0, 1, 1000, int(n) - 1}) check("of scalars", {f.of_scalars(Scalar<T>(x[k])...).get()}, {expected[k]});
  check("of matrices", f.of_matrices(Array<T, 2>(x, {planes * rows, width})...).to_vector(), expected);
  check("of rank 3", f.of_rank_3(Array<T, 3>(x, {planes, rows, width})...).to_vector(), expected);
  check("of transposes", t(f.of_matrices(t(Array<T, 2>(x, {planes * rows, width}))...)).to_vector(), expected);

  const std::vector<T> greatest = greatest_of_rows(expected, width);
  const T least = -std::numeric_limits<T>::infinity();
  check("along an axis", max(f.of_rank_3(Array<T, 3>(x, {planes, rows, width})...), {2}).to_vector(), greatest);
  const auto folded = [&](const auto&... s) {
    return tabulate([&](auto i) { return reduce(max, least, map(f.in_trace, subseq(s, i * width, width)...)); }, n / width);
  };
  check("in rows", folded(Seq<T>(x)...).to_vector(), greatest);
  const auto looped = [&](const auto&... s) {
    return tabulate(
        [&](auto i) {
          return std::get<0>(loop(
              std::tuple(least, int64_t(0)), [](auto, auto k) { return k < width; },
              [&](auto best, auto k) { return std::tuple(max(best, f.in_trace(s[i * width + k]...)), k + 1); }));
        },
        n / width);
  };
  check("in loops", looped(Seq<T>(x)...).to_vector(), greatest);
}

#define CHECK_RANKS(function, ...)                                  \
  do {                                                              \
    const auto f = [](const auto&... x) { return function(x...); }; \
    check_ranks<T>({#function, f, f, f, f}, __VA_ARGS__);           \
  } while (false)

template <class T> void one_operand() {
  const std::vector<T> x = between<T>(n, 0.05, 0.95, 701);
#define ONE(name) CHECK_RANKS(name, x)
  ONE(rectify);
  ONE(pos);
  ONE(exp10);
  ONE(sinpi);
  ONE(cospi);
  ONE(sigmoid);
  ONE(softplus);
  ONE(log1mexp);
  ONE(logit);
  ONE(erfinv);
  ONE(erfcinv);
  ONE(ndtr);
  ONE(ndtri);
  ONE(lgamma);
  ONE(tgamma);
  ONE(digamma);
  ONE(trigamma);
  ONE(lfact);
  ONE(bessel_j0);
  ONE(bessel_j1);
  ONE(bessel_y0);
  ONE(bessel_y1);
  ONE(bessel_i0);
  ONE(bessel_i1);
#undef ONE
}
template <class T> void several_operands() {
  const std::vector<T> a = between<T>(n, 3, 9, 701), b = between<T>(n, 0.5, 4, 1303), c = between<T>(n, 0.01, 0.99, 409);
  std::vector<T> dimensions(b);
  for (T& p : dimensions) p = std::floor(p);
  CHECK_RANKS(logaddexp, a, b);
  CHECK_RANKS(lchoose, a, b);
  CHECK_RANKS(lbeta, a, b);
  CHECK_RANKS(mvlgamma, a, dimensions);
  CHECK_RANKS(mvdigamma, a, dimensions);
  CHECK_RANKS(gamma_p, a, b);
  CHECK_RANKS(gamma_q, a, b);
  CHECK_RANKS(ibeta, a, b, c);
}

}  // namespace

TEST(one_operand_f32) { one_operand<float>(); }
TEST(one_operand_f64) { one_operand<double>(); }
TEST(several_operands_f32) { several_operands<float>(); }
TEST(several_operands_f64) { several_operands<double>(); }

// An operand that is one number, or has a lower rank, belongs to all elements.
TEST(operands_of_different_ranks) {
  const Array<double, 2> a{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const Array<double, 1> x{0.5, 1.0, 2.0};
  CHECK_EQ(gamma_p(a, x)(1, 2).get(), gamma_p(Scalar(6.0), Scalar(2.0)).get());
  CHECK_EQ(lbeta(2.0, a)(1, 0).get(), lbeta(Scalar(2.0), Scalar(4.0)).get());
  CHECK_EQ(ibeta(a, 2.0, Array<double, 1>{0.1, 0.2, 0.3})(0, 1).get(), ibeta(Scalar(2.0), Scalar(2.0), Scalar(0.2)).get());
  CHECK_EQ(lgamma(Scalar(5)).get(), std::log(24.0));  // an integer is an f64
}
