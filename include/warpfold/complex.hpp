// Complex numbers as elements: std::complex<T> on the host, and in a traced function Complex, whose parts are expressions.
//
//     Seq<std::complex<float>> z(numbers);
//     auto turned = map([](auto z) { return z * Complex{cos(0.5f), sin(0.5f)}; }, z);
//     auto spectrum = fft(z);
//
// Memory has two columns, real and imaginary parts. Products and quotients are those of the formulas, without the rules of C's Annex G for infinities.
#pragma once

#include <complex>

#include "warpfold/linear.hpp"

namespace warpfold {

template <class Real> struct Complex { Real re, im; };
template <class A, class B> Complex(A, B) -> Complex<decltype(std::declval<A>() + std::declval<B>())>;

template <std::floating_point T> struct Fields<std::complex<T>> {
  template <class Z> static auto tie(Z& z) {
    using Part = std::conditional_t<std::is_const_v<Z>, const T, T>;
    auto* parts = reinterpret_cast<Part*>(&z);  // which the standard allows
    return std::tie(parts[0], parts[1]);
  }
};

namespace tracing {

template <std::floating_point T> struct ExprOf<std::complex<T>> { using type = Complex<Expr<T>>; };
template <class A>
requires is_expr<A>
struct ValueOf<Complex<A>> {
  using type = std::complex<ValueFor<A>>;
};

}  // namespace tracing

namespace detail {

template <class Z> inline constexpr bool is_complex = false;
template <class R> inline constexpr bool is_complex<Complex<R>> = true;

template <class Z> inline constexpr bool has_parts = is_complex<Z>;
template <class T> inline constexpr bool has_parts<std::complex<T>> = true;

template <class R> const Complex<R>& parts_of(const Complex<R>& z) { return z; }
template <class T> Complex<T> parts_of(const std::complex<T>& z) { return {z.real(), z.imag()}; }

}  // namespace detail

// One operand is a Complex; the other one too, a std::complex, or real.
template <class Z, class W>
concept ComplexOperands = detail::is_complex<Z> || detail::is_complex<W>;

template <class Z, class W>
requires ComplexOperands<Z, W>
auto operator+(const Z& z, const W& w) {
  if constexpr (!detail::has_parts<Z>) return w + z;
  else if constexpr (!detail::has_parts<W>) return Complex{z.re + w, z.im};
  else return Complex{detail::parts_of(z).re + detail::parts_of(w).re, detail::parts_of(z).im + detail::parts_of(w).im};
}
template <class R> Complex<R> operator-(const Complex<R>& z) { return {-z.re, -z.im}; }
template <class Z, class W>
requires ComplexOperands<Z, W>
auto operator-(const Z& z, const W& w) {
  if constexpr (!detail::has_parts<Z>) return Complex{z - w.re, -w.im};
  else if constexpr (!detail::has_parts<W>) return Complex{z.re - w, z.im};
  else return Complex{detail::parts_of(z).re - detail::parts_of(w).re, detail::parts_of(z).im - detail::parts_of(w).im};
}
template <class Z, class W>
requires ComplexOperands<Z, W>
auto operator*(const Z& z, const W& w) {
  if constexpr (!detail::has_parts<Z>) return w * z;
  else if constexpr (!detail::has_parts<W>) return Complex{z.re * w, z.im * w};
  else {
    const auto& x = detail::parts_of(z);
    const auto& y = detail::parts_of(w);
    return Complex{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
}
template <class R> R norm(const Complex<R>& z) { return z.re * z.re + z.im * z.im; }
template <class R> Complex<R> conj(const Complex<R>& z) { return {z.re, -z.im}; }
template <class Z, class W>
requires ComplexOperands<Z, W>
auto operator/(const Z& z, const W& w) {
  if constexpr (!detail::has_parts<W>) return Complex{z.re / w, z.im / w};
  else {
    const auto& y = detail::parts_of(w);
    const auto square = y.re * y.re + y.im * y.im;
    return z * Complex{y.re / square, -y.im / square};
  }
}
template <class Z, class W>
requires ComplexOperands<Z, W>
auto operator==(const Z& z, const W& w) {
  return detail::parts_of(z).re == detail::parts_of(w).re && detail::parts_of(z).im == detail::parts_of(w).im;
}

template <class R> R real(const Complex<R>& z) { return z.re; }
template <class R> R imag(const Complex<R>& z) { return z.im; }
template <class R> R abs(const Complex<R>& z) { return hypot(z.re, z.im); }
template <class R> R arg(const Complex<R>& z) { return atan2(z.im, z.re); }
template <class R> Complex<R> exp(const Complex<R>& z) {
  const R size = exp(z.re);
  return {size * cos(z.im), size * sin(z.im)};
}
template <class R> Complex<R> log(const Complex<R>& z) { return {log(abs(z)), arg(z)}; }

// ---- whole arrays -----------------------------------------------------------------------------------------------------

namespace arrays {

// The real and imaginary parts along a further axis, and back.
template <class T, int R> Array<T, R + 1> parts_of(const Array<std::complex<T>, R>& a) {
  Shape<R + 1> shape;
  std::ranges::copy(a.shape(), shape.begin());
  shape[R] = 2;
  const Seq<std::complex<T>> z = a.flat();
  const auto part = [z](auto i) {
    const auto x = z[i / int64_t{2}];
    return where(i % int64_t{2} == 0, x.re, x.im);
  };
  return {tabulate(part, 2 * length_of(a.shape())), shape};
}
template <class T, int R> Array<std::complex<T>, R - 1> complex_of(const Array<T, R>& a) {
  Shape<R - 1> shape;
  std::copy_n(a.shape().begin(), R - 1, shape.begin());
  const Seq<T> x = a.flat();
  return {tabulate([x](auto i) { return Complex{x[2 * i], x[2 * i + 1]}; }, length_of(a.shape()) / 2), shape};
}

#define WARPFOLD_COMPLEX(name) \
  template <class T, int R> Array<std::complex<T>, R> name(const Array<std::complex<T>, R>& a) { return complex_of(name(parts_of(a))); }
WARPFOLD_COMPLEX(fft)
WARPFOLD_COMPLEX(fft2)
WARPFOLD_COMPLEX(fft3)
WARPFOLD_COMPLEX(inverse_fft)
WARPFOLD_COMPLEX(inverse_fft2)
WARPFOLD_COMPLEX(inverse_fft3)
#undef WARPFOLD_COMPLEX

}  // namespace arrays

template <class T> Seq<std::complex<T>> fft(const Seq<std::complex<T>>& s) { return arrays::fft(arrays::as_array(s)); }
template <class T> Seq<std::complex<T>> inverse_fft(const Seq<std::complex<T>>& s) { return arrays::inverse_fft(arrays::as_array(s)); }

}  // namespace warpfold
