// Matrices of tests: host values, and the same as nodes.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "oracle/graph.h"

namespace matrices {

template <class T> struct Matrix {
  int64_t rows, columns;
  std::vector<T> elements = std::vector<T>(size_t(rows * columns));
  T& operator()(int64_t i, int64_t j) { return elements[size_t(i * columns + j)]; }
  const T& operator()(int64_t i, int64_t j) const { return elements[size_t(i * columns + j)]; }
};

template <class T> Matrix<T> random(int64_t rows, int64_t columns, unsigned seed = 1) {
  std::mt19937_64 bits(seed);
  Matrix<T> m{rows, columns};
  for (T& x : m.elements) {
    if constexpr (std::is_floating_point_v<T>) x = T(double(bits() >> 11) * 0x1p-52 - 1);
    else x = T(bits());
  }
  return m;
}

template <class T> Matrix<T> transposed(const Matrix<T>& a) {
  Matrix<T> t{a.columns, a.rows};
  for (int64_t i = 0; i < a.rows; i++)
    for (int64_t j = 0; j < a.columns; j++) t(j, i) = a(i, j);
  return t;
}

// The product by a plain loop, in f64 for floats.
template <class T> Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c{a.rows, b.columns};
  for (int64_t i = 0; i < a.rows; i++)
    for (int64_t j = 0; j < b.columns; j++) {
      std::conditional_t<std::is_floating_point_v<T>, double, uint64_t> sum = 0;
      for (int64_t p = 0; p < a.columns; p++) sum += static_cast<decltype(sum)>(a(i, p)) * static_cast<decltype(sum)>(b(p, j));
      c(i, j) = T(sum);
    }
  return c;
}

template <class T> Matrix<T> identity(int64_t n) {
  Matrix<T> m{n, n};
  for (int64_t i = 0; i < n; i++) m(i, i) = 1;
  return m;
}

// a aT + n, which is positive definite
template <class T> Matrix<T> positive(int64_t n, unsigned seed = 2) {
  const Matrix<T> a = random<T>(n, n, seed);
  Matrix<T> s = product(a, transposed(a));
  for (int64_t i = 0; i < n; i++) s(i, i) += T(n);
  return s;
}

template <class T> Matrix<T> triangle(Matrix<T> a, bool upper, bool unit = false) {
  for (int64_t i = 0; i < a.rows; i++)
    for (int64_t j = 0; j < a.columns; j++) {
      if (upper ? i > j : i < j) a(i, j) = 0;
      if (unit && i == j) a(i, j) = 1;
    }
  return a;
}

inline wf::NodeRef shaped(const wf::NodeRef& s, const std::vector<int64_t>& extents) { return wf::reshape(s, extents); }
template <class T> wf::NodeRef node(const Matrix<T>& m) { return shaped(graph::source(m.elements), {m.rows, m.columns}); }
inline wf::NodeRef flipped(const wf::NodeRef& s) {
  std::vector<int32_t> axes;
  for (int k = 0; k < s->rank(); k++) axes.push_back(k);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return wf::permute(s, axes);
}

inline std::vector<int64_t> extents(const wf::NodeRef& s) {
  const wf::Shape shape = s->shape();
  return {shape.extents().begin(), shape.extents().end()};
}

template <class T> Matrix<T> value(const wf::NodeRef& s) {
  const std::vector<int64_t> all = extents(s);
  Matrix<T> m{all.at(0), all.at(1)};
  m.elements = graph::elements<T>(s);
  return m;
}

// The euclidean norm, of numbers of any size.
inline double norm_of(const std::vector<double>& x) {
  double largest = 0, sum = 0;
  for (double e : x) largest = std::max(largest, std::abs(e));
  if (largest == 0) return 0;
  for (double e : x) sum += e / largest * (e / largest);
  return largest * std::sqrt(sum);
}
template <class T> double size_of_elements(const Matrix<T>& a) { return norm_of({a.elements.begin(), a.elements.end()}); }

// The norm of x - y, in units of rounding errors of the norm of y and of `scale`. NaN is large.
template <class T> double distance(const Matrix<T>& x, const Matrix<T>& y, double scale = 0) {
  if (x.rows != y.rows || x.columns != y.columns) return std::numeric_limits<double>::infinity();
  std::vector<double> difference;
  for (size_t k = 0; k < x.elements.size(); k++) difference.push_back(double(x.elements[k]) - double(y.elements[k]));
  for (double d : difference)
    if (!(std::abs(d) < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
  const double size = norm_of(difference);
  return size == 0 ? 0 : size / std::max(size_of_elements(y), scale) / double(std::numeric_limits<T>::epsilon());
}

inline std::string error(const wf::NodeRef& node) {
  try {
    wf::force({&node, 1});
  } catch (const std::exception& e) { return e.what(); }
  return "";
}

}  // namespace matrices
