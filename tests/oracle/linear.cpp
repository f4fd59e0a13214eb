// The routine Linear by plain loops. Sums of floats are taken in f64; integers wrap. Factorizations by orthogonal transformations are not defined
// here, because their results are not unique.
#include <cmath>
#include <utility>

#include "engine/linear_error.h"
#include "oracle/oracle.h"

namespace oracle {
namespace {

using wf::LinearRoutine;

template <class T> class Matrices {
 public:
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, uint64_t>;

  Matrices(const LinearRoutine& routine, const std::vector<const Value*>& in) : r_(routine), a_(*in[0]), b_(*in.back()) {}

  std::vector<Bits64> result() {
    for (matrix_ = 0; matrix_ < r_.batch; matrix_++) {
      if (r_.op == LinearRoutine::Product) product();
      else if constexpr (std::is_floating_point_v<T>) factor();
    }
    return std::move(out_);
  }

 private:
  Wide element(const Value& from, const wf::MatrixOperand& at, int64_t i, int64_t j) const {
    return Wide(wf::from_bits<T>(from.columns[0].at(size_t(at.offset + matrix_ * at.batch + i * at.row + j * at.column))));
  }
  Wide a(int64_t i, int64_t j) const { return element(a_, r_.a, i, j); }
  Wide b(int64_t i, int64_t j) const { return element(b_, r_.b, i, j); }
  void put(Wide x) { out_.push_back(wf::to_bits(T(x))); }

  void product() {
    for (int64_t i = 0; i < r_.m; i++)
      for (int64_t j = 0; j < r_.n; j++) {
        Wide sum = 0;
        for (int64_t p = 0; p < r_.k; p++) sum += a(i, p) * b(p, j);
        put(sum);
      }
  }

  void factor() {
    switch (r_.op) {
      case LinearRoutine::TriangularProduct: return triangular_product();
      case LinearRoutine::TriangularSolve: return triangular_solve();
      case LinearRoutine::Cholesky: return cholesky();
      case LinearRoutine::Eliminate: return eliminate();
      case LinearRoutine::SolveEliminated: return solve_eliminated();
      default: throw std::logic_error("a factorization without a unique result");
    }
  }

  // Element (i, j) of the triangle.
  Wide triangle(int64_t i, int64_t j) const {
    if (i == j && r_.unit) return 1;
    return (r_.upper ? i > j : i < j) ? Wide(0) : a(i, j);
  }

  void triangular_product() {
    for (int64_t i = 0; i < r_.m; i++)
      for (int64_t j = 0; j < r_.n; j++) {
        Wide sum = 0;
        for (int64_t p = 0; p < r_.m; p++)
          if (r_.upper ? p >= i : p <= i) sum += triangle(i, p) * b(p, j);
        put(sum);
      }
  }

  using Rows = std::vector<std::vector<Wide>>;
  void put_all(const Rows& x) {
    for (const auto& row : x)
      for (Wide element : row) put(element);
  }
  Rows right_sides(int64_t rows, int64_t columns) const {
    Rows x(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++) x[size_t(i)].push_back(b(i, j));
    return x;
  }
  // x = inverse(t) x for a triangle t(i, j) of n x n.
  template <class Triangle> static void solve(int64_t n, bool upper, Rows& x, const Triangle& t) {
    for (int64_t step = 0; step < n; step++) {
      const int64_t i = upper ? n - 1 - step : step;
      for (size_t j = 0; j < x[size_t(i)].size(); j++) {
        Wide& sum = x[size_t(i)][j];
        for (int64_t p = upper ? i + 1 : 0; p < (upper ? n : i); p++) sum -= t(i, p) * x[size_t(p)][j];
        sum /= t(i, i);
      }
    }
  }

  void triangular_solve() {
    for (int64_t i = 0; i < r_.m; i++)
      if (triangle(i, i) == 0) wf::throw_failed_pivot(r_, matrix_, i);
    Rows x = right_sides(r_.m, r_.n);
    solve(r_.m, r_.upper, x, [&](int64_t i, int64_t j) { return triangle(i, j); });
    put_all(x);
  }

  void cholesky() {
    const size_t n = size_t(r_.n);
    Rows l(n, std::vector<Wide>(n));
    for (size_t j = 0; j < n; j++)
      for (size_t i = j; i < n; i++) {
        Wide sum = a(int64_t(i), int64_t(j));
        for (size_t p = 0; p < j; p++) sum -= l[i][p] * l[j][p];
        if (i == j && !(sum > 0)) wf::throw_failed_pivot(r_, matrix_, int64_t(j));
        l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
      }
    put_all(l);
  }

  // The factors, then the row that was exchanged with each row.
  void eliminate() {
    const size_t n = size_t(r_.n);
    Rows f(n, std::vector<Wide>(n));
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) f[i][j] = a(int64_t(i), int64_t(j));
    std::vector<size_t> exchanges;
    for (size_t j = 0; j < n; j++) {
      size_t best = j;
      for (size_t i = j; i < n; i++)
        if (std::abs(f[i][j]) > std::abs(f[best][j])) best = i;
      exchanges.push_back(best);
      std::swap(f[j], f[best]);
      if (f[j][j] == 0 && r_.strict) wf::throw_failed_pivot(r_, matrix_, int64_t(j));
      for (size_t i = j + 1; i < n && f[j][j] != 0; i++) {
        f[i][j] /= f[j][j];
        for (size_t p = j + 1; p < n; p++) f[i][p] -= f[i][j] * f[j][p];
      }
    }
    put_all(f);
    for (size_t row : exchanges) put(Wide(row));
  }

  void solve_eliminated() {
    const int64_t n = r_.n;
    Rows x = right_sides(n, r_.m);
    for (int64_t i = 0; i < n; i++) std::swap(x[size_t(i)], x[size_t(a(n, i))]);
    solve(n, false, x, [&](int64_t i, int64_t j) { return i == j ? Wide(1) : a(i, j); });
    solve(n, true, x, [&](int64_t i, int64_t j) { return a(i, j); });
    put_all(x);
  }

  const LinearRoutine r_;
  const Value &a_, &b_;
  int64_t matrix_ = 0;
  std::vector<Bits64> out_;
};

}  // namespace

// Fails as a whole if one of its inputs does.
Value linear(const LinearRoutine& routine, const std::vector<const Value*>& inputs, int64_t length) {
  Value result({inputs[0]->types[0]}, length);
  for (const Value* s : inputs) {
    result.may_fail |= s->may_fail;
    if (!s->faults[0].empty())
      for (int64_t i = 0; i < length; i++) result.set(0, i, 0, &s->faults[0].begin()->second);
  }
  if (result.has_fault()) return result;
  wf::visit(result.types[0], [&](auto tag) { result.columns[0] = Matrices<typename decltype(tag)::type>(routine, inputs).result(); });
  return result;
}

}  // namespace oracle
