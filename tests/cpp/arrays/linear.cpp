// Linear algebra in C++: each function on a small example whose result is known.
#include "check.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

template <int R> bool near(const Array<double, R>& x, const Array<double, R>& y) {
  const auto a = x.to_vector(), b = y.to_vector();
  if (x.shape() != y.shape()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (!(std::abs(a[i] - b[i]) < 1e-12)) return false;
  return true;
}
bool near(const Scalar<double>& x, double y) { return std::abs(x.get() - y) < 1e-12; }

const Array<double, 2> a{{4., 1.}, {1., 3.}};
const Array<double, 2> b{{1., 2., 3.}, {4., 5., 6.}};
const Array<double, 1> v{1., 2.};

}  // namespace

TEST(products) {
  CHECK(near(matmul(a, b), Array<double, 2>{{8., 13., 18.}, {13., 17., 21.}}));
  CHECK(near(matmul(a, v), Array<double, 1>{6., 7.}));
  CHECK(near(matmul(v, b), Array<double, 1>{9., 12., 15.}));
  CHECK(near(matmul(t(b), a), t(matmul(a, b))));
  CHECK(near(dot(v, v), 5));
  CHECK(near(matmul(a, Seq<double>(v)), matmul(a, v)));
  CHECK(near(matrix_power(a, 3), matmul(a, matmul(a, a))));
  CHECK(near(inner(b, b), matmul(t(b), b)) && near(outer(b, b), matmul(b, t(b))));
  CHECK(near(outer(v, v), Array<double, 2>{{1., 2.}, {2., 4.}}));
  CHECK(near(kronecker(Array<double, 2>{{1., 2.}}, a), Array<double, 2>{{4., 1., 8., 2.}, {1., 3., 2., 6.}}));
  CHECK(near(frobenius(a, a), 27) && near(frobenius_norm(b), std::sqrt(91)) && near(trace(a), 7));
}

TEST(solutions) {
  for (const auto& x : {solve(a, b), solve_positive(a, b), solve_cholesky(cholesky(a), b)}) CHECK(near(matmul(a, x), b));
  CHECK(near(matmul(a, solve(a, v)), v));
  const Array<double, 1> v{1.0, -2.0, 3.0};
  const Array<double, 2> l{{2.0, 9.0, 9.0}, {1.0, 3.0, 9.0}, {4.0, 5.0, 6.0}};
  CHECK(lower_product(l, v).to_vector() == matmul(lower_triangle(l), v).to_vector());
  CHECK(upper_product(l, Seq<double>(v)).to_vector() == matmul(upper_triangle(l), v).to_vector());
  CHECK(lower_product(l, v, true).to_vector() == matmul(lower_triangle(l, true), v).to_vector());
  CHECK(near(lower_product(a, solve_lower(a, b)), b) && near(upper_product(a, solve_upper(a, b), false), b));
  CHECK(near(matmul(lower_triangle(a, true), solve_lower(a, b, true)), b));
  CHECK(near(matmul(upper_triangle(a), b), upper_product(a, b)));
  const Array<double, 2> one{{1., 0.}, {0., 1.}};
  for (const auto& x : {inverse(a), inverse_positive(a), inverse_cholesky(cholesky(a))}) CHECK(near(matmul(a, x), one));
  CHECK(near(matmul(lower_triangle(a), inverse_lower(a)), one) && near(matmul(inverse_upper(a), upper_triangle(a)), one));
  CHECK(near(matmul(lower_triangle(a, true), inverse_lower(a, true)), one) &&
        near(matmul(upper_triangle(a, true), inverse_upper(a, true)), one));
  CHECK(near(phi(a), Array<double, 2>{{2., 0.}, {1., 1.5}}));
  CHECK_THROWS(SizeError, inverse_lower(b));
  CHECK_THROWS(RangeError, inverse_lower(Array<double, 2>{{0., 1.}, {1., 1.}}).force());
  CHECK(near(log_determinant(a), std::log(11)) && near(log_determinant_positive(a), std::log(11)));
  CHECK(near(log_determinant_cholesky(cholesky(a)), std::log(11)) && near(log_determinant_triangular(a), std::log(12)));
}

TEST(factors) {
  const auto [q, r] = qr(b);
  CHECK(near(matmul(q, r), b));
  const auto [values, vectors] = eigen(a);
  CHECK(near(matmul(vectors * values, t(vectors)), a));
  const auto [u, s, w] = singular_values(b);
  CHECK(near(matmul(u * s, w), b));
  const auto l = cholesky(a);
  CHECK(near(matmul(l, t(l)), a));
}

TEST(blas_and_windows) {
  CHECK(near(axpy(2, v, v), Array<double, 1>{3., 6.}) && near(scal(2, v), Array<double, 1>{2., 4.}));
  CHECK(near(asum(-b), 21) && near(nrm2(v), std::sqrt(5)));
  CHECK(near(gemm(2, a, a, -1, a), 2. * matmul(a, a) - a));
  CHECK(near(geem(2, b, b, 1, b), 2. * b * b + b));
  CHECK(near(geerv(1, a, v, 2, a), Array<double, 2>{{12., 4.}, {3., 12.}}));
  CHECK(near(scale_columns(a, Seq<double>(v)), scale_columns(a, v)) && near(scale_rows(Seq<double>(v), b), scale_rows(v, b)));
  CHECK(near(geerv(1, a, Seq<double>(v), 2, a), geerv(1, a, v, 2, a)) && near(solve(a, Seq<double>(v)), solve(a, v)));
  CHECK(near(scale_rows(v, b), Array<double, 2>{{1., 2., 3.}, {8., 10., 12.}}));
  CHECK(near(scale_columns(a, v), Array<double, 2>{{4., 2.}, {1., 6.}}));
  CHECK(near(convolve(b, Array<double, 2>{{1., 1.}, {1., 1.}}), Array<double, 2>{{12., 16.}}));
  CHECK(near(max_pool(b, 2, 1), Array<double, 2>{{4., 5., 6.}}));
}

TEST(errors_name_the_pivot) {
  const Array<double, 2> singular{{1., 2.}, {2., 4.}};
  CHECK_THROWS(RangeError, solve(singular, b).force());
  CHECK_THROWS(RangeError, cholesky(singular).force());
  CHECK_THROWS(SizeError, matmul(b, b));
  const auto message = [](auto f) {
    try {
      f();
    } catch (const Error& error) { return std::string(error.what()).substr(0, 20); }
    return std::string();
  };
  CHECK_EQ(message([] { matmul(b, b); }), "matmul: a has shape ");
  CHECK_EQ(message([] { outer(a, b); }), "outer: a has shape 2");
  CHECK_EQ(message([] { cholesky(b); }), "cholesky: a has shap");
  CHECK_EQ(message([] { take(Seq<int>{1, 2}, 3); }), "take: n is 3, but s ");
}
