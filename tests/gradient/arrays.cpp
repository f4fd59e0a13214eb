// Gradients of arrays and linear algebra: against differences, against the forward mode, of second order.
#include "checks.h"

using namespace gradcheck;

namespace {

// f: Array<double, 2> of this shape -> Scalar<double>.
template <class F>
void matrix_checks(const std::string& name, int64_t rows, int64_t columns, const F& f, double low = 0.5, double high = 1.5) {
  const auto of_vector = [&](const auto& x) { return f(reshape(x, rows, columns)); };
  const Vector x = random_vector(rows * columns, 3, low, high);
  against_differences(name, of_vector, x, 1e-5);
  against_forward_mode(name, of_vector, x);
  second_order(name, of_vector, x);
}
template <class A> auto squares(const A& a) {
  return sum(map([](auto y) { return sin(y) * y; }, a));
}

// Well conditioned, and not symmetric.
template <class A> auto regular(const A& a) {
  return map([](auto x, auto i) { return x + where(i, 3.0, 0.0); }, a,
             array([](auto i, auto j) { return i == j; }, a.extent(0), a.extent(1)));
}
template <class A> auto positive(const A& a) {
  return matmul(a, t(a)) + array([](auto i, auto j) { return where(i == j, 1.0, 0.0); }, a.extent(0), a.extent(0));
}

}  // namespace

TEST(views) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {33, 40}}) {
    matrix_checks("transpose", m, n, [](const auto& a) { return squares(t(a) * t(a * a)); });
    matrix_checks("broadcast rows", m, n, [](const auto& a) { return squares(a * a(0, every)); });
    matrix_checks("sum of rows", m, n, [](const auto& a) { return squares(sum(a * a, 1)); });
    matrix_checks("sum of columns", m, n, [](const auto& a) { return squares(sum(a * a, 0)); });
    matrix_checks("largest of rows", m, n, [](const auto& a) { return squares(max(a * a, {1}, keep) * a); });
    matrix_checks("products of rows", m, n, [](const auto& a) { return squares(reduce(times, 1.0, 1.0 + 0.01 * a, 1)); });
    matrix_checks("softmax", m, n, [](const auto& a) {
      const auto e = exp(a - max(a, {1}, keep));
      return squares(e / sum(e, 1, keep));
    });
    matrix_checks("elements by index", m, n, [](const auto& a) {
      const int64_t rows = a.extent(0), columns = a.extent(1);
      return squares(array([=](auto i, auto j) { return a(j, i) * a(j, i); }, columns, rows));
    });
    matrix_checks("slices", m, n, [](const auto& a) { return squares(a(slice(0, {}, 2), slice({}, {}, -1)) * 2.0); });
    matrix_checks("joined", m, n, [](const auto& a) { return squares(join({a, a * a}, 1)) + squares(join({a, a * a}, 0)); });
    matrix_checks("sums along rows", m, n, [](const auto& a) { return squares(scan_incl(plus, 0.0, a, 1)); });
    matrix_checks("sums along columns", m, n, [](const auto& a) { return squares(scan_incl(plus, 0.0, a, 0)); });
    matrix_checks("products along rows", m, n, [](const auto& a) { return squares(scan_incl(times, 1.0, 1.0 + 0.01 * a, 1)); });
  }
}

TEST(products) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{1, 1}, {2, 3}, {17, 40}}) {
    matrix_checks("matrix times its transpose", m, n, [](const auto& a) { return squares(matmul(a, t(a)) * 0.1); });
    matrix_checks("matrix times vector", m, n, [](const auto& a) { return squares(matmul(a, sum(a, 0)) * 0.1); });
    matrix_checks("vector times matrix", m, n, [](const auto& a) { return squares(matmul(sum(a, 1), a) * 0.1); });
    matrix_checks("inner product", m, n, [](const auto& a) { return dot(sum(a, 1), sum(a * a, 1)); });
  }
  matrix_checks("convolution", 9, 12, [](const auto& a) { return squares(convolve(a, a(slice(0, 3), slice(0, 3))) * 0.1); });
  matrix_checks("largest of blocks", 8, 9, [](const auto& a) { return squares(max_pool(a, 2, 3)); });
}

TEST(solutions) {
  for (int64_t n : {1, 2, 9}) {
    const auto checks = [&](const std::string& name, const auto& f) { matrix_checks(name, n, n, f, -0.5, 0.5); };
    checks("general", [](const auto& a) { return squares(solve(regular(a), a)); });
    checks("general of a vector", [](const auto& a) { return squares(solve(regular(a), sum(a, 1))); });
    checks("lower", [](const auto& a) { return squares(solve_lower(regular(a), a)); });
    checks("unit upper", [](const auto& a) { return squares(solve_upper(regular(a), a, true)); });
    checks("lower product", [](const auto& a) { return squares(lower_product(a, a)); });
    checks("Cholesky", [](const auto& a) { return squares(cholesky(positive(a))); });
    checks("positive", [](const auto& a) { return squares(solve_positive(positive(a), a)); });
    checks("inverse", [](const auto& a) { return squares(inverse(regular(a))); });
    checks("log determinant", [](const auto& a) { return squares(log_determinant(regular(a))); });
    checks("log determinant, positive", [](const auto& a) { return squares(log_determinant_positive(positive(a))); });
    checks("QR", [](const auto& a) {
      const auto [q, r] = qr(regular(a));
      return squares(q) + squares(r);
    });
    checks("eigenvalues", [](const auto& a) {
      const auto [values, vectors] = eigen(positive(a));
      return squares(values) + squares(vectors * vectors);
    });
    checks("singular values", [](const auto& a) {
      const auto [u, values, v] = singular_values(regular(a));
      return squares(values) + squares(u * u) + squares(v * v);
    });
  }
  matrix_checks(
      "QR of a tall matrix", 7, 3, [](const auto& a) { return squares(qr(a).q); }, -1, 1);
  matrix_checks(
      "singular values of a wide matrix", 3, 7,
      [](const auto& a) {
        const auto [u, values, v] = singular_values(a);
        return squares(values) + squares(v * v);
      },
      -1, 1);
}
