#include "cpu/linear/reflections.h"

#include <cmath>
#include <limits>
#include <utility>

#include "cpu/linear/orthogonal.h"
#include "cpu/linear/vectors.h"

namespace wf::cpu {
namespace {

// Computes t.
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

}  // namespace

template <class T> Reflection<T> reflect(T* x, int64_t n) {
  T rest = norm(x + 1, n - 1), first = x[0], unit = 1;
  x[0] = 1;
  if (rest == 0) return {0, first};
  // Quotients of subnormal numbers are not accurate.
  if (std::max(rest, std::abs(first)) < std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon()) {
    unit = std::numeric_limits<T>::min();
    for (int64_t i = 1; i < n; i++) x[i] /= unit;
    rest = norm(x + 1, n - 1);
    first /= unit;
  }
  const T alpha = -std::copysign(std::hypot(first, rest), first), pivot = first - alpha;
  for (int64_t i = 1; i < n; i++) x[i] /= pivot;
  return {(alpha - first) / alpha, alpha * unit};
}

template <class T>
void accumulate(Products& products, const std::vector<Block<T>>& blocks, int64_t shift, MatrixView<T> x, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < n; j++) x(i, j) = T(i == j);
  for (size_t b = blocks.size(); b-- > 0;) {
    const int64_t begin = int64_t(b) * panel + shift;
    apply(products, blocks[b], true, x.at(begin, begin), rows - begin);
  }
}

template <class T> std::vector<Block<T>> blocks_of(MatrixView<T> v, int64_t count, int64_t n, int64_t shift, const T* factors) {
  std::vector<Block<T>> blocks;
  for (int64_t begin = 0; begin < count; begin += panel) {
    const int64_t end = std::min(count, begin + panel);
    for (int64_t j = begin; j < end; j++)
      for (int64_t i = begin; i < j; i++) v(j, i + shift) = 0;
    Block<T>& block = blocks.emplace_back(Block<T>{v.at(begin, begin + shift), end - begin, n - begin - shift, {}});
    join(block, factors + begin);
  }
  return blocks;
}

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
  accumulate(products, blocks, 0, x, k, m);
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < k; j++) q(i, j) = x(j, i);
}

#define WF_INSTANTIATE(T)                                                                                                         \
  template Reflection<T> reflect(T* x, int64_t n);                                                                                \
  template void accumulate(Products& products, const std::vector<Block<T>>& blocks, int64_t shift, MatrixView<T> x, int64_t rows, \
                           int64_t n);                                                                                            \
  template std::vector<Block<T>> blocks_of(MatrixView<T> v, int64_t count, int64_t n, int64_t shift, const T* factors);           \
  template void qr(Products& products, T* columns, int64_t m, int64_t n, MatrixView<T> r, MatrixView<T> q);
WF_INSTANTIATE(float)
WF_INSTANTIATE(double)
#undef WF_INSTANTIATE

}  // namespace wf::cpu
