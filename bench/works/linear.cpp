// Linear algebra: products, factorizations and systems of equations. n is the number of elements of a matrix, or of
// all matrices of a batch.
//   gemm, gemm_f64      the product of two square matrices
//   batched_gemm        products of 32 x 32 matrices
//   cholesky            the factor of a positive definite matrix
//   triangular_solve    a triangular system with as many right sides as equations
#include <cmath>
#include <memory>

#include "harness.h"
#include "peers/linear.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {
namespace {

void check(int32_t code) {
  if (code != WF_OK) warpfold::detail::throw_error(code);
}

int64_t side_of(int64_t elements) { return std::max<int64_t>(1, std::llround(std::sqrt(double(elements)))); }

class Matrix {
 public:
  Matrix() = default;
  explicit Matrix(wf_seq* s) : s_(s, wf_release) {}
  template <class T> Matrix(const warpfold::Context& context, const Array<T>& elements, std::initializer_list<int64_t> extents) {
    const std::vector<int64_t> all(extents);
    wf_seq* s = nullptr;
    check(wf_from_host_array(context.raw(), sizeof(T) == 4 ? WF_F32 : WF_F64, elements.data(), sizeof(T) == 4 ? WF_F32 : WF_F64, all.data(),
                             nullptr, int32_t(all.size()), &s));
    s_ = {s, wf_release};
  }
  wf_seq* raw() const { return s_.get(); }
  const Matrix& complete() const {
    wf_seq* s = raw();
    check(wf_wait(&s, 1));
    return *this;
  }
  template <class T> std::vector<T> elements() const {
    int64_t n = 0;
    check(wf_known_length(raw(), &n));
    std::vector<T> all(static_cast<size_t>(n));
    check(wf_to_host(raw(), 0, 0, n, all.data(), sizeof(T) == 4 ? WF_F32 : WF_F64, 1));
    return all;
  }

 private:
  std::shared_ptr<wf_seq> s_;
};

template <class Call, class... A> Matrix result(Call* call, A... arguments) {
  wf_seq* s = nullptr;
  check(call(arguments..., &s));
  return Matrix(s);
}

// y = a x for an n x n matrix, or with the transpose.
template <class T> std::vector<double> times(const T* a, int64_t n, const std::vector<double>& x, bool transposed = false) {
  std::vector<double> y(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) y[size_t(transposed ? j : i)] += double(a[i * n + j]) * x[size_t(transposed ? i : j)];
  return y;
}

std::vector<double> some_vector(int64_t n) {
  std::vector<double> x;
  for (int64_t i = 0; i < n; i++) x.push_back(random_float(uint64_t(i) + 12345, -1, 1));
  return x;
}

bool near(const std::vector<double>& x, const std::vector<double>& y, double tolerance) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < x.size(); i++) difference += (x[i] - y[i]) * (x[i] - y[i]), size += y[i] * y[i];
  return std::sqrt(difference) <= tolerance * std::sqrt(size);
}

template <class T> Array<T> random_matrix(int64_t n, uint64_t seed) {
  return Array<T>(n, [=](int64_t i) { return T(random_float(uint64_t(i) + (seed << 40), -1, 1)); });
}

template <class T> void race_products(Bench& bench, const char* work, const char* type, int64_t elements) {
  const int64_t n = side_of(elements);
  warpfold::Context context(bench.options().context);
  const Array<T> a = random_matrix<T>(n * n, 1), b = random_matrix<T>(n * n, 2);
  const Matrix x(context, a, {n, n}), y(context, b, {n, n});
  const std::vector<double> v = some_vector(n), right = times(a.data(), n, times(b.data(), n, v));
  Array<T> c(n * n);
  Matrix product;
  Race race(bench, {work, type, elements, int64_t(sizeof(T)) * 3 * n * n});
  race.enter_warpfold([&] { product = result(wf_matmul, x.raw(), y.raw()).complete(); },
                      [&] { return near(times(product.elements<T>().data(), n, v), right, 1e-4); });
  race.enter(
      "Eigen, a block of rows a thread", [&] { eigen::product(a.data(), b.data(), n, c.data()); },
      [&] { return near(times(c.data(), n, v), right, 1e-4); });
  race.finish();
}

Array<float> positive_matrix(int64_t n) {
  return Array<float>(n * n, [=](int64_t k) {
    const int64_t i = k / n, j = k % n;
    return i == j ? float(n) : random_float(uint64_t(std::min(i, j) * n + std::max(i, j)), -1, 1);
  });
}

}  // namespace

void gemm(Bench& bench, int64_t n) { race_products<float>(bench, "gemm", "f32", n); }
void gemm_f64(Bench& bench, int64_t n) { race_products<double>(bench, "gemm_f64", "f64", n); }

void batched_gemm(Bench& bench, int64_t elements) {
  constexpr int64_t side = 32;
  const int64_t n = std::max<int64_t>(1, elements / (side * side));
  warpfold::Context context(bench.options().context);
  const Array<float> a = random_matrix<float>(n * side * side, 1), b = random_matrix<float>(n * side * side, 2);
  const Matrix x(context, a, {n, side, side}), y(context, b, {n, side, side});
  Array<float> c(n * side * side);
  Matrix product;
  const std::vector<double> v = some_vector(side);
  const int64_t last = (n - 1) * side * side;
  const std::vector<double> right = times(a.data() + last, side, times(b.data() + last, side, v));
  Race race(bench, {"batched_gemm", "f32", elements, 12 * n * side * side});
  race.enter_warpfold([&] { product = result(wf_matmul, x.raw(), y.raw()).complete(); },
                      [&] { return near(times(product.elements<float>().data() + last, side, v), right, 1e-4); });
  race.enter(
      "Eigen, fixed sizes, threads", [&] { eigen::products_of_32(a.data(), b.data(), n, c.data()); },
      [&] { return near(times(c.data() + last, side, v), right, 1e-4); });
  race.finish();
}

void cholesky(Bench& bench, int64_t elements) {
  const int64_t n = side_of(elements);
  warpfold::Context context(bench.options().context);
  const Array<float> a = positive_matrix(n);
  const Matrix x(context, a, {n, n});
  const std::vector<double> v = some_vector(n), right = times(a.data(), n, v);
  Array<float> out(n * n);
  Matrix factor;
  auto is_right = [&](const float* l) { return near(times(l, n, times(l, n, v, true)), right, 1e-4); };
  Race race(bench, {"cholesky", "f32", elements, 8 * n * n});
  race.enter_warpfold(
      [&] {
        wf_seq* l = nullptr;
        check(wf_factor("cholesky", x.raw(), &l, 1));
        factor = Matrix(l).complete();
      },
      [&] { return is_right(factor.elements<float>().data()); });
  race.enter(
      "Eigen LLT, one thread", [&] { eigen::cholesky(a.data(), n, out.data()); }, [&] { return is_right(out.data()); });
  race.finish();
}

void triangular_solve(Bench& bench, int64_t elements) {
  const int64_t n = side_of(elements);
  warpfold::Context context(bench.options().context);
  const Array<float> a = positive_matrix(n), b = random_matrix<float>(n * n, 2);
  const Matrix x(context, a, {n, n}), y(context, b, {n, n});
  Array<float> lower(n * n, [&](int64_t k) { return k % n <= k / n ? a[k] : 0.0f; }), out(n * n);
  const std::vector<double> v = some_vector(n), right = times(b.data(), n, v);
  Matrix solution;
  auto is_right = [&](const float* s) { return near(times(lower.data(), n, times(s, n, v)), right, 1e-4); };
  Race race(bench, {"triangular_solve", "f32", elements, 12 * n * n});
  race.enter_warpfold([&] { solution = result(wf_solve, "lower", x.raw(), y.raw()).complete(); },
                      [&] { return is_right(solution.elements<float>().data()); });
  race.enter(
      "Eigen, a block of columns a thread", [&] { eigen::solve_lower(a.data(), b.data(), n, out.data()); },
      [&] { return is_right(out.data()); });
  race.finish();
}

}  // namespace bench
