// Rotations of adjacent rows of a matrix, applied in groups to strips of columns that stay in L2 (Van Zee, van de Geijn and Quintana-Orti,
// "Restructuring the tridiagonal and bidiagonal QR algorithms for performance", 2014).
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "cpu/linear/reflections.h"
#include "cpu/linear/vectors.h"

namespace wf::cpu {

template <class T> class Rotations {
 public:
  Rotations(Products& products, MatrixView<const T> x, int64_t rows, int64_t columns)
      : products_(products),
        rows_(rows),
        columns_(columns),
        strips_((columns + width - 1) / width),
        memory_(Buffer::make(products.pool(), size_t(std::max<int64_t>(1, strips_ * rows * width)) * sizeof(T))),
        elements_(reinterpret_cast<T*>(memory_->host_for_writing())) {
    for (int64_t s = 0; s < strips_; s++)
      for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < width; j++) at(s, i)[j] = s * width + j < columns ? x(i, s * width + j) : T(0);
  }

  // Rows i and i + 1, x and y, become c x - s y and s x + c y.
  void add(int64_t i, T c, T s) {
    all_.push_back({i, c, s});
    if (all_.size() >= most) flush();
  }
  void flush() {
    for_parts(products_, strips_, 2 * width * int64_t(all_.size()), [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; s++) vector_loops<T>().rotate(all_.data(), int64_t(all_.size()), at(s, 0));
    });
    all_.clear();
  }
  // sign * row i, after flush.
  void copy_row(int64_t i, T sign, T* to) const {
    for (int64_t j = 0; j < columns_; j++) to[j] = sign * at(j / width, i)[j % width];
  }

 private:
  static constexpr size_t most = 1 << 13;
  static constexpr int64_t width = strip_columns<T>;
  T* at(int64_t strip, int64_t i) const { return elements_ + (strip * rows_ + i) * width; }

  Products& products_;
  const int64_t rows_, columns_, strips_;
  const BufferRef memory_;
  T* const elements_;
  std::vector<Rotation<T>> all_;
};

// sqrt(f f + g g)
template <class T> T length_of(T f, T g) {
  const T squares = f * f + g * g;
  constexpr T least = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  return squares > least && squares < 1 / least ? std::sqrt(squares) : std::hypot(f, g);
}

// The largest magnitude of the elements of a matrix with two diagonals.
template <class T> T largest_of(const std::vector<T>& d, const std::vector<T>& e) {
  T largest = 0;
  for (size_t i = 0; i < d.size(); i++) largest = std::max({largest, std::abs(d[i]), std::abs(e[i])});
  return largest;
}

// The numbers of x in ascending order, or in descending order.
template <class T> std::vector<int64_t> order_of(const std::vector<T>& x, bool descending) {
  std::vector<int64_t> order(x.size());
  std::iota(order.begin(), order.end(), int64_t(0));
  std::ranges::stable_sort(order,
                           [&](int64_t i, int64_t j) { return descending ? x[size_t(i)] > x[size_t(j)] : x[size_t(i)] < x[size_t(j)]; });
  return order;
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

}  // namespace wf::cpu
