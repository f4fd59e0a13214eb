// Eigenvalues by a tridiagonal matrix (Dongarra, Sorensen and Hammarling, "Block reduction of matrices to condensed forms", 1989) and implicit QL
// steps (Dubrulle, Martin and Wilkinson, 1968).
#include "cpu/linear/orthogonal.h"
#include "cpu/linear/rotations.h"
#include "cpu/linear/triangular.h"

namespace wf::cpu {
namespace {

constexpr int most_steps_per_eigenvalue = 60;
constexpr int64_t matrix_pieces = 8;  // of a symmetric matrix that workers multiply by a vector
constexpr int64_t few_blocks = 16;    // that one worker multiplies alone

// The upper triangle of c -= a b, which is symmetric, for b of k x n, and the squares of panel x panel on the diagonal.
template <class T>
void subtract_upper(Products& products, MatrixView<const T> a, MatrixView<const T> b, int64_t n, int64_t k, MatrixView<T> c) {
  if (n <= wide_square) return products({n, n, k}, a, b, c, Into::Subtract);
  const int64_t h = n / 2 / panel * panel;
  subtract_upper(products, a, b, h, k, c);
  products({h, n - h, k}, a, b.at(0, h), c.at(0, h), Into::Subtract);
  subtract_upper(products, a.at(h, 0), b.at(0, h), n - h, k, c.at(h, h));
}

// p = a v from row and column `first` on. Reads the upper triangle of a, and squares of panel x panel on the diagonal.
template <class T> class SymmetricTimes {
 public:
  SymmetricTimes(const Products& products, MatrixView<const T> a, int64_t n)
      : products_(products), a_(a), n_(n), sums_(size_t(matrix_pieces * n)) {}

  void operator()(int64_t first, const T* v, T* p) {
    // The pieces depend on n alone, so that the sum does not depend on the number of workers.
    const int64_t begin = first / panel, blocks = (n_ + panel - 1) / panel - begin;
    const int64_t pieces = blocks <= few_blocks ? 1 : matrix_pieces;
    auto add = [&](int64_t from, int64_t to) {
      for (int64_t piece = from; piece < to; piece++) {
        T* const sum = &sums_[size_t(piece * n_)];
        std::fill(sum + first, sum + n_, T(0));
        for (int64_t block = piece; block < blocks; block += pieces) add_block(first, begin + block, v, sum);
      }
    };
    if (pieces == 1 || products_.workers() == 1) add(0, pieces);
    else for_pieces(pieces, 1, add);
    std::copy(&sums_[size_t(first)], sums_.data() + n_, p + first);
    for (int64_t piece = 1; piece < pieces; piece++) add_multiple<T>(1, &sums_[size_t(piece * n_ + first)], p + first, n_ - first);
  }

 private:
  void add_block(int64_t first, int64_t block, const T* v, T* sum) const {
    const int64_t begin = std::max(first, block * panel), end = std::min(n_, (block + 1) * panel);
    T own[panel], right[panel];
    vector_loops<T>().times(&a_(begin, begin), a_.row, end - begin, end - begin, v + begin, own);
    vector_loops<T>().times_and_add_rows(a_.data + begin * a_.row + end, a_.row, end - begin, n_ - end, v + end, right, v + begin,
                                         sum + end);
    for (int64_t i = begin; i < end; i++) sum[i] += own[i - begin] + right[i - begin];
  }

  const Products& products_;
  const MatrixView<const T> a_;
  const int64_t n_;
  std::vector<T> sums_;
};

// The symmetric a becomes tridiagonal, by d and e; row j of a becomes the vector of the j-th reflection, from element j + 1 on. A panel of
// reflections v changes a to a - vT w - wT v. Rows of the panel are changed one by one, the rest of a afterwards.
template <class T> void tridiagonalize(Products& products, MatrixView<T> a, int64_t n, T* d, T* e, T* factors) {
  std::vector<T> stack(size_t(3 * panel * n));
  const MatrixView<T> v = by_rows(stack.data(), n), w = v.at(panel, 0), again = w.at(panel, 0);
  SymmetricTimes<T> times(products, a, n);
  for (int64_t begin = 0; begin < n; begin += panel) {
    const int64_t end = std::min(n, begin + panel);
    for (int64_t j = begin; j < end; j++) {
      T* const row = &a(j, 0);
      for (int64_t k = 0; k < j - begin; k++) {
        add_multiple(-v(k, j), &w(k, j), row + j, n - j);
        add_multiple(-w(k, j), &v(k, j), row + j, n - j);
      }
      d[j] = row[j];
      const int64_t first = j + 1, rest = n - first;
      if (rest == 0) return;
      const Reflection<T> h = reflect(row + first, rest);
      factors[j] = h.factor;
      e[j] = h.alpha;
      T* const p = &w(j - begin, 0);
      times(first, row, p);
      for (int64_t k = 0; k < j - begin; k++) {
        const T by_v = dot(&v(k, first), row + first, rest), by_w = dot(&w(k, first), row + first, rest);
        add_multiple(-by_w, &v(k, first), p + first, rest);
        add_multiple(-by_v, &w(k, first), p + first, rest);
      }
      scale(h.factor, p + first, rest);
      add_multiple(-h.factor / 2 * dot(p + first, row + first, rest), row + first, p + first, rest);
      std::copy_n(row + first, rest, &v(j - begin, first));
      std::copy_n(row + first, rest, &again(j - begin, first));
    }
    subtract_upper<T>(products, v.at(0, end).transposed(), w.at(0, end), n - end, 2 * panel, a.at(end, end));
  }
}

// Diagonal d and, below it, e become eigenvalues; `rotations` turns the rows of a matrix along, which are in reverse order.
template <class T> bool implicit_ql(std::vector<T>& d, std::vector<T>& e, Rotations<T>& rotations) {
  const int64_t n = int64_t(d.size());
  const T negligible = std::numeric_limits<T>::epsilon() / 2 * largest_of(d, e);
  for (int64_t l = 0; l < n; l++)
    for (int step = 0;; step++) {
      int64_t m = l;
      while (m + 1 < n && std::abs(e[m]) > negligible) m++;
      if (m == l) break;
      if (step == most_steps_per_eigenvalue) return false;
      const T ratio = (d[l + 1] - d[l]) / (2 * e[l]);
      T g = d[m] - d[l] + e[l] / (ratio + std::copysign(std::hypot(ratio, T(1)), ratio));
      T s = 1, c = 1, shift = 0;
      int64_t i = m - 1;
      for (; i >= l; i--) {
        const T f = s * e[i], b = c * e[i], length = length_of(f, g);
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
        rotations.add(n - 2 - i, c, -s);
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

}  // namespace

template <class T> bool symmetric_eigen(Products& products, MatrixView<T> a, int64_t n, T* values, MatrixView<T> vectors) {
  if (n == 0) return true;
  for (int64_t i = 0; i < n; i++, look_for_cancellation())
    for (int64_t j = i + 1; j < n; j++) a(i, j) = a(j, i);
  const T factor = magnitude<T>(a, n, n);
  if (factor != factor) return false;
  if (factor != 0)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) a(i, j) /= factor;
  std::vector<T> d(static_cast<size_t>(n)), e(static_cast<size_t>(n)), factors(static_cast<size_t>(n));
  tridiagonalize(products, a, n, d.data(), e.data(), factors.data());
  accumulate(products, blocks_of(a, n - 1, n, 1, factors.data()), 1, vectors, n, n);
  Rotations<T> rotations(products, rows_reversed<const T>(vectors, n), n, n);
  if (!implicit_ql(d, e, rotations)) return false;
  const std::vector<int64_t> order = order_of(d, false);
  for (int64_t i = 0; i < n; i++) {
    const int64_t from = order[size_t(i)];
    values[i] = d[size_t(from)] * (factor == 0 ? 1 : factor);
    rotations.copy_row(n - 1 - from, 1, &vectors(i, 0));
  }
  return true;
}

template bool symmetric_eigen(Products& products, MatrixView<float> a, int64_t n, float* values, MatrixView<float> vectors);
template bool symmetric_eigen(Products& products, MatrixView<double> a, int64_t n, double* values, MatrixView<double> vectors);

}  // namespace wf::cpu
