#include "cpu/linear/linear.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cpu/linear/fourier.h"
#include "cpu/linear/orthogonal.h"
#include "cpu/linear/triangular.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"
#include "engine/cancellation.h"
#include "engine/linear_error.h"
#include "lazy/linear/routine.h"

namespace wf::cpu {
namespace {

template <class T> class Runner {
 public:
  Runner(const LinearRoutine& routine, const T* a, const T* b, T* out) : r_(routine), a_(a), b_(b), out_(out) {}

  void run(Products& products, int64_t matrix) const {
    switch (r_.op) {
      case LinearRoutine::Product: return product(products, matrix);
      case LinearRoutine::TriangularProduct:
      case LinearRoutine::TriangularSolve:
      case LinearRoutine::Cholesky:
      case LinearRoutine::Eliminate:
      case LinearRoutine::SolveEliminated:
      case LinearRoutine::Orthogonal:
      case LinearRoutine::SymmetricEigen:
      case LinearRoutine::SingularValues:
      case LinearRoutine::Fourier:
      case LinearRoutine::InverseFourier:
        if constexpr (std::is_floating_point_v<T>) return factor(products, matrix);
    }
    throw std::logic_error("a routine for floats on integers");
  }

 private:
  MatrixView<const T> a(int64_t matrix) const { return {a_ + r_.a.offset + matrix * r_.a.batch, r_.a.row, r_.a.column}; }
  MatrixView<const T> b(int64_t matrix) const { return {b_ + r_.b.offset + matrix * r_.b.batch, r_.b.row, r_.b.column}; }

  void product(Products& products, int64_t matrix) const {
    products({r_.m, r_.n, r_.k}, a(matrix), b(matrix), by_rows(out_ + matrix * r_.m * r_.n, r_.n), Into::Set);
  }

  void factor(Products& products, int64_t matrix) const {
    switch (r_.op) {
      case LinearRoutine::Cholesky: return factor_positive(products, matrix);
      case LinearRoutine::Eliminate: return eliminate(products, matrix);
      case LinearRoutine::SolveEliminated: return solve_eliminated(products, matrix);
      case LinearRoutine::Orthogonal: return factor_orthogonal(products, matrix);
      case LinearRoutine::SymmetricEigen: return find_eigenvalues(products, matrix);
      case LinearRoutine::SingularValues: return find_singular_values(products, matrix);
      default: return apply_triangle(products, matrix);
    }
  }

  T* copied(MatrixView<const T> from, int64_t rows, int64_t columns, T* to) const {
    for (int64_t i = 0; i < rows; i++, stop_if_canceled())
      for (int64_t j = 0; j < columns; j++) to[i * columns + j] = from(i, j);
    return to;
  }

  void apply_triangle(Products& products, int64_t matrix) const {
    if (r_.m == 0) return;
    const MatrixView<T> x = by_rows(copied(b(matrix), r_.m, r_.n, out_ + matrix * r_.m * r_.n), r_.n);
    const MatrixView<const T> triangle = r_.upper ? reversed(a(matrix), r_.m, r_.m) : a(matrix);
    const Triangle<T> lower{triangle, r_.m, r_.unit != 0};
    const bool solves = r_.op == LinearRoutine::TriangularSolve;
    if (solves && !r_.unit)
      for (int64_t i = 0; i < r_.m; i++)
        if (a(matrix)(i, i) == 0) throw_failed_pivot(r_, matrix, i);
    const MatrixView<T> rows = r_.upper ? rows_reversed(x, r_.m) : x;
    if (solves) solve_lower(products, lower, rows, r_.n);
    else multiply_lower(products, lower, rows, r_.n);
  }

  void factor_positive(Products& products, int64_t matrix) const {
    T* const l = copied(a(matrix), r_.n, r_.n, out_ + matrix * r_.n * r_.n);
    const int64_t failed = cholesky(products, by_rows(l, r_.n), r_.n);
    if (failed >= 0) throw_failed_pivot(r_, matrix, failed);
  }

  bool has_nan(MatrixView<const T> x, int64_t rows, int64_t columns) const {
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++)
        if (x(i, j) != x(i, j)) return true;
    return false;
  }
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  // The exchanges are stored in the place of r_.n numbers, as 32-bit integers.
  void eliminate(Products& products, int64_t matrix) const {
    const int64_t n = r_.n;
    T* const factors = copied(a(matrix), n, n, out_ + matrix * (n * n + n));
    std::vector<int64_t> pivots(static_cast<size_t>(n));
    if (has_nan(a(matrix), n, n)) {
      std::fill_n(factors, n * n, nan);
      std::iota(pivots.begin(), pivots.end(), 0);
    } else if (const int64_t zero = lu(products, by_rows(factors, n), n, n, pivots.data()); zero >= 0 && r_.strict) {
      throw_failed_pivot(r_, matrix, zero);
    }
    auto* const exchanges = reinterpret_cast<int32_t*>(factors + n * n);
    std::copy(pivots.begin(), pivots.end(), exchanges);
  }

  void solve_eliminated(Products& products, int64_t matrix) const {
    const int64_t n = r_.n;
    if (n == 0) return;
    const MatrixView<const T> factors = a(matrix);
    const MatrixView<T> x = by_rows(copied(b(matrix), n, r_.m, out_ + matrix * n * r_.m), r_.m);
    const auto* const exchanges = reinterpret_cast<const int32_t*>(factors.data + n * n);
    for (int64_t i = 0; i < n; i++)
      if (exchanges[i] != i) std::swap_ranges(&x(i, 0), &x(i, 0) + r_.m, &x(exchanges[i], 0));
    solve_lower(products, {factors, n, true}, x, r_.m);
    solve_lower(products, {reversed(factors, n, n), n, false}, rows_reversed(x, n), r_.m);
  }

  void factor_orthogonal(Products& products, int64_t matrix) const {
    const int64_t m = r_.m, n = r_.n, k = std::min(m, n);
    T *const q = out_ + matrix * m * k, *const r = out_ + r_.batch * m * k + matrix * k * n;
    if (has_nan(a(matrix), m, n)) {
      std::fill_n(q, m * k, nan);
      std::fill_n(r, k * n, nan);
      return;
    }
    std::vector<T> columns(size_t(m * n));
    for (int64_t j = 0; j < n; j++, stop_if_canceled())
      for (int64_t i = 0; i < m; i++) columns[size_t(j * m + i)] = a(matrix)(i, j);
    qr(products, columns.data(), m, n, by_rows(r, n), by_rows(q, k));
  }

  void find_eigenvalues(Products& products, int64_t matrix) const {
    const int64_t n = r_.n;
    std::vector<T> work(size_t(n * n));
    copied(a(matrix), n, n, work.data());
    T* const vectors = out_ + r_.batch * n + matrix * n * n;
    if (!symmetric_eigen(products, by_rows(work.data(), n), n, out_ + matrix * n, by_rows(vectors, n))) throw_no_convergence(r_, matrix);
  }

  void find_singular_values(Products& products, int64_t matrix) const {
    const int64_t m = r_.m, n = r_.n, k = std::min(m, n);
    T* const values = out_ + matrix * k;
    const MatrixView<T> u = by_rows(out_ + r_.batch * k + matrix * m * k, k),
                        v = by_rows(out_ + r_.batch * (k + m * k) + matrix * k * n, n);
    if (m >= n) {
      if (!singular_values(products, a(matrix), m, n, values, u, v)) throw_no_convergence(r_, matrix);
      return;
    }
    std::vector<T> left(size_t(n * k)), right(size_t(k * m));
    const MatrixView<T> x = by_rows(left.data(), k), y = by_rows(right.data(), m);
    if (!singular_values(products, a(matrix).transposed(), n, m, values, x, y)) throw_no_convergence(r_, matrix);
    copied(y.transposed(), m, k, u.data);
    copied(x.transposed(), k, n, v.data);
  }

  const LinearRoutine& r_;
  const T *const a_, *const b_;
  T* const out_;
};

template <class T> void run(const LinearRoutine& routine, const Launch& launch, const std::shared_ptr<Pool>& pool) {
  auto input = [&](size_t k) {
    const InputBuffer& from = launch.inputs[k];
    return reinterpret_cast<const T*>(from.buffer->host()) + from.offset;
  };
  const T* const a = input(0);
  const T* const b = launch.inputs.size() > 1 ? input(1) : nullptr;
  T* const out = reinterpret_cast<T*>(launch.outputs[0]->host_for_writing());
  if constexpr (std::is_floating_point_v<T>)
    if (is_fourier(routine)) return transform(routine, a, out);
  const Runner<T> runner(routine, a, b, out);
  const int64_t workers = worker_count();
  if (routine.batch < 2 * workers) {
    Products products(pool, int(workers));
    for (int64_t matrix = 0; matrix < routine.batch; matrix++) runner.run(products, matrix);
    return;
  }
  for_pieces(routine.batch, std::max<int64_t>(1, routine.batch / (16 * workers)), [&](int64_t begin, int64_t end) {
    Products products(pool, 1);
    for (int64_t matrix = begin; matrix < end; matrix++) runner.run(products, matrix);
  });
}

}  // namespace

void linear(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool) {
  const LinearRoutine routine = linear_routine(call.parameters);
  switch (call.types[0]) {
    case Type::F32: return run<float>(routine, launch, pool);
    case Type::F64: return run<double>(routine, launch, pool);
    case Type::I32:
    case Type::U32: return run<uint32_t>(routine, launch, pool);
    default: return run<uint64_t>(routine, launch, pool);
  }
}

}  // namespace wf::cpu
