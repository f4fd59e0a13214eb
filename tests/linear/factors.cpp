// Factorizations and solvers: residuals within rounding errors, and the errors of matrices that have no solution.
#include "cpu/threads/chunks.h"
#include "linear/matrices.h"

using namespace matrices;
using graph::source;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int64_t odd_sizes[] = {0, 1, 2, 3, 17, 33, 257};

NodeRef one(const char* name, const NodeRef& x) { return wf::linear_function(name, std::vector{x}); }
NodeRef two(const char* name, const NodeRef& x, const NodeRef& y) { return wf::linear_function(name, std::vector{x, y}); }
double number(const NodeRef& s) {
  return s->types()[0] == wf::Type::F32 ? graph::elements<float>(s).at(0) : graph::elements<double>(s).at(0);
}

template <class T> void check_triangles(int64_t n, int64_t columns) {
  const Matrix<T> a = random<T>(n, n), b = random<T>(n, columns, 7);
  for (const auto& [name, upper, unit] : {std::tuple("lower", false, false), std::tuple("upper", true, false),
                                          std::tuple("unit_lower", false, true), std::tuple("unit_upper", true, true)}) {
    Matrix<T> wide = a;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) wide(i, j) = i == j ? a(i, j) + 4 : a(i, j) / T(n);
    const Matrix<T> t = triangle(wide, upper, unit);
    const Matrix<T> x = value<T>(wf::solve(name, node(wide), node(b)));
    CHECK(distance(product(t, x), b) < 40);
    CHECK(distance(value<T>(wf::solve(name, flipped(node(transposed(wide))), node(b))), x) < 40);
    CHECK(distance(value<T>(two((string(name) + "_product").c_str(), node(wide), node(b))), product(t, b)) < 40);
    const Matrix<T> inverse = value<T>(one(("inverse_" + string(name)).c_str(), node(wide)));
    CHECK(distance(product(t, inverse), identity<T>(n)) < 40);
    CHECK(distance(triangle(inverse, string(name).find("upper") != string::npos), inverse) == 0);
  }
}

template <class T> void check_positive(int64_t n) {
  const Matrix<T> a = positive<T>(n), b = random<T>(n, 5);
  const NodeRef l = wf::factor("cholesky", node(a))[0];
  const Matrix<T> factor = value<T>(l);
  CHECK(distance(product(factor, transposed(factor)), a) < 40);
  CHECK(distance(triangle(factor, false), factor) == 0);
  CHECK(distance(product(a, value<T>(wf::solve("positive", node(a), node(b)))), b, size_of_elements(a)) < 100);
  CHECK(distance(product(a, value<T>(wf::solve("cholesky", l, node(b)))), b, size_of_elements(a)) < 100);
  CHECK(distance(product(a, value<T>(one("inverse_positive", node(a)))), identity<T>(n)) < 200);
  CHECK(distance(product(a, value<T>(one("inverse_cholesky", l))), identity<T>(n)) < 200);
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += 2 * std::log(double(factor(i, i)));
  const double close = 1e-5 * (1 + std::abs(sum));
  CHECK(std::abs(number(one("log_determinant_cholesky", l)) - sum) < close);
  CHECK(std::abs(number(one("log_determinant_positive", node(a))) - sum) < close);
  CHECK(std::abs(number(one("log_determinant", node(a))) - sum) < close);
  CHECK(std::abs(number(one("log_determinant_triangular", l)) - sum / 2) < close);
}

template <class T> void check_general(int64_t n) {
  const Matrix<T> a = random<T>(n, n, 5), b = random<T>(n, 3);
  const Matrix<T> x = value<T>(wf::solve("general", node(a), node(b)));
  // The residual is small beside |a| |x|.
  CHECK(distance(product(a, x), b, size_of_elements(a) * size_of_elements(x)) < 40);
  const Matrix<T> inverse = value<T>(one("inverse", node(a)));
  CHECK(distance(product(a, inverse), identity<T>(n), size_of_elements(a) * size_of_elements(inverse)) < 40);
}

template <class T> void check_orthogonal(int64_t m, int64_t n) {
  const int64_t k = std::min(m, n);
  const Matrix<T> a = random<T>(m, n);
  const vector<NodeRef> parts = wf::factor("qr", node(a));
  const Matrix<T> q = value<T>(parts[0]), r = value<T>(parts[1]);
  CHECK(q.rows == m && q.columns == k && r.rows == k && r.columns == n);
  CHECK(distance(product(q, r), a) < 100);
  CHECK(distance(product(transposed(q), q), identity<T>(k)) < 100);
  CHECK(distance(triangle(r, true), r) == 0);
  for (int64_t i = 0; i < k; i++) CHECK(r(i, i) >= 0);
}

template <class T> void check_singular_values(const Matrix<T>& a) {
  const int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  const vector<NodeRef> parts = wf::factor("singular_values", node(a));
  const Matrix<T> u = value<T>(parts[0]), v = value<T>(parts[2]);
  const vector<T> values = graph::elements<T>(parts[1]);
  CHECK(u.rows == m && u.columns == k && v.rows == k && v.columns == n && int64_t(values.size()) == k);
  CHECK(std::is_sorted(values.rbegin(), values.rend()));
  Matrix<T> scaled = u;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < k; j++) scaled(i, j) *= values[size_t(j)];
  CHECK(distance(product(scaled, v), a, double(std::numeric_limits<T>::min())) < 1000);
  CHECK(distance(product(transposed(u), u), identity<T>(k)) < 1000);
  CHECK(distance(product(v, transposed(v)), identity<T>(k)) < 1000);
}

template <class T> void check_eigen(const Matrix<T>& a) {
  const int64_t n = a.rows;
  const vector<NodeRef> parts = wf::factor("eigen", node(a));
  const vector<T> values = graph::elements<T>(parts[0]);
  const Matrix<T> v = value<T>(parts[1]);
  CHECK(std::is_sorted(values.begin(), values.end()));
  Matrix<T> scaled = v;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) scaled(i, j) *= values[size_t(j)];
  CHECK(distance(product(scaled, transposed(v)), a, double(std::numeric_limits<T>::min())) < 1000);
  CHECK(distance(product(transposed(v), v), identity<T>(n)) < 1000);
}

template <class T> Matrix<T> symmetric(int64_t n) {
  Matrix<T> a = random<T>(n, n);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < i; j++) a(j, i) = a(i, j);
  return a;
}

}  // namespace

TEST(triangles) {
  for (int64_t n : odd_sizes)
    for (int64_t columns : {1, 19}) check_triangles<float>(n, columns), check_triangles<double>(n, columns);
}

TEST(positive_matrices) {
  for (int64_t n : odd_sizes) check_positive<float>(n), check_positive<double>(n);
}

TEST(general_matrices) {
  for (int64_t n : odd_sizes) check_general<float>(n), check_general<double>(n);
}

TEST(orthogonal_factors) {
  for (int64_t n : odd_sizes)
    for (int64_t more : {0, 1, 40}) {
      check_orthogonal<double>(n + more, n);
      check_orthogonal<float>(n, n + more);
    }
}

TEST(singular_values) {
  for (int64_t n : {0, 1, 2, 3, 17, 65})
    for (int64_t more : {0, 1, 40}) {
      check_singular_values(random<double>(n + more, n));
      check_singular_values(random<float>(n, n + more));
    }
  check_singular_values(product(random<double>(30, 4), random<double>(4, 20)));  // rank 4
  check_singular_values(Matrix<float>{7, 5});
}

TEST(eigenvalues) {
  for (int64_t n : {0, 1, 2, 3, 17, 33, 150}) check_eigen(symmetric<float>(n)), check_eigen(symmetric<double>(n));
  check_eigen(identity<double>(40));
  check_eigen(Matrix<double>{9, 9});
}

// Matrices whose spectra are difficult: repeated, clustered, zero, graded, very large and very small.
template <class T> vector<Matrix<T>> difficult_matrices(int64_t n) {
  vector<Matrix<T>> all = {Matrix<T>{n, n}, identity<T>(n)};
  const Matrix<T> thin = random<T>(n, 3), dense = symmetric<T>(n);
  all.push_back(product(thin, transposed(thin)));
  auto made = [&](auto element) {
    Matrix<T>& m = all.emplace_back(Matrix<T>{n, n});
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) m(i, j) = T(element(i, j));
  };
  made([](int64_t, int64_t) { return 1; });
  made([](int64_t i, int64_t j) { return (i == j) * (i % 3); });
  made([](int64_t i, int64_t j) { return i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0; });
  // Pairs of eigenvalues closer than rounding errors (Wilkinson).
  made([&](int64_t i, int64_t j) { return i == j ? std::abs(2 * i - n + 1) : std::abs(i - j) == 1 ? 2 : 0; });
  made([&](int64_t i, int64_t j) { return dense(i, j) * std::exp2(-double(i + j)); });
  made([&](int64_t i, int64_t j) { return dense(n - 1 - i, n - 1 - j) * std::exp2(-double(2 * n - 2 - i - j)); });
  const double largest = double(std::numeric_limits<T>::max()), least = double(std::numeric_limits<T>::min());
  for (double scale : {largest / 1e5, least * 1e5, least / 1e3})
    made([&](int64_t i, int64_t j) { return std::round(64 * double(dense(i, j))) / 64 * scale; });
  made([&](int64_t i, int64_t j) { return i + j == 2 * n - 2 ? 1 : (i + j) % 2 == 0 ? double(dense(i, j)) * least : 0; });
  return all;
}

template <class T> void check_difficult(int64_t n) {
  for (const Matrix<T>& a : difficult_matrices<T>(n)) {
    check_eigen(a);
    check_singular_values(a);
    Matrix<T> triangular = triangle(a, true);
    check_singular_values(triangular);
    Matrix<T> tall{2 * n, n};
    std::copy(a.elements.begin(), a.elements.end(), tall.elements.begin() + n * n / 2);
    check_singular_values(tall);
  }
}

TEST(difficult_spectra) {
  for (int64_t n : {1, 2, 3, 17, 64, 65, 99}) check_difficult<float>(n), check_difficult<double>(n);
}

// Every block of reflections, every size of a product and several strips of rotations.
TEST(large_spectra) {
  check_eigen(symmetric<double>(600));
  check_singular_values(random<float>(500, 500));
  check_singular_values(random<double>(300, 470));
}

TEST(spectra_do_not_depend_on_the_number_of_workers) {
  for (const char* name : {"eigen", "singular_values"}) {
    const Matrix<double> a = symmetric<double>(700);
    vector<vector<double>> results;
    for (int workers : {1, 3}) {
      wf::cpu::limit_workers(workers);
      for (const NodeRef& part : wf::factor(name, node(a))) results.push_back(graph::elements<double>(part));
    }
    wf::cpu::limit_workers(0);
    for (size_t k = 0; 2 * k < results.size(); k++) CHECK(results[k] == results[k + results.size() / 2]);
  }
}

TEST(vectors_and_batches) {
  const Matrix<double> a = positive<double>(6), b = random<double>(6, 1);
  const NodeRef x = wf::solve("general", node(a), source(b.elements));
  CHECK(extents(x) == vector<int64_t>{6});
  CHECK(distance(product(a, value<double>(shaped(x, {6, 1}))), b, size_of_elements(a)) < 40);

  vector<double> both = a.elements;
  const Matrix<double> other = positive<double>(6, 9);
  both.insert(both.end(), other.elements.begin(), other.elements.end());
  const NodeRef pair = shaped(source(both), {2, 6, 6}), right = node(random<double>(6, 2));
  const NodeRef l = wf::factor("cholesky", pair)[0];
  CHECK(extents(l) == vector<int64_t>{2, 6, 6});
  CHECK(extents(one("log_determinant", pair)) == vector<int64_t>{2});
  CHECK(extents(wf::factor("eigen", pair)[0]) == vector<int64_t>{2, 6});
  CHECK(extents(wf::factor("singular_values", pair)[2]) == vector<int64_t>{2, 6, 6});
  auto second = [](const NodeRef& s) {
    const vector<int64_t> all = extents(s);
    return wf::reshape(wf::subseq(wf::reshape(s, vector<int64_t>{-1}), s->length() / 2, s->length() / 2), vector<int64_t>{all[1], all[2]});
  };
  for (const char* form : {"general", "positive"}) {
    const NodeRef solved = wf::solve(form, pair, right);
    CHECK(extents(solved) == vector<int64_t>{2, 6, 2});
    CHECK(distance(value<double>(second(solved)), value<double>(wf::solve(form, node(other), right))) < 10);
  }
  const NodeRef many = wf::solve("general", node(a), shaped(node(random<double>(12, 2)), {2, 6, 2}));
  CHECK(extents(many) == vector<int64_t>{2, 6, 2});
  const vector<NodeRef> qr = wf::factor("qr", pair);
  CHECK(distance(product(value<double>(second(qr[0])), value<double>(second(qr[1]))), other) < 40);
}

TEST(matrices_without_solution_name_the_pivot) {
  Matrix<double> a = positive<double>(40);
  a(37, 37) = -1;
  CHECK_EQ(error(wf::factor("cholesky", node(a))[0]),
           "matrix 0 is not positive definite: pivot 37; expected a symmetric matrix whose pivots are all positive");
  a(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK(error(wf::solve("positive", node(a), node(a))).find("pivot 0;") != string::npos);
  Matrix<float> singular = random<float>(50, 50);
  for (int64_t i = 0; i < 50; i++) singular(i, 20) = singular(20, i) = 0;
  CHECK(error(wf::solve("general", node(singular), node(singular))).find("matrix 0 is singular: 0 is pivot ") == 0);
  CHECK(error(one("inverse", node(singular))).find("is singular") != string::npos);
  CHECK(number(one("log_determinant", node(singular))) == -std::numeric_limits<double>::infinity());
  Matrix<float> lower = identity<float>(70);
  lower(66, 66) = 0;
  CHECK_EQ(error(wf::solve("lower", node(lower), node(lower))),
           "matrix 0 is singular: 0 on its diagonal at row 66; expected a triangle without 0 on its diagonal");
  CHECK_EQ(error(wf::solve("unit_lower", node(lower), node(lower))), "");
  Matrix<double> infinite = identity<double>(5);
  infinite(2, 2) = std::numeric_limits<double>::infinity();
  CHECK(error(wf::factor("eigen", node(infinite))[0]).find("expected finite numbers") != string::npos);
  CHECK(error(wf::factor("singular_values", node(infinite))[1]).find("expected finite numbers") != string::npos);
}

namespace {

constexpr double nan_number = std::numeric_limits<double>::quiet_NaN();

template <class T> bool all_nan(const vector<T>& x) {
  return std::ranges::all_of(x, [](T e) { return std::isnan(e); });
}
template <class T> bool all_finite(const vector<T>& x) {
  return std::ranges::all_of(x, [](T e) { return std::isfinite(e); });
}

// Every function of a matrix with a NaN at (i, j) returns NaN or reports it.
template <class T> void check_matrix_with_nan(int64_t n, int64_t i, int64_t j) {
  Matrix<T> a = random<T>(n, n), tall = random<T>(n + 2, n), s = positive<T>(n);
  a(i, j) = s(i, j) = tall(i + 2, j) = T(nan_number);
  CHECK(all_nan(value<T>(wf::solve("general", node(a), node(random<T>(n, 3)))).elements));
  CHECK(all_nan(value<T>(one("inverse", node(a))).elements));
  CHECK(std::isnan(number(one("log_determinant", node(a)))));
  for (const Matrix<T>& m : {a, tall, transposed(tall)}) {
    const vector<NodeRef> parts = wf::factor("qr", node(m));
    CHECK(all_nan(value<T>(parts[0]).elements));
    const Matrix<T> r = value<T>(parts[1]);
    for (int64_t row = 0; row < r.rows; row++)
      for (int64_t column = row; column < r.columns; column++) CHECK(std::isnan(r(row, column)));
    for (const NodeRef& part : wf::factor("singular_values", node(m)))
      CHECK_EQ(error(part), "matrix 0 has no singular values that the iteration finds; expected finite numbers");
  }
  // Only the lower triangle of a symmetric matrix is read.
  CHECK_EQ(error(wf::factor("eigen", node(s))[1]),
           i < j ? "" : "matrix 0 has no eigenvalues that the iteration finds; expected finite numbers");
  CHECK_EQ(error(wf::factor("cholesky", node(s))[0]), i < j ? ""
                                                            : "matrix 0 is not positive definite: pivot " + std::to_string(i) +
                                                                  "; expected a symmetric matrix whose pivots are all positive");
}

// A NaN in a column of b makes NaN the elements of that column that depend on it, and no others.
template <class T> void check_right_side_with_nan(int64_t n, int64_t i) {
  Matrix<T> b = random<T>(n, 3), t = random<T>(n, n);
  for (int64_t k = 0; k < n; k++) t(k, k) += 4;
  b(i, 1) = T(nan_number);
  for (const char* form : {"general", "positive", "lower", "upper"}) {
    const Matrix<T> x = value<T>(wf::solve(form, node(form == string("positive") ? positive<T>(n) : t), node(b)));
    for (int64_t row = 0; row < n; row++)
      for (int64_t column = 0; column < 3; column++) {
        const bool depends = form == string("lower") ? row >= i : form == string("upper") ? row <= i : true;
        CHECK_EQ(std::isnan(x(row, column)), column == 1 && depends);
      }
  }
}

}  // namespace

TEST(nan_of_a_matrix_is_kept_or_reported) {
  for (int64_t n : {1, 2, 3, 40, 150})
    for (int64_t i : {int64_t(0), n / 2, n - 1})
      for (int64_t j : {int64_t(0), n / 2, n - 1}) check_matrix_with_nan<float>(n, i, j), check_matrix_with_nan<double>(n, i, j);
}

TEST(nan_of_a_right_side_is_kept) {
  for (int64_t n : {1, 2, 3, 40, 150})
    for (int64_t i : {int64_t(0), n / 2, n - 1}) check_right_side_with_nan<float>(n, i), check_right_side_with_nan<double>(n, i);
}

TEST(nan_of_one_matrix_of_a_batch) {
  vector<float> all;
  for (unsigned k = 0; k < 5; k++) {
    const Matrix<float> m = random<float>(30, 30, k + 1);
    all.insert(all.end(), m.elements.begin(), m.elements.end());
  }
  all[3 * 900 + 417] = float(nan_number);
  const NodeRef batch = shaped(source(all), {5, 30, 30});
  for (const NodeRef& result : {one("inverse", batch), wf::factor("qr", batch)[0]}) {
    const vector<float> elements = graph::elements<float>(result);
    for (int64_t k = 0; k < 5; k++) {
      const vector<float> own(elements.begin() + k * 900, elements.begin() + (k + 1) * 900);
      CHECK(k == 3 ? all_nan(own) : all_finite(own));
    }
  }
  const vector<float> logs = graph::elements<float>(one("log_determinant", batch));
  for (size_t k = 0; k < 5; k++) CHECK_EQ(std::isnan(logs[k]), k == 3);
}

TEST(log_determinants_of_singular_matrices) {
  Matrix<float> a = random<float>(50, 50);
  for (int64_t column : {5, 6, 31})
    for (int64_t i = 0; i < 50; i++) a(i, column) = 0;
  CHECK_EQ(number(one("log_determinant", node(a))), -std::numeric_limits<double>::infinity());
  CHECK_EQ(number(one("log_determinant", node(Matrix<double>{20, 20}))), -std::numeric_limits<double>::infinity());
}
