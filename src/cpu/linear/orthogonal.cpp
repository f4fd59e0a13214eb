// QR by blocks of Householder reflections (Bischof and Van Loan, "The WY representation for products of Householder matrices", 1987;
// Schreiber and Van Loan, 1989). Eigenvalues by a tridiagonal matrix and implicit QL steps (Dubrulle, Martin and Wilkinson, 1968), whose
// rotations are applied to the vectors in batches. Singular values by one-sided Jacobi rotations of the rows of R (Hestenes, 1958; Drmac and
// Veselic, 2008): all cores rotate disjoint pairs of rows.
#include "cpu/linear/orthogonal.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cpu/chunks.h"
#include "cpu/linear/vectors.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

constexpr int64_t panel = 32;              // reflections of a block
constexpr int64_t few_elements = 1 << 15;  // that one worker computes alone
constexpr int most_steps = 60;             // for an eigenvalue, or sweeps over all pairs of rows

// Calls f(begin, end) for pieces of [0, n), whose parts have `size` elements each.
template <class F> void for_parts(const Products& products, int64_t n, int64_t size, const F& f) {
  if (products.workers() == 1 || n * size <= few_elements) return f(int64_t(0), n);
  for_pieces(n, std::max<int64_t>(1, few_elements / std::max<int64_t>(1, size)), f);
}

// The product 1 - vT t v of `count` reflections, whose vectors are the rows of v.
template <class T> struct Block {
  MatrixView<T> v;
  int64_t count, length;
  T t[panel * panel];
};

template <class T> void join(Block<T>& block, const T* factors) {
  for (int64_t j = 0; j < block.count; j++) {
    T inner[panel];
    for (int64_t i = 0; i < j; i++) inner[i] = dot(&block.v(i, 0), &block.v(j, 0), block.length);
    for (int64_t i = 0; i < panel; i++) block.t[i * panel + j] = 0;
    for (int64_t i = 0; i < j; i++)
      for (int64_t p = i; p < j; p++) block.t[i * panel + j] -= factors[j] * block.t[i * panel + p] * inner[p];
    block.t[j * panel + j] = factors[j];
  }
}

// x = x (1 - vT t v), or with the transposed t, for x of `rows` rows.
template <class T> void apply(Products& products, const Block<T>& block, bool transposed, MatrixView<T> x, int64_t rows) {
  if (rows == 0) return;
  std::vector<T> inner(size_t(rows * panel)), weights(size_t(rows * panel));
  const MatrixView<T> w = by_rows(inner.data(), panel), to = by_rows(weights.data(), panel);
  const MatrixView<const T> v(block.v), t{block.t, transposed ? 1 : panel, transposed ? panel : 1};
  products({rows, block.count, block.length}, MatrixView<const T>(x), v.transposed(), w, Into::Set);
  products({rows, block.count, block.count}, MatrixView<const T>(w), t, to, Into::Set);
  products({rows, block.length, block.count}, MatrixView<const T>(to), v, x, Into::Subtract);
}

template <class T> void set_identity(MatrixView<T> x, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) x(i, j) = T(i == j);
}

// Rotations of adjacent rows i and i + 1, applied together to strips of columns.
template <class T> class Rotations {
 public:
  Rotations(Products& products, MatrixView<T> x, int64_t columns) : products_(products), x_(x), columns_(columns) {}
  void add(int64_t i, T c, T s) {
    all_.push_back({i, c, s});
    if (all_.size() >= most) flush();
  }
  void flush() {
    for_parts(products_, columns_, 2 * int64_t(all_.size()), [&](int64_t first, int64_t last) {
      for (int64_t begin = first; begin < last; begin += strip) {
        const int64_t count = std::min(strip, last - begin);
        for (const auto& [i, c, s] : all_) rotate(c, s, &x_(i, begin), &x_(i + 1, begin), count);
      }
    });
    all_.clear();
  }

 private:
  struct Rotation {
    int64_t i;
    T c, s;
  };
  static constexpr size_t most = 1 << 14;
  static constexpr int64_t strip = 512 / int64_t(sizeof(T));
  Products& products_;
  const MatrixView<T> x_;
  const int64_t columns_;
  std::vector<Rotation> all_;
};

// Diagonal d and, below it, e become eigenvalues; `rotations` turns the rows of a matrix along.
template <class T> bool implicit_ql(std::vector<T>& d, std::vector<T>& e, Rotations<T>& rotations) {
  const int64_t n = int64_t(d.size());
  const T epsilon = std::numeric_limits<T>::epsilon();
  for (int64_t l = 0; l < n; l++)
    for (int step = 0;; step++) {
      int64_t m = l;
      while (m + 1 < n && !(std::abs(e[m]) <= epsilon * (std::abs(d[m]) + std::abs(d[m + 1])))) m++;
      if (m == l) break;
      if (step == most_steps) return false;
      const T ratio = (d[l + 1] - d[l]) / (2 * e[l]);
      T g = d[m] - d[l] + e[l] / (ratio + std::copysign(std::hypot(ratio, T(1)), ratio));
      T s = 1, c = 1, shift = 0;
      int64_t i = m - 1;
      for (; i >= l; i--) {
        const T f = s * e[i], b = c * e[i], length = std::hypot(f, g);
        e[i + 1] = length;
        if (length == 0) {
          d[i + 1] -= shift;
          break;
        }
        s = f / length;
        c = g / length;
        const T lower = d[i + 1] - shift, sum = (d[i] - lower) * s + 2 * c * b;
        shift = s * sum;
        d[i + 1] = lower + shift;
        g = c * sum - b;
        rotations.add(i, c, s);
      }
      if (i < l) {
        d[l] -= shift;
        e[l] = g;
      }
      e[m] = 0;
    }
  rotations.flush();
  return true;
}

// The symmetric a becomes tridiagonal, by d and e; row j of a becomes the vector of the j-th reflection, from element j + 1 on. Each step updates
// the rest of the matrix by the last reflection and multiplies it by the next vector in one pass.
template <class T> void tridiagonalize(Products& products, MatrixView<T> a, int64_t n, std::vector<T>& d, std::vector<T>& e, T* factors) {
  std::vector<T> w(static_cast<size_t>(n)), p(static_cast<size_t>(n));
  const T* v = nullptr;  // of the last reflection: element i belongs to row i
  for (int64_t j = 0; j < n; j++) {
    T* const row = &a(j, 0);
    auto update = [&](int64_t i) {
      if (!v) return;
      add_multiple(-v[i], &w[size_t(j)], &a(i, j), n - j);
      add_multiple(-w[size_t(i)], v + j, &a(i, j), n - j);
    };
    update(j);
    d[size_t(j)] = row[j];
    if (j + 1 == n) break;
    const Reflection<T> h = reflect(row + j + 1, n - j - 1);
    factors[j] = h.factor;
    e[size_t(j)] = h.alpha;
    for_parts(products, n - j - 1, n - j, [&](int64_t begin, int64_t end) {
      for (int64_t i = j + 1 + begin; i < j + 1 + end; i++) {
        update(i);
        p[size_t(i)] = h.factor * dot(&a(i, j + 1), row + j + 1, n - j - 1);
      }
    });
    const T half = h.factor / 2 * dot(&p[size_t(j + 1)], row + j + 1, n - j - 1);
    for (int64_t i = j + 1; i < n; i++) w[size_t(i)] = p[size_t(i)] - half * row[i];
    v = row;
  }
}

// Makes the rows of g orthogonal by rotations, and turns the rows of j along. Returns false if this does not converge.
template <class T> bool orthogonalize(Products& products, MatrixView<T> g, MatrixView<T> turned, int64_t n) {
  const int64_t players = n + n % 2, pairs = players / 2;
  const T tolerance = std::numeric_limits<T>::epsilon() * std::sqrt(T(n));
  for (int sweep = 0; sweep < most_steps; sweep++) {
    std::atomic<bool> is_done{true};
    for (int64_t round = 0; round + 1 < players; round++)
      for_parts(products, pairs, 4 * n, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
          // Each player meets every other one once in players - 1 rounds.
          int64_t i = k == 0 ? players - 1 : (round + k) % (players - 1), j = (round + players - 1 - k) % (players - 1);
          if (i > j) std::swap(i, j);
          if (j >= n) continue;
          T *const x = &g(i, 0), *const y = &g(j, 0);
          const T xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
          if (std::abs(xy) <= tolerance * std::sqrt(xx) * std::sqrt(yy)) continue;
          is_done.store(false, std::memory_order_relaxed);
          const T ratio = (yy - xx) / (2 * xy);
          const T tangent = std::copysign(T(1), ratio) / (std::abs(ratio) + std::hypot(T(1), ratio));
          const T c = 1 / std::hypot(T(1), tangent), s = c * tangent;
          rotate(c, s, x, y, n);
          rotate(c, s, &turned(i, 0), &turned(j, 0), n);
        }
      });
    if (is_done) return true;
  }
  return false;
}

// Replaces row `at` of v by a unit vector that is orthogonal to the rows before it.
template <class T> void complete(MatrixView<T> v, int64_t at, int64_t n) {
  T* const x = &v(at, 0);
  for (int64_t k = 0; k < n; k++) {
    std::fill(x, x + n, T(0));
    x[k] = 1;
    for (int times = 0; times < 2; times++)
      for (int64_t i = 0; i < at; i++) add_multiple(-dot(&v(i, 0), x, n), &v(i, 0), x, n);
    const T length = norm(x, n);
    if (2 * length * std::sqrt(T(n)) < 1) continue;
    return scale(1 / length, x, n);
  }
}

// A power of two near the largest element, or 0 if all are 0, or if one is not a finite number, NaN.
template <class T> T magnitude(MatrixView<const T> a, int64_t m, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      const T x = std::abs(a(i, j));
      if (!std::isfinite(x)) return std::numeric_limits<T>::quiet_NaN();
      largest = std::max(largest, x);
    }
  return largest == 0 ? 0 : std::exp2(std::floor(std::log2(largest)));
}

template <class T> std::vector<int64_t> order_of(const std::vector<T>& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), int64_t(0));
  std::ranges::stable_sort(order,
                           [&](int64_t i, int64_t j) { return descending ? x[size_t(i)] > x[size_t(j)] : x[size_t(i)] < x[size_t(j)]; });
  return order;
}

}  // namespace

template <class T> void qr(Products& products, T* columns, int64_t m, int64_t n, MatrixView<T> r, MatrixView<T> q) {
  const int64_t k = std::min(m, n);
  const MatrixView<T> c = by_rows(columns, m);
  std::vector<Block<T>> blocks;
  T factors[panel];
  for (int64_t begin = 0; begin < k; begin += panel) {
    const int64_t end = std::min(k, begin + panel);
    for (int64_t j = begin; j < end; j++) {
      const Reflection<T> h = reflect(&c(j, j), m - j);
      factors[j - begin] = h.factor;
      r(j, j) = h.alpha;
      for (int64_t l = j + 1; l < end; l++) add_multiple(-h.factor * dot(&c(j, j), &c(l, j), m - j), &c(j, j), &c(l, j), m - j);
    }
    for (int64_t j = begin; j < end; j++)
      for (int64_t i = begin; i < j; i++) r(i, j) = std::exchange(c(j, i), T(0));
    Block<T>& block = blocks.emplace_back(Block<T>{c.at(begin, begin), end - begin, m - begin, {}});
    join(block, factors);
    apply(products, block, false, c.at(end, begin), n - end);
    for (int64_t j = end; j < n; j++)
      for (int64_t i = begin; i < end; i++) r(i, j) = c(j, i);
  }
  if (!q.data) return;
  std::vector<T> rows(size_t(k * m));
  const MatrixView<T> x = by_rows(rows.data(), m);
  set_identity(x, k, m);
  for (size_t b = blocks.size(); b-- > 0;) {
    const int64_t begin = int64_t(b) * panel;
    apply(products, blocks[b], true, x.at(begin, begin), k - begin);
  }
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < k; j++) q(i, j) = x(j, i);
}

template <class T> bool symmetric_eigen(Products& products, MatrixView<T> a, int64_t n, T* values, MatrixView<T> vectors) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++) a(i, j) = a(j, i);
  const T factor = magnitude<T>(a, n, n);
  if (factor != factor) return false;
  if (factor != 0)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) a(i, j) /= factor;
  std::vector<T> d(static_cast<size_t>(n)), e(static_cast<size_t>(n)), factors(static_cast<size_t>(n)), turned(size_t(n * n));
  tridiagonalize(products, a, n, d, e, factors.data());
  const MatrixView<T> x = by_rows(turned.data(), n);
  set_identity(x, n, n);
  for (int64_t begin = (std::max<int64_t>(0, n - 2)) / panel * panel; begin >= 0 && n > 1; begin -= panel) {
    const int64_t end = std::min(n - 1, begin + panel);
    for (int64_t j = begin; j < end; j++)
      for (int64_t i = begin; i < j; i++) a(j, i + 1) = 0;
    Block<T> block{a.at(begin, begin + 1), end - begin, n - begin - 1, {}};
    join(block, &factors[size_t(begin)]);
    apply(products, block, true, x.at(begin + 1, begin + 1), n - begin - 1);
  }
  Rotations<T> rotations(products, x, n);
  if (!implicit_ql(d, e, rotations)) return false;
  const std::vector<int64_t> order = order_of(d, false);
  for (int64_t i = 0; i < n; i++) {
    values[i] = d[size_t(order[size_t(i)])] * (factor == 0 ? 1 : factor);
    std::copy_n(&x(order[size_t(i)], 0), n, &vectors(i, 0));
  }
  return true;
}

template <class T>
bool singular_values(Products& products, MatrixView<const T> a, int64_t m, int64_t n, T* values, MatrixView<T> u, MatrixView<T> v) {
  T factor = magnitude<T>(a, m, n);
  if (factor != factor) return false;
  if (factor == 0) factor = 1;
  std::vector<T> columns(size_t(n * m)), triangle(size_t(n * n)), left(size_t(m * n)), turned(size_t(n * n)),
      lengths(static_cast<size_t>(n));
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) columns[size_t(j * m + i)] = a(i, j) / factor;
  const MatrixView<T> r = by_rows(triangle.data(), n), q = by_rows(left.data(), n), j = by_rows(turned.data(), n);
  qr(products, columns.data(), m, n, r, q);
  set_identity(j, n, n);
  if (!orthogonalize(products, r, j, n)) return false;
  for (int64_t i = 0; i < n; i++) lengths[size_t(i)] = norm(&r(i, 0), n);
  const std::vector<int64_t> order = order_of(lengths, true);
  std::vector<T> sorted(size_t(n * n));
  for (int64_t i = 0; i < n; i++) {
    const int64_t from = order[size_t(i)];
    const T length = lengths[size_t(from)];
    values[i] = length * factor;
    std::copy_n(&j(from, 0), n, &sorted[size_t(i * n)]);
    std::copy_n(&r(from, 0), n, &v(i, 0));
    if (length > 0) scale(1 / length, &v(i, 0), n);
    else complete(v, i, n);
  }
  products({m, n, n}, MatrixView<const T>(q), MatrixView<const T>(by_rows(sorted.data(), n)).transposed(), u, Into::Set);
  return true;
}

#define WF_INSTANTIATE(T)                                                                                                    \
  template void qr(Products& products, T* columns, int64_t m, int64_t n, MatrixView<T> r, MatrixView<T> q);                  \
  template bool symmetric_eigen(Products& products, MatrixView<T> a, int64_t n, T* values, MatrixView<T> vectors);           \
  template bool singular_values(Products& products, MatrixView<const T> a, int64_t m, int64_t n, T* values, MatrixView<T> u, \
                                MatrixView<T> v);
WF_INSTANTIATE(float)
WF_INSTANTIATE(double)
#undef WF_INSTANTIATE

}  // namespace wf::cpu
