// Reductions by name, of sequences and of sequences inside traced functions (inner.hpp). min(s) and max(s) are in named.hpp.
//
//     auto norms = tabulate([&](auto i) { auto row = subseq(a, i * m, m); return sqrt(dot(row, row)); }, n);
#pragma once

#include "warpfold/primitives.hpp"

namespace warpfold {
namespace tracing {

// Bools are summed as int64; f32 stays a float, all other types become f64.
template <class T> using SumOf = std::conditional_t<std::is_same_v<T, bool>, int64_t, T>;
template <class T> using FloatOf = std::conditional_t<std::is_same_v<T, float>, float, double>;
template <class A> struct ElementOf { using type = ValueFor<A>; };
template <class A>
requires has_axes<A>
struct ElementOf<A> {
  using type = typename A::value_type;
};
template <class A> auto summands(const A& a) {
  if constexpr (std::is_same_v<typename ElementOf<A>::type, bool>) return cast<int64_t>(a);
  else return a;
}

// The reductions of one value, an array of rank 0. With an axis, they do nothing but report the remedy.
#define WARPFOLD_OF_ONE(name, result)                                              \
  template <class A>                                                               \
  requires Operand<A>                                                              \
  auto name(const A& x) { return result; }                                         \
  template <class A, class... Axes>                                                \
  requires(Operand<A> && sizeof...(Axes) > 0) A name(const A& x, const Axes&...) { \
    static_assert(detail::never<A>, "one value has no axes: write " #name "(x)");  \
    return x;                                                                      \
  }
WARPFOLD_OF_ONE(sum, summands(x))
WARPFOLD_OF_ONE(product, summands(x))
WARPFOLD_OF_ONE(least, x)
WARPFOLD_OF_ONE(largest, x)
WARPFOLD_OF_ONE(any, cast<bool>(x))
WARPFOLD_OF_ONE(all, cast<bool>(x))
WARPFOLD_OF_ONE(count, cast<int64_t>(cast<bool>(x)))
WARPFOLD_OF_ONE(mean, cast<FloatOf<ValueFor<A>>>(x))
WARPFOLD_OF_ONE(variance, mean(x) - mean(x))
WARPFOLD_OF_ONE(norm, abs(mean(x)))
WARPFOLD_OF_ONE(logsumexp, mean(x))
#undef WARPFOLD_OF_ONE

}  // namespace tracing

using tracing::all;
using tracing::any;
using tracing::count;
using tracing::largest;
using tracing::least;
using tracing::logsumexp;
using tracing::mean;
using tracing::norm;
using tracing::product;
using tracing::sum;
using tracing::variance;

// The sum of the elements, numbers, in their type, and of bools as int64; 0 for an empty s. Integers wrap in it, as with std::reduce: a sum of
// bytes is computed in a wider type by sum(cast<int64_t>(s)).
template <class T> Scalar<tracing::SumOf<T>> sum(const Seq<T>& s) { return reduce(plus, tracing::summands(s)); }
// The product of the elements in the same type; 1 for an empty s.
template <class T> Scalar<tracing::SumOf<T>> product(const Seq<T>& s) { return reduce(times, tracing::summands(s)); }
// The least and the largest element, as min(s) and max(s).
template <Element T> Scalar<T> least(const Seq<T>& s) { return reduce(min, s); }
template <Element T> Scalar<T> largest(const Seq<T>& s) { return reduce(max, s); }
// The sum of the products of elements at the same position. Throws SizeError if the lengths differ.
template <class T> auto dot(const Seq<T>& s, const Seq<T>& t) {
  return sum(map([](const auto& x, const auto& y) { return x * y; }, s, t));
}
// The number of elements for which f is true.
template <class F, class T> Scalar<int64_t> count(F f, const Seq<T>& s) { return length(filter(f, s)); }
// True if f is true for all elements, or for any of them; true and false for an empty s. The CPU engine stops soon after an element that decides.
template <class F, class T> Scalar<bool> all(F f, const Seq<T>& s) { return reduce(logical_and, true, map(f, s)); }
template <class F, class T> Scalar<bool> any(F f, const Seq<T>& s) { return reduce(logical_or, false, map(f, s)); }
inline Scalar<bool> all(const Seq<bool>& s) { return reduce(logical_and, true, s); }
inline Scalar<bool> any(const Seq<bool>& s) { return reduce(logical_or, false, s); }

namespace detail {
template <class S> struct Combined {};
template <class S>
requires tracing::has_axes<S>
struct Combined<S> {
  using type = typename S::value_type;
};
template <class S>
requires tracing::has_axes<typename S::value_type>
struct Combined<S> : Combined<typename S::value_type> {
};
template <class B, class S>
concept WrongIdentity = !std::is_convertible_v<B, typename Combined<S>::type> ||
                        (std::is_floating_point_v<B> && std::is_integral_v<typename Combined<S>::type>);
}  // namespace detail
// Calls whose identity has another type than the elements. They do nothing but report the remedy.
#define WARPFOLD_REJECTED(name)                                                                                                     \
  template <class F, class B, class S, class... Axes>                                                                               \
  requires detail::WrongIdentity<B, S>                                                                                              \
  void name(F, const B&, const S&, const Axes&...) {                                                                                \
    static_assert(detail::never<B>, #name                                                                                           \
                  ": the identity is not of the elements' type; expected a value of that type, or cast<double>(s) or a map of the " \
                  "elements first, to combine in another type");                                                                    \
  }
WARPFOLD_REJECTED(reduce)
WARPFOLD_REJECTED(scan)
WARPFOLD_REJECTED(scan_incl)
WARPFOLD_REJECTED(scan_incl_total)
#undef WARPFOLD_REJECTED

}  // namespace warpfold
