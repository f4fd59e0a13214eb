// Reductions, scans and sorts along axes, against plain loops; printing; Eigen.
#include <numeric>
#include <sstream>

#include <Eigen/Core>

#include "arrays.h"

using namespace warpfold;

template <class T> static Array<T, 2> varied(int64_t m, int64_t n) { return {numbers<T>(m * n), {m, n}}; }

// The vectors along an axis of a matrix.
template <class T> static std::vector<std::vector<T>> vectors(const Array<T, 2>& a, int axis) {
  const auto [m, n] = a.shape();
  const auto values = a.to_vector();
  std::vector<std::vector<T>> all(static_cast<size_t>(axis == 0 ? n : m));
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) all[size_t(axis == 0 ? j : i)].push_back(values[size_t(i * n + j)]);
  return all;
}
// f of each of them.
template <class T, class F> static auto along(const Array<T, 2>& a, int axis, const F& f) {
  std::vector<decltype(f(std::vector<T>()))> results;
  for (const auto& v : vectors(a, axis)) results.push_back(f(v));
  return results;
}
static void close(const std::vector<double>& a, const std::vector<double>& b, double bound = 1e-12) {
  CHECK_EQ(a.size(), b.size());
  for (size_t k = 0; k < std::min(a.size(), b.size()); k++)
    if (!(std::abs(a[k] - b[k]) <= bound * std::max(1.0, std::abs(b[k]))) && !(std::isnan(a[k]) && std::isnan(b[k]))) CHECK_EQ(a[k], b[k]);
}

template <class T> static void sums() {
  for_shapes([](int64_t m, int64_t n) {
    const auto a = varied<T>(m, n);
    for (int axis : {0, 1}) {
      const auto right = along(a, axis, [](const auto& v) { return std::accumulate(v.begin(), v.end(), T(0)); });
      CHECK_EQ(sum(a, axis).to_vector(), right);
      CHECK_EQ(sum(a, axis - 2).to_vector(), right);
      CHECK_EQ(sum(a, axis, keep).shape(), axis == 0 ? (Shape<2>{1, n}) : (Shape<2>{m, 1}));
      CHECK_EQ(sum(t(a), 1 - axis).to_vector(), right);
      CHECK_EQ(sum(2 * a - a, axis).to_vector(), right);
      CHECK_EQ(reduce([](auto x, auto y) { return x + y; }, T(0), a, axis).to_vector(), right);
    }
  });
}
TEST(sums_of_integers) { sums<int>(); }
TEST(sums_of_floats) { sums<float>(), sums<double>(); }

TEST(a_list_of_one_axis_is_that_axis) {
  const auto a = varied<double>(3, 5);
  CHECK_EQ(sum(a, {1}).to_vector(), sum(a, 1).to_vector());
  CHECK_EQ(product(a, {0}, keep).to_vector(), product(a, 0, keep).to_vector());
  CHECK_EQ(mean(a, {-1}).to_vector(), mean(a, 1).to_vector());
  CHECK_EQ(variance(a, {0}).to_vector(), variance(a, size_t{0}).to_vector());
  CHECK_EQ(norm(a, {1}).to_vector(), norm(a, 1).to_vector());
  CHECK_EQ(logsumexp(a, {1}).to_vector(), logsumexp(a, 1).to_vector());
  CHECK_EQ(any(a, {1}).to_vector(), any(a, 1).to_vector());
  CHECK_EQ(least(a, {1}).to_vector(), min(a, {1}).to_vector());
  CHECK_EQ(reduce(plus, 0.0, a, {1}).to_vector(), sum(a, 1).to_vector());
}

// The first position, if all elements are NaN, or equal to the identity of max or min.
TEST(positions_of_elements_that_are_all_alike) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const Array<float, 2> a(std::vector<float>{nan, nan, nan, -infinity, -infinity, -infinity, nan, -infinity, nan, 0, -0.f, 0}, {4, 3});
  CHECK_EQ(argmax(a, 1).to_vector(), (std::vector<int64_t>{0, 0, 1, 0}));
  CHECK_EQ(argmin(a, 1).to_vector(), (std::vector<int64_t>{0, 0, 1, 0}));
  const Array<int, 2> b(std::vector<int>{INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}, {2, 2});
  CHECK_EQ(argmax(b, 1).to_vector(), (std::vector<int64_t>{0, 0}));
  CHECK_EQ(argmin(b, 1).to_vector(), (std::vector<int64_t>{0, 0}));
}

// NaN is neither the largest nor the least element, wherever it is.
TEST(positions_of_the_largest_and_least_with_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (int64_t n : {2, 3, 8, 9, 64, 300, 5000}) {
    std::vector<float> values;
    for (int64_t i = 0; i < 3 * n; i++) values.push_back(float(i % n));
    const auto at = [&](int64_t row, int64_t column) -> float& { return values[size_t(row * n + column)]; };
    at(0, n / 2) = nan;
    at(1, 0) = nan, at(1, n - 1) = nan;
    const Array<float, 2> a(values, {3, n});
    const int64_t last = n / 2 == n - 1 ? n - 2 : n - 1;
    const std::vector<int64_t> largest{last, n > 2 ? n - 2 : 0, n - 1};
    CHECK_EQ(argmax(a, 1).to_vector(), largest);
    CHECK_EQ(argmin(a, 1).to_vector(), (std::vector<int64_t>{0, n > 2 ? 1 : 0, 0}));
    CHECK_EQ(argmax(t(a), 0).to_vector(), largest);
    CHECK_EQ(argmax(a[0]).get(), last);
  }
}

TEST(other_reductions) {
  const auto a = varied<int>(17, 257);
  for (int axis : {0, 1}) {
    CHECK_EQ(min(a, {axis}).to_vector(), along(a, axis, [](const auto& v) { return *std::min_element(v.begin(), v.end()); }));
    CHECK_EQ(largest(a, axis).to_vector(), along(a, axis, [](const auto& v) { return *std::max_element(v.begin(), v.end()); }));
    CHECK_EQ(argmin(a, axis).to_vector(), along(a, axis, [](const auto& v) { return std::min_element(v.begin(), v.end()) - v.begin(); }));
    CHECK_EQ(argmax(a, axis).to_vector(), along(a, axis, [](const auto& v) { return std::max_element(v.begin(), v.end()) - v.begin(); }));
    CHECK_EQ(count(a > 45, axis).to_vector(),
             along(a, axis, [](const auto& v) { return std::count_if(v.begin(), v.end(), [](int x) { return x > 45; }); }));
    CHECK_EQ(any(a == 50, axis).to_vector(), along(a, axis, [](const auto& v) { return std::count(v.begin(), v.end(), 50) > 0; }));
    CHECK_EQ(all(a < 50, axis).to_vector(), along(a, axis, [](const auto& v) { return std::count(v.begin(), v.end(), 50) == 0; }));
  }
  const Array b{{1, 2}, {3, 4}};
  CHECK_EQ(product(b, 0).to_vector(), (std::vector{3, 8}));
  CHECK_EQ(product(b).get(), 24);
  CHECK_EQ(sum(b).get(), 10);
  CHECK_EQ(min(b).get(), 1);
  CHECK_EQ(max(b).get(), 4);
  CHECK_EQ(max(b, {0, 1}).get(), 4);
  CHECK_EQ(sum(b, {0, 1}, keep).shape(), (Shape<2>{1, 1}));
  CHECK_EQ(sum(b[0], 0).get(), 3);
  CHECK_EQ(argmax(b).get(), 3);
  CHECK_EQ(argmin(b[1], 0).get(), 0);
  CHECK_EQ(any(b > 3).get(), true);
  CHECK_EQ(all(b > 3).get(), false);
  CHECK_EQ(count(b > 1).get(), 3);
  CHECK_EQ(sum(reshape(b, 2, 1, 2), {0, 2}).to_vector(), (std::vector{10}));
  CHECK_EQ(max(Array<int, 2>(Seq<int>(), {0, 1}), {0}).to_vector(), (std::vector{std::numeric_limits<int>::lowest()}));
  CHECK_THROWS(RangeError, sum(b, 2));
  CHECK_THROWS(RangeError, argmax(Array<int, 2>(), 0));
}

// Numbers whose distances from their mean are smaller than the mean's rounding error.
template <class T> static void variances_far_from_zero(T far, T step, T bound) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>(1, 1 << 20), {1 << 18, 4}, {4, 1 << 18}, {1000, 1000}}) {
    const Array<T, 2> a = array([=](auto i, auto j) { return far + step * cast<T>((i ^ j) & 1); }, m, n);
    const T right = step * step / 4;
    CHECK(std::abs(variance(a).get() - right) <= bound * right);
    for (int axis : {0, 1}) {
      if (a.shape()[size_t(axis)] == 1) continue;
      for (T x : variance(a, axis).to_vector())
        if (!(std::abs(x - right) <= bound * right)) return CHECK_EQ(x, right);
    }
  }
}
TEST(variances_of_numbers_far_from_zero) {
  variances_far_from_zero<float>(1e8f, 8, 1e-3f);
  variances_far_from_zero<double>(1e16, 2, 1e-12);
  CHECK_EQ(variance(Array<float, 1>(std::vector(100000, 0.1f), {100000})).get() >= 0, true);
  CHECK_EQ(variance(Array{NAN, 1.f}).get() >= 0, false);
}

TEST(norms_of_any_size) {
  const Array<double, 2> a{{3e200, 4e200, 0.},  {3e-200, 4e-200, 0.}, {3., 4., 1e-200},
                           {1e200, 1., 1e-200}, {0., 0., 0.},         {3e-320, 4e-320, 0.}};
  const std::vector sizes{5e200, 5e-200, 5., 1e200, 0., 5e-320};
  const auto found = norm(a, 1).to_vector();
  for (size_t k = 0; k < sizes.size(); k++) {
    CHECK(std::abs(found[k] - sizes[k]) <= 4e-16 * sizes[k] + 5e-324);
    CHECK_EQ(nrm2(Array<double, 1>(a[int64_t(k)])).get(), found[k]);
  }
  CHECK_EQ(norm(Array{1e200, double(NAN)}).get() > 0, false);
  CHECK_EQ(norm(Array{-double(INFINITY), 1.}).get(), double(INFINITY));
  CHECK_EQ(norm(Array{3e30f, 4e30f}).get(), 5e30f);
  CHECK_EQ(norm(Array{3e-40f, 4e-40f}).get(), 5e-40f);
}

TEST(statistics) {
  for (auto [m, n] : {std::pair(1, 1), std::pair(17, 257), std::pair(257, 3)}) {
    const auto a = varied<double>(m, n) / 7;
    for (int axis : {0, 1}) {
      const auto average = [](const auto& v) { return std::accumulate(v.begin(), v.end(), 0.0) / double(v.size()); };
      const auto spread = [&](const auto& v) {
        double sum = 0;
        for (double x : v) sum += (x - average(v)) * (x - average(v));
        return sum / double(v.size());
      };
      const auto length = [](const auto& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); };
      const auto exponents = [](const auto& v) {
        double sum = 0;
        for (double x : v) sum += std::exp(x);
        return std::log(sum);
      };
      close(mean(a, axis).to_vector(), along(a, axis, average));
      close(variance(a, axis).to_vector(), along(a, axis, spread));
      close(norm(a, axis).to_vector(), along(a, axis, length));
      close(logsumexp(a, axis).to_vector(), along(a, axis, exponents));
      close(sum(softmax(a, axis), axis).to_vector(), std::vector(size_t(axis == 0 ? n : m), 1.0));
      close(log(softmax(a, axis)).to_vector(), (a - logsumexp(a, axis, keep)).to_vector(), 1e-11);
      CHECK_EQ(variance(a, axis, keep).shape(), axis == 0 ? (Shape<2>{1, n}) : (Shape<2>{m, 1}));
    }
    CHECK(std::abs(mean(a).get() - mean(a.flat()).get()) < 1e-12);
    CHECK(std::abs(variance(a).get() - mean(a * a).get() + std::pow(mean(a).get(), 2)) < 1e-9);
  }
  CHECK_EQ(logsumexp(Array{1000.f, 1000.f}).get(), 1000 + std::log(2.f));
  CHECK_EQ(logsumexp(Array{-INFINITY, -INFINITY}).get(), -INFINITY);
  static_assert(std::is_same_v<decltype(mean(Array{1, 2})), Scalar<double>>);
  static_assert(std::is_same_v<decltype(mean(Array{{1.f}}, 0)), Array<float, 1>>);
  CHECK_EQ(mean(Array{{1, 2}, {4, 6}}, 0).to_vector(), (std::vector{2.5, 4.0}));
}

TEST(scans_and_sorts) {
  for_shapes([](int64_t m, int64_t n) {
    const auto a = varied<int>(m, n);
    for (int axis : {0, 1}) {
      const auto flat = [&](const auto& f) {
        std::vector<int> all;
        for (auto v : vectors(a, axis)) f(v), all.insert(all.end(), v.begin(), v.end());
        const auto rows = Array<int, 2>(all, axis == 0 ? Shape<2>{n, m} : Shape<2>{m, n});
        return (axis == 0 ? t(rows) : rows).to_vector();
      };
      CHECK_EQ(cumulative_sum(a, axis).to_vector(), flat([](auto& v) { std::partial_sum(v.begin(), v.end(), v.begin()); }));
      CHECK_EQ(scan(plus, 0, a, axis).to_vector(), flat([](auto& v) { std::exclusive_scan(v.begin(), v.end(), v.begin(), 0); }));
      CHECK_EQ(sort(a, axis).to_vector(), flat([](auto& v) { std::sort(v.begin(), v.end()); }));
      CHECK_EQ(sort(a, axis, descending).to_vector(), flat([](auto& v) { std::sort(v.rbegin(), v.rend()); }));
    }
  });
}

TEST(sequences_have_one_axis) {
  for (int64_t n : {0, 1, 33, 1025, 100001}) {
    const Seq<int> s(numbers<int>(n));
    CHECK_EQ(sum(s, 0).get(), sum(s).get());
    CHECK_EQ(sum(s, -1, keep).to_vector(), std::vector<int>{sum(s).get()});
    CHECK_EQ(product(s, 0).get(), product(s).get());
    CHECK_EQ(least(s, 0).get(), min(s).get());
    CHECK_EQ(largest(s, 0).get(), max(s).get());
    CHECK_EQ(sort(s, 0, descending).to_vector(), sort(s, descending).to_vector());
    CHECK_EQ(reduce(plus, 0, s, 0).get(), sum(s).get());
    CHECK_EQ(scan(plus, 0, s, 0).to_vector(), scan(plus, 0, s).prefixes.to_vector());
    CHECK_EQ(scan_incl(plus, 0, s, 0).to_vector(), scan_incl(plus, 0, s).to_vector());
    CHECK_EQ(split(s, std::vector<int64_t>{n / 2, n - n / 2})[1].to_vector(), drop(s, n / 2).to_vector());
    if (n == 0) continue;
    CHECK_EQ(mean(s, 0).get(), mean(s).get());
    CHECK_EQ(argmax(s, 0).get(), argmax(s).get());
    CHECK_EQ(argmin(s, 0).get(), argmin(s).get());
  }
}

TEST(normalized_rows_are_few_kernels) {
  const auto a = varied<float>(300, 400);
  CHECK_EQ(kernels(sum(a * a, 1)), "1 kernel");
  const auto normal = (a - mean(a, 1, keep)) / sqrt(variance(a, 1, keep) + 1e-5f);
  close(cast<double>(mean(normal, 1)).to_vector(), std::vector(300, 0.0), 1e-5);
}

template <class T> static std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(printing) {
  CHECK_EQ(printed(Array{{1, 20}, {300, 4}}), "[  1 20]\n[300  4]");
  CHECK_EQ(printed(Array{1.5f, 2.f}), "[1.5 2]");
  CHECK_EQ(printed(Array{true, false}), "[true false]");
  CHECK_EQ(printed(Array{'a', 'b'}), "[a b]");
  CHECK_EQ(printed(iota(2, 2, 2)), "[0 1]\n[2 3]\n\n[4 5]\n[6 7]");
  CHECK_EQ(printed(iota(1, 11)), "[0 1 2 3 ... 7 8 9 10]");
  CHECK_EQ(printed(iota(11, 1)), "[ 0]\n[ 1]\n[ 2]\n[ 3]\n...\n[ 7]\n[ 8]\n[ 9]\n[10]");
  CHECK_EQ(printed(Array<int, 2>()), "[] 0 x 0");
  CHECK_EQ(printed(Array{std::nanf(""), -std::nanf(""), -0.0f}), "[nan nan -0]");
  CHECK_EQ(printed(zip(Array{1}, Array{2.5})), "[(1,2.5)]");
}

TEST(matrices_of_eigen) {
  Eigen::MatrixXf m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  const Array a(m);
  static_assert(std::is_same_v<decltype(a), const Array<float, 2>>);
  CHECK_EQ(a.to_vector(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  CHECK(a.to<Eigen::MatrixXf>() == m);
  CHECK_EQ(Array(Eigen::Map<Eigen::Matrix<float, 3, 2, Eigen::RowMajor>>(m.data())).to_vector(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  CHECK_EQ((Array<double, 2>(m).to_vector()), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

// Positions of one fold at several strides: the axes that are combined are no neighbours.
TEST(sums_over_axes_that_are_apart) {
  for (const Shape<4> n : {Shape<4>{3, 1, 2, 5}, {2, 3, 64, 65}, {5, 17, 2049, 3}, {64, 2, 3, 4097}}) {
    const auto a = reshape(tabulate([](auto i) { return cast<int>(i * 7919 % 1013); }, n[0] * n[1] * n[2] * n[3]), n[0], n[1], n[2], n[3]);
    const std::vector<int> x = a.to_vector();
    std::vector<int> outer(size_t(n[1] * n[3])), inner(size_t(n[0] * n[2])), ends(size_t(n[1] * n[2])), back(size_t(n[1] * n[3]));
    size_t k = 0;
    for (int64_t i0 = 0; i0 < n[0]; i0++)
      for (int64_t i1 = 0; i1 < n[1]; i1++)
        for (int64_t i2 = 0; i2 < n[2]; i2++)
          for (int64_t i3 = 0; i3 < n[3]; i3++, k++) {
            outer[size_t(i1 * n[3] + i3)] += x[k], inner[size_t(i0 * n[2] + i2)] += x[k], ends[size_t(i1 * n[2] + i2)] += x[k];
            back[size_t(i1 * n[3] + n[3] - 1 - i3)] += x[k] * int(i2 % 3 == 0);
          }
    for (const auto& s : {a, Array<int, 4>(a).force()}) {
      CHECK_EQ(sum(s, {0, 2}).to_vector(), outer);
      CHECK_EQ(sum(s, {1, 3}).to_vector(), inner);
      CHECK_EQ(sum(s, {0, 3}).to_vector(), ends);
      CHECK_EQ(sum(permute(s, 2, 1, 3, 0), {0, 3}).to_vector(), outer);
      CHECK_EQ(sum(flip(s, 3)(every, every, slice({}, {}, 3), every), {0, 2}).to_vector(), back);
    }
  }
}

TEST(axes_that_do_not_exist_are_named_with_the_shape) {
  const auto a = iota<int>(2, 3);
  const auto message = [](auto f) {
    try {
      f();
    } catch (const RangeError& error) { return std::string(error.what()); }
    return std::string("nothing");
  };
  const std::string expected = ", but s has shape 2 x 3; expected 0 to 1, or -2 to -1 from the end";
  CHECK_EQ(message([&] { sum(a, 2); }), "sum: the axis is 2" + expected);
  CHECK_EQ(message([&] { arrays::largest(a, {0, 2}); }), "largest: the 2nd axis is 2" + expected);
  CHECK_EQ(message([&] { any(a, -3, keep); }), "any: the axis is -3" + expected);
  CHECK_EQ(message([&] { reduce(plus, 0, a, 5); }), "reduce: the axis is 5" + expected);
  CHECK_EQ(message([&] { scan(plus, 0, a, 2); }), "scan: axis is 2" + expected);
  CHECK_EQ(message([&] { scan_incl(plus, 0, a, INT64_C(1) << 32); }), "scan_incl: axis is 2147483647" + expected);
  CHECK_EQ(message([&] { sum(a.flat(), 1); }), "sum: the axis is 1, but s has length 6; expected 0 to 0, or -1 to -1 from the end");
  CHECK_EQ(message([&] { sort(a, -3); }), "sort: axis is -3" + expected);
}
