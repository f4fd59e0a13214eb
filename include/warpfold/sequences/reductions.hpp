// Reductions by name, of sequences and of sequences inside traced functions (inner.hpp). min(s) and max(s) are in named.hpp.
//
//     auto norms = tabulate([&](auto i) { auto row = subseq(a, i * m, m); return sqrt(dot(row, row)); }, n);
#pragma once

#include "warpfold/primitives.hpp"

namespace warpfold {

// The sum of the elements, numbers, in their type; 0 for an empty s. Integers wrap in it, as with std::reduce: a sum of bytes is computed in a
// wider type by sum(map([](auto x) { return cast<int64_t>(x); }, s)).
template <class T> Scalar<T> sum(const Seq<T>& s) { return reduce(plus, s); }
// The sum of the products of elements at the same position. Throws SizeError if the lengths differ.
template <class T> Scalar<T> dot(const Seq<T>& s, const Seq<T>& t) {
  return sum(map([](const auto& x, const auto& y) { return x * y; }, s, t));
}
// The number of elements for which f is true.
template <class F, class T> Scalar<int64_t> count(F f, const Seq<T>& s) { return length(filter(f, s)); }
// True if f is true for all elements, or for any of them; true and false for an empty s.
template <class F, class T> Scalar<bool> all(F f, const Seq<T>& s) { return reduce(logical_and, true, map(f, s)); }
template <class F, class T> Scalar<bool> any(F f, const Seq<T>& s) { return reduce(logical_or, false, map(f, s)); }
inline Scalar<bool> all(const Seq<bool>& s) { return reduce(logical_and, true, s); }
inline Scalar<bool> any(const Seq<bool>& s) { return reduce(logical_or, false, s); }

}  // namespace warpfold
