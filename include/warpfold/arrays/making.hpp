// Arrays from nothing: constants, counting numbers, functions of several indices.
#pragma once

#include "warpfold/arrays/elementwise.hpp"

namespace warpfold {
namespace arrays {

// f(i, j, ...) for all indices within the shape.
template <class F, size_t r> auto array_of(F f, const std::array<int64_t, r>& shape, const Context& context = default_context()) {
  for (int64_t extent : shape)
    if (extent < 0) throw SizeError("array: the shape is " + text_of(shape) + "; expected extents that are not negative");
  auto of_index = [&]<class I>(const I& index) {
    std::array<I, r> indices = [&]<size_t... k>(std::index_sequence<k...>) { return std::array<I, r>{((void)k, index)...}; }
    (std::make_index_sequence<r>{});
    I rest = index;
    for (size_t k = r; k-- > 0;) {
      indices[k] = k == 0 ? rest : rest % shape[k];
      if (k > 0) rest = rest / shape[k];
    }
    return std::apply(f, indices);
  };
  auto flat = tabulate(of_index, length_of(shape), context);
  return Array<typename decltype(flat)::value_type, static_cast<int>(r)>(flat, shape);
}
// f(i, j, ...) for all indices below the extents; f takes one int64 for each axis.
//     array([](auto i, auto j) { return i == j; }, 3, 3)
template <class F, Extent... I>
requires(sizeof...(I) > 0) auto array(F f, I... extents) { return array_of(f, shape_of(extents...)); }

template <Element T, Extent... I> Array<Stored<T>, sizeof...(I)> equal_elements(T value, I... extents) {
  return array([value](auto...) { return Expr<Stored<T>>(value); }, extents...);
}
// Equal elements. With one extent: see fill of sequences.
template <Element T, Extent... I>
requires(sizeof...(I) > 1) auto fill(T value, I... extents) { return equal_elements(value, extents...); }
template <Element T = float, Extent... I> auto zeros(I... extents) { return equal_elements(T(0), extents...); }
template <Element T = float, Extent... I> auto ones(I... extents) { return equal_elements(T(1), extents...); }
// 0, 1, 2, ... in row-major order.
template <Element T = int64_t, Extent... I>
requires(sizeof...(I) > 1) Array<T, sizeof...(I)> iota(I... extents) {
  const auto shape = shape_of(extents...);
  return Array<T, sizeof...(I)>(warpfold::iota<T>(length_of(shape)), shape);
}
// 1 on the diagonal, and 0 elsewhere.
template <Element T = float> Array<T, 2> eye(int64_t m, int64_t n) {
  return array([](auto i, auto j) { return tracing::cast<T>(i == j); }, m, n);
}
template <Element T = float> Array<T, 2> eye(int64_t n) { return eye<T>(n, n); }
// The matrix that has the elements of s on its diagonal, and 0 elsewhere.
template <Element T> Array<T, 2> diagonal(const Seq<T>& s) {
  const int64_t n = s.size();
  return array([&](auto i, auto j) { return where(i == j, s[i], T{}); }, n, n);
}
template <Element T> Array<T, 2> diagonal(const Array<T, 1>& s) { return diagonal(s.flat()); }

}  // namespace arrays
}  // namespace warpfold
