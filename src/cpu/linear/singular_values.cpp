// Singular values by a bidiagonal matrix (Dongarra, Sorensen and Hammarling, "Block reduction of matrices to condensed forms", 1989; of R, if the matrix
// is tall: Chan, "An improved algorithm for computing the singular value decomposition", 1982) and implicit QR steps (Demmel and Kahan, "Accurate
// singular values of bidiagonal matrices", 1990).
#include "cpu/linear/orthogonal.h"
#include "cpu/linear/rotations.h"

namespace wf::cpu {
namespace {

constexpr int most_steps_per_singular_value = 60;

// Numbers of the bidiagonal matrix, and the reflections that lead to it: those of the columns in the rows of `left`, those of the rows in a.
template <class T> struct Bidiagonal {
  std::vector<T> d, e, left_factors, right_factors;
  explicit Bidiagonal(int64_t n) : d(size_t(n)), e(size_t(n)), left_factors(size_t(n)), right_factors(size_t(n)) {}
};

// a (n x n) becomes bidiagonal. Row i of `left` becomes the vector of the reflection of column i, from element i on, row i of a that of row i,
// from element i + 1 on. A panel of reflections, v of columns and u of rows, changes a to a - vT y - xT u.
template <class T> void bidiagonalize(Products& products, MatrixView<T> a, int64_t n, MatrixView<T> left, Bidiagonal<T>& result) {
  const VectorLoops<T>& loops = vector_loops<T>();
  std::vector<T> stack(size_t(4 * panel * n)), weights(2 * panel);
  const MatrixView<T> v = by_rows(stack.data(), n), x = v.at(panel, 0), y = x.at(panel, 0), u = y.at(panel, 0);
  // to[first, n) -= rows_k[first, n) weight_k for the first `count` rows
  auto subtract = [&](MatrixView<T> rows, int64_t count, int64_t first, const T* weight, T* to) {
    T negative[panel];
    for (int64_t k = 0; k < count; k++) negative[k] = -weight[k];
    loops.add_rows(&rows(0, first), n, count, n - first, negative, to + first);
  };
  auto column_of = [&](MatrixView<T> rows, int64_t count, int64_t i) {
    for (int64_t k = 0; k < count; k++) weights[size_t(k)] = rows(k, i);
    return weights.data();
  };
  auto times = [&](MatrixView<T> rows, int64_t count, int64_t first, const T* z) {
    loops.times(&rows(0, first), n, count, n - first, z + first, weights.data());
    return weights.data();
  };
  for (int64_t begin = 0; begin < n; begin += panel) {
    const int64_t end = std::min(n, begin + panel);
    for (int64_t i = begin; i < end; i++) {
      const int64_t k = i - begin, next = i + 1, rest = n - next;
      T *const column = &v(k, 0), *const row = &a(i, 0), *const y_k = &y(k, 0), *const x_k = &x(k, 0);
      for (int64_t r = i; r < n; r++) column[r] = a(r, i);
      subtract(v, k, i, column_of(y, k, i), column);
      subtract(x, k, i, column_of(u, k, i), column);
      const Reflection<T> h = reflect(column + i, n - i);
      result.d[size_t(i)] = h.alpha;
      result.left_factors[size_t(i)] = h.factor;
      std::copy_n(column + i, n - i, &left(i, i));
      if (rest == 0) break;

      std::fill(y_k + next, y_k + n, T(0));
      for_parts(products, rest, n - i, [&](int64_t from, int64_t to) {
        loops.add_rows(&a(i, next + from), a.row, n - i, to - from, column + i, y_k + next + from);
      });
      subtract(y, k, next, times(v, k, i, column), y_k);
      subtract(u, k, next, times(x, k, i, column), y_k);
      scale(h.factor, y_k + next, rest);

      subtract(y, k + 1, next, column_of(v, k + 1, i), row);
      subtract(u, k, next, column_of(x, k, i), row);
      const Reflection<T> g = reflect(row + next, rest);
      result.e[size_t(i)] = g.alpha;
      result.right_factors[size_t(i)] = g.factor;
      std::copy_n(row + next, rest, &u(k, next));

      for_parts(products, rest, rest, [&](int64_t from, int64_t to) {
        loops.times(&a(next + from, next), a.row, to - from, rest, row + next, x_k + next + from);
      });
      subtract(v, k + 1, next, times(y, k + 1, next, row), x_k);
      subtract(x, k, next, times(u, k, next, row), x_k);
      scale(g.factor, x_k + next, rest);
    }
    const int64_t rest = n - end;
    products({rest, rest, 2 * panel}, MatrixView<const T>(v.at(0, end)).transposed(), MatrixView<const T>(y.at(0, end)), a.at(end, end),
             Into::Subtract);
  }
}

// The rotation that maps (f, g) to (length, 0).
template <class T> struct Givens {
  T c = 1, s = 0, length;
  Givens(T f, T g) : length(length_of(f, g)) {
    if (length == 0) return;
    c = f / length;
    s = g / length;
  }
};

// One step for the block [low, high] of a bidiagonal matrix, from its top to its bottom.
template <class T> class Step {
 public:
  Step(std::vector<T>& d, std::vector<T>& e, Rotations<T>& left, Rotations<T>& right) : d_(d), e_(e), left_(left), right_(right) {}

  // Without a shift, small singular values converge fastest; this step alone moves a 0 of the diagonal out of the block.
  void unshifted(size_t low, size_t high) {
    T c = 1, c_before = 1, s_before = 0;
    for (size_t i = low; i < high; i++) {
      const Givens<T> r(d_[i] * c, e_[i]);
      if (i > low) e_[i - 1] = s_before * r.length;
      const Givens<T> l(c_before * r.length, d_[i + 1] * r.s);
      d_[i] = l.length;
      rotate(i, r, l);
      c = r.c;
      c_before = l.c;
      s_before = l.s;
    }
    const T last = d_[high] * c;
    d_[high] = last * c_before;
    e_[high - 1] = last * s_before;
  }

  void shifted(size_t low, size_t high, T shift) {
    T f = (std::abs(d_[low]) - shift) * (std::copysign(T(1), d_[low]) + shift / d_[low]), g = e_[low];
    for (size_t i = low; i < high; i++) {
      const Givens<T> r(f, g);
      if (i > low) e_[i - 1] = r.length;
      f = r.c * d_[i] + r.s * e_[i];
      e_[i] = r.c * e_[i] - r.s * d_[i];
      g = r.s * d_[i + 1];
      d_[i + 1] *= r.c;
      const Givens<T> l(f, g);
      d_[i] = l.length;
      f = l.c * e_[i] + l.s * d_[i + 1];
      d_[i + 1] = l.c * d_[i + 1] - l.s * e_[i];
      if (i + 1 < high) {
        g = l.s * e_[i + 1];
        e_[i + 1] *= l.c;
      }
      rotate(i, r, l);
    }
    e_[high - 1] = f;
  }

 private:
  void rotate(size_t i, const Givens<T>& r, const Givens<T>& l) {
    right_.add(int64_t(i), r.c, -r.s);
    left_.add(int64_t(i), l.c, -l.s);
  }
  std::vector<T>&d_, &e_;
  Rotations<T>&left_, &right_;
};

// The smaller singular value of the upper triangle (f, g; 0, h), for numbers far from overflow.
template <class T> T smaller_singular_value(T f, T g, T h) {
  const T larger = (length_of(f + h, g) + length_of(f - h, g)) / 2;
  return larger == 0 ? 0 : std::abs(f) / larger * std::abs(h);
}

// Diagonal d and, above it, e become singular values, of any sign.
template <class T> bool implicit_qr(std::vector<T>& d, std::vector<T>& e, Rotations<T>& left, Rotations<T>& right) {
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  const T largest = largest_of(d, e);
  const T negligible = epsilon / 2 * largest;
  Step<T> step(d, e, left, right);
  int steps = 0;
  for (size_t high = d.size() - 1; high > 0;) {
    size_t low = high;
    while (low > 0 && std::abs(e[low - 1]) > negligible) low--;
    if (low == high) {
      high--;
      steps = 0;
      continue;
    }
    if (steps++ == most_steps_per_singular_value) return false;
    T smallest = largest;
    for (size_t i = low; i <= high; i++) smallest = std::min(smallest, std::abs(d[i]));
    const T shift = smaller_singular_value(d[high - 1], e[high - 1], d[high]);
    if (smallest <= negligible || shift * shift <= epsilon * d[low] * d[low]) step.unshifted(low, high);
    else step.shifted(low, high, shift);
  }
  left.flush();
  right.flush();
  return true;
}

// The same for n x n, whose left vectors become the rows of u.
template <class T>
bool square_singular_values(Products& products, MatrixView<T> a, int64_t n, T* values, MatrixView<T> u, MatrixView<T> v) {
  Bidiagonal<T> b(n);
  std::vector<T> vectors(size_t(n * n));
  const MatrixView<T> left = by_rows(vectors.data(), n);
  bidiagonalize(products, a, n, left, b);
  accumulate(products, blocks_of(left, n, n, 0, b.left_factors.data()), 0, u, n, n);
  accumulate(products, blocks_of(a, n - 1, n, 1, b.right_factors.data()), 1, v, n, n);
  Rotations<T> of_u(products, u, n, n), of_v(products, v, n, n);
  if (!implicit_qr(b.d, b.e, of_u, of_v)) return false;
  std::vector<T> lengths;
  for (T x : b.d) lengths.push_back(std::abs(x));
  const std::vector<int64_t> order = order_of(lengths, true);
  for (int64_t i = 0; i < n; i++) {
    const size_t from = size_t(order[size_t(i)]);
    values[i] = lengths[from];
    of_u.copy_row(int64_t(from), 1, &u(i, 0));
    of_v.copy_row(int64_t(from), std::copysign(T(1), b.d[from]), &v(i, 0));
  }
  return true;
}

}  // namespace

template <class T>
bool singular_values(Products& products, MatrixView<const T> a, int64_t m, int64_t n, T* values, MatrixView<T> u, MatrixView<T> v) {
  if (n == 0) return true;
  T factor = magnitude<T>(a, m, n);
  if (factor != factor) return false;
  if (factor == 0) factor = 1;
  std::vector<T> square(size_t(n * n)), left(size_t(n * n)), q;
  const MatrixView<T> r = by_rows(square.data(), n), vectors = by_rows(left.data(), n);
  if (m == n) {
    for (int64_t i = 0; i < n; i++, look_for_cancellation())
      for (int64_t j = 0; j < n; j++) r(i, j) = a(i, j) / factor;
  } else {
    std::vector<T> columns(size_t(n * m));
    for (int64_t i = 0; i < m; i++, look_for_cancellation())
      for (int64_t j = 0; j < n; j++) columns[size_t(j * m + i)] = a(i, j) / factor;
    q.resize(size_t(m * n));
    qr(products, columns.data(), m, n, r, by_rows(q.data(), n));
  }
  if (!square_singular_values(products, r, n, values, vectors, v)) return false;
  for (int64_t i = 0; i < n; i++) values[i] *= factor;
  if (m > n) {
    products({m, n, n}, MatrixView<const T>(by_rows(q.data(), n)), MatrixView<const T>(vectors).transposed(), u, Into::Set);
    return true;
  }
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) u(i, j) = vectors(j, i);
  return true;
}

#define WF_INSTANTIATE(T)                                                                                                    \
  template bool singular_values(Products& products, MatrixView<const T> a, int64_t m, int64_t n, T* values, MatrixView<T> u, \
                                MatrixView<T> v);
WF_INSTANTIATE(float)
WF_INSTANTIATE(double)
#undef WF_INSTANTIATE

}  // namespace wf::cpu
