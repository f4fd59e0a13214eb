// Linear algebra on arrays of f32 or f64. A matrix is the last two axes of an array; the axes before them number the matrices of a batch.
//
//     auto x = solve(a, b);                                     // a x = b
//     auto y = largest(matmul(x, w) + b, 0);                    // fused around the product
//     auto [q, r] = qr(a);
//
// capi/warpfold.h states shapes, methods, costs and errors. Everything is lazy: a matrix that is singular or not positive definite is a RangeError
// when the result is computed, which names the pivot. Transposes (t(a)) are read in place.
#pragma once

#include <algorithm>
#include <array>

#include "warpfold/arrays/arrays.hpp"

namespace warpfold {
namespace arrays {

// The rank of a product, and of a triangle's product or a solution.
template <int A, int B> inline constexpr int product_rank = A == 1 && B == 1 ? 0 : A == 1 ? B - 1 : B == 1 ? A - 1 : std::max(A, B);

template <int A, int B> inline constexpr int solution_rank = B == 1 ? A - 1 : std::max(A, B);

namespace linear {

template <class R, class... A> R function(const char* name, const A&... arguments) {
  const std::array<wf_seq*, sizeof...(A)> raw{arguments.raw()...};
  wf_seq* out = nullptr;
  ::warpfold::detail::check(wf_linear(name, raw.data(), static_cast<int32_t>(raw.size()), &out), name);
  return R::own(out);
}

template <size_t n> std::array<wf_seq*, n> factors(const char* name, wf_seq* a) {
  std::array<wf_seq*, n> out{};
  ::warpfold::detail::check(wf_factor(name, a, out.data(), static_cast<int32_t>(n)), name);
  return out;
}

}  // namespace linear

// The product by NumPy's rules for matmul: a vector on the left is a row, on the right a column. Also of integers of 32 or 64 bits.
template <class T, int A, int B> Ranked<T, product_rank<A, B>> matmul(const Array<T, A>& a, const Array<T, B>& b) {
  return Ranked<T, product_rank<A, B>>::own(::warpfold::detail::sequence(wf_matmul, a.raw(), b.raw()));
}
template <class T> Scalar<T> dot(const Array<T, 1>& x, const Array<T, 1>& y) { return matmul(x, y); }
// The n-th power of square matrices, n >= 0.
template <class T, int R> Array<T, R> matrix_power(const Array<T, R>& a, int64_t n) {
  return Array<T, R>::own(::warpfold::detail::sequence(wf_matrix_power, a.raw(), n));
}

// x with a x = b, for vectors or matrices b: by elimination; for a symmetric positive definite a, of which only the lower triangle is read; for
// a = l lT by l; and for the triangle of a, whose diagonal is 1 and not read if `unit`.
template <class T, int A, int B> Array<T, solution_rank<A, B>> solve(const char* form, const Array<T, A>& a, const Array<T, B>& b) {
  return Array<T, solution_rank<A, B>>::own(::warpfold::detail::sequence(wf_solve, form, a.raw(), b.raw()));
}
template <class T, int A, int B> auto solve(const Array<T, A>& a, const Array<T, B>& b) { return solve("general", a, b); }
template <class T, int A, int B> auto solve_positive(const Array<T, A>& a, const Array<T, B>& b) { return solve("positive", a, b); }
template <class T, int A, int B> auto solve_cholesky(const Array<T, A>& l, const Array<T, B>& b) { return solve("cholesky", l, b); }
template <class T, int A, int B> auto solve_lower(const Array<T, A>& a, const Array<T, B>& b, bool unit = false) {
  return solve(unit ? "unit_lower" : "lower", a, b);
}
template <class T, int A, int B> auto solve_upper(const Array<T, A>& a, const Array<T, B>& b, bool unit = false) {
  return solve(unit ? "unit_upper" : "upper", a, b);
}
// The triangle of a times b, vectors or matrices; the rest of a is not read.
template <class T, int A, int B> auto lower_product(const Array<T, A>& a, const Array<T, B>& b, bool unit = false) {
  return linear::function<Array<T, solution_rank<A, B>>>(unit ? "unit_lower_product" : "lower_product", a, b);
}
template <class T, int A, int B> auto upper_product(const Array<T, A>& a, const Array<T, B>& b, bool unit = false) {
  return linear::function<Array<T, solution_rank<A, B>>>(unit ? "unit_upper_product" : "upper_product", a, b);
}
// The triangle of a, and 0 outside.
template <class T, int R> Array<T, R> lower_triangle(const Array<T, R>& a, bool unit = false) {
  return linear::function<Array<T, R>>(unit ? "unit_lower" : "lower", a);
}
template <class T, int R> Array<T, R> upper_triangle(const Array<T, R>& a, bool unit = false) {
  return linear::function<Array<T, R>>(unit ? "unit_upper" : "upper", a);
}

// The lower triangle l with a = l lT.
template <class T, int R> Array<T, R> cholesky(const Array<T, R>& a) {
  return Array<T, R>::own(linear::factors<1>("cholesky", a.raw())[0]);
}

// a = q r: columns of q are orthonormal; r is an upper triangle without negative numbers on its diagonal.
template <class T, int R> struct Qr { Array<T, R> q, r; };
template <class T, int R> Qr<T, R> qr(const Array<T, R>& a) {
  const auto raw = linear::factors<2>("qr", a.raw());
  return {Array<T, R>::own(raw[0]), Array<T, R>::own(raw[1])};
}

// A symmetric a: eigenvalues in ascending order, and a unit eigenvector in each column of `vectors`.
template <class T, int R> struct Eigenvalues {
  Array<T, R - 1> values;
  Array<T, R> vectors;
};
template <class T, int R> Eigenvalues<T, R> eigen(const Array<T, R>& a) {
  const auto raw = linear::factors<2>("eigen", a.raw());
  return {Array<T, R - 1>::own(raw[0]), Array<T, R>::own(raw[1])};
}

// a = u diag(values) v, values in descending order.
template <class T, int R> struct SingularValues {
  Array<T, R> u;
  Array<T, R - 1> values;
  Array<T, R> v;
};
template <class T, int R> SingularValues<T, R> singular_values(const Array<T, R>& a) {
  const auto raw = linear::factors<3>("singular_values", a.raw());
  return {Array<T, R>::own(raw[0]), Array<T, R - 1>::own(raw[1]), Array<T, R>::own(raw[2])};
}

template <class T, int R> Array<T, R> inverse(const Array<T, R>& a) { return linear::function<Array<T, R>>("inverse", a); }
template <class T, int R> Array<T, R> inverse_positive(const Array<T, R>& a) {
  return linear::function<Array<T, R>>("inverse_positive", a);
}
template <class T, int R> Array<T, R> inverse_cholesky(const Array<T, R>& l) {
  return linear::function<Array<T, R>>("inverse_cholesky", l);
}

// The inverse of a triangle, whose diagonal is 1 and not read if `unit`; the rest of a is not read.
template <class T, int R> Array<T, R> inverse_lower(const Array<T, R>& a, bool unit = false) {
  return linear::function<Array<T, R>>(unit ? "inverse_unit_lower" : "inverse_lower", a);
}
template <class T, int R> Array<T, R> inverse_upper(const Array<T, R>& a, bool unit = false) {
  return linear::function<Array<T, R>>(unit ? "inverse_unit_upper" : "inverse_upper", a);
}
// The lower triangle with half of the diagonal, for derivatives of Cholesky's factor.
template <class T, int R> Array<T, R> phi(const Array<T, R>& a) { return linear::function<Array<T, R>>("phi", a); }

// The logarithm of the size of the determinant: of any matrix, a positive definite one, l lT by l, and a triangle.
template <class T, int R> Ranked<T, R - 2> log_determinant(const Array<T, R>& a) {
  return linear::function<Ranked<T, R - 2>>("log_determinant", a);
}
template <class T, int R> Ranked<T, R - 2> log_determinant_positive(const Array<T, R>& a) {
  return linear::function<Ranked<T, R - 2>>("log_determinant_positive", a);
}
template <class T, int R> Ranked<T, R - 2> log_determinant_cholesky(const Array<T, R>& l) {
  return linear::function<Ranked<T, R - 2>>("log_determinant_cholesky", l);
}
template <class T, int R> Ranked<T, R - 2> log_determinant_triangular(const Array<T, R>& a) {
  return linear::function<Ranked<T, R - 2>>("log_determinant_triangular", a);
}
template <class T, int R> Ranked<T, R - 2> trace(const Array<T, R>& a) { return linear::function<Ranked<T, R - 2>>("trace", a); }
// The sum of the products of corresponding elements, and the root of that of squares.
template <class T, int R> Ranked<T, R - 2> frobenius(const Array<T, R>& a, const Array<T, R>& b) {
  return linear::function<Ranked<T, R - 2>>("frobenius", a, b);
}
template <class T, int R> Ranked<T, R - 2> frobenius_norm(const Array<T, R>& a) { return linear::function<Ranked<T, R - 2>>("norm", a); }
// The transpose of a times b, and a times the transpose of b; of vectors, all products of their elements.
template <class T, int R> Array<T, R> inner(const Array<T, R>& a, const Array<T, R>& b) {
  return linear::function<Array<T, R>>("inner", a, b);
}
template <class T, int R> Array<T, std::max(R, 2)> outer(const Array<T, R>& a, const Array<T, R>& b) {
  return linear::function<Array<T, std::max(R, 2)>>("outer", a, b);
}
// Element (i p + k, j q + l) is a[i, j] b[k, l], for b of p x q.
template <class T> Array<T, 2> kronecker(const Array<T, 2>& a, const Array<T, 2>& b) {
  return linear::function<Array<T, 2>>("kronecker", a, b);
}

// Discrete Fourier transforms of complex arrays, whose last axis has the real and the imaginary part: y[k] is the sum of exp(-2 pi i j k / n) x[j],
// along the last one, two or three axes before it. The inverse has the other sign and divides by the number of elements.
template <class T, int R> Array<T, R> fft(const Array<T, R>& a) { return linear::function<Array<T, R>>("fft", a); }
template <class T, int R> Array<T, R> fft2(const Array<T, R>& a) { return linear::function<Array<T, R>>("fft2", a); }
template <class T, int R> Array<T, R> fft3(const Array<T, R>& a) { return linear::function<Array<T, R>>("fft3", a); }
template <class T, int R> Array<T, R> inverse_fft(const Array<T, R>& a) { return linear::function<Array<T, R>>("inverse_fft", a); }
template <class T, int R> Array<T, R> inverse_fft2(const Array<T, R>& a) { return linear::function<Array<T, R>>("inverse_fft2", a); }
template <class T, int R> Array<T, R> inverse_fft3(const Array<T, R>& a) { return linear::function<Array<T, R>>("inverse_fft3", a); }
// The transforms of real numbers. Of the last axis the first n/2 + 1 results are kept, since the others are conjugates of these.
template <class T, int R> Array<T, R + 1> real_fft(const Array<T, R>& a) { return linear::function<Array<T, R + 1>>("real_fft", a); }
template <class T, int R> Array<T, R + 1> real_fft2(const Array<T, R>& a) { return linear::function<Array<T, R + 1>>("real_fft2", a); }
template <class T, int R> Array<T, R + 1> real_fft3(const Array<T, R>& a) { return linear::function<Array<T, R + 1>>("real_fft3", a); }
// The real numbers of which these are the results: 2 (n - 1) along the last axis for n results, with `odd` one more.
template <class T, int R> Array<T, R - 1> inverse_real_fft(const Array<T, R>& a, bool odd = false) {
  return linear::function<Array<T, R - 1>>(odd ? "inverse_real_fft_odd" : "inverse_real_fft", a);
}
template <class T, int R> Array<T, R - 1> inverse_real_fft2(const Array<T, R>& a, bool odd = false) {
  return linear::function<Array<T, R - 1>>(odd ? "inverse_real_fft2_odd" : "inverse_real_fft2", a);
}
template <class T, int R> Array<T, R - 1> inverse_real_fft3(const Array<T, R>& a, bool odd = false) {
  return linear::function<Array<T, R - 1>>(odd ? "inverse_real_fft3_odd" : "inverse_real_fft3", a);
}

// Element (.., i, j) is the sum of kernel[p, q] image[.., i + p, j + q].
template <class T, int R> Array<T, R> convolve(const Array<T, R>& image, const Array<T, 2>& kernel) {
  return Array<T, R>::own(::warpfold::detail::sequence(wf_convolve, image.raw(), kernel.raw()));
}
// The largest element of each block of rows x columns.
template <class T, int R> Array<T, R> max_pool(const Array<T, R>& image, int64_t rows, int64_t columns) {
  return Array<T, R>::own(::warpfold::detail::sequence(wf_max_pool, image.raw(), rows, columns));
}

// The names of BLAS, and of MGL-MAT: geem multiplies element by element, geerv every row by the vector x.
template <class T, int R> Array<T, R> scal(std::type_identity_t<T> alpha, const Array<T, R>& x) { return alpha * x; }
template <class T, int R> Array<T, R> axpy(std::type_identity_t<T> alpha, const Array<T, R>& x, const Array<T, R>& y) {
  return alpha * x + y;
}
template <class T, int R> Scalar<T> asum(const Array<T, R>& x) { return sum(abs(x)); }
template <class T> Scalar<T> nrm2(const Array<T, 1>& x) { return norm(x); }
template <class T, int R>
Array<T, R> gemm(std::type_identity_t<T> alpha, const Array<T, R>& a, const Array<T, R>& b, std::type_identity_t<T> beta,
                 const Array<T, R>& c) {
  return alpha * matmul(a, b) + beta * c;
}
template <class T, int R>
Array<T, R> geem(std::type_identity_t<T> alpha, const Array<T, R>& a, const Array<T, R>& b, std::type_identity_t<T> beta,
                 const Array<T, R>& c) {
  return alpha * a * b + beta * c;
}
template <class T>
Array<T, 2> geerv(std::type_identity_t<T> alpha, const Array<T, 2>& a, const std::type_identity_t<Array<T, 1>>& x,
                  std::type_identity_t<T> beta, const Array<T, 2>& b) {
  return alpha * a * x + beta * b;
}
// diag(scales) a, and a diag(scales).
template <class T> Array<T, 2> scale_rows(const std::type_identity_t<Array<T, 1>>& scales, const Array<T, 2>& a) {
  return insert_axis(scales, 1) * a;
}
template <class T> Array<T, 2> scale_columns(const Array<T, 2>& a, const std::type_identity_t<Array<T, 1>>& scales) { return a * scales; }

}  // namespace arrays

WARPFOLD_OF_SEQUENCES(matmul)
WARPFOLD_OF_SEQUENCES(solve)
WARPFOLD_OF_SEQUENCES(solve_positive)
WARPFOLD_OF_SEQUENCES(solve_cholesky)
WARPFOLD_OF_SEQUENCES(solve_lower)
WARPFOLD_OF_SEQUENCES(solve_upper)
WARPFOLD_OF_SEQUENCES(lower_product)
WARPFOLD_OF_SEQUENCES(upper_product)
WARPFOLD_OF_SEQUENCES(outer)
WARPFOLD_OF_SEQUENCES(scal)
WARPFOLD_OF_SEQUENCES(axpy)
WARPFOLD_OF_SEQUENCES(asum)
WARPFOLD_OF_SEQUENCES(nrm2)
WARPFOLD_OF_SEQUENCES(real_fft)
#undef WARPFOLD_OF_SEQUENCES

}  // namespace warpfold
