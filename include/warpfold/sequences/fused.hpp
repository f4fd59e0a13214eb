// Compositions of two primitives by one name, for programs in the style of Standard ML's SEQUENCE. Each is what it says: sequences are lazy,
// so that the two always share a pass over memory.
#pragma once

#include "warpfold/sequences/indexing.hpp"
#include "warpfold/sequences/sorting.hpp"

namespace warpfold {

// combine over f of the elements; b is the identity of combine.
template <class F, class G, class B, class T> auto map_reduce(F f, G combine, const B& b, const Seq<T>& s) {
  return reduce(combine, b, map(f, s));
}
// The scan by combine of f of the elements: prefixes and total; inclusive prefixes.
template <class F, class G, class B, class T> auto map_scan(F f, G combine, const B& b, const Seq<T>& s) {
  return scan(combine, b, map(f, s));
}
template <class F, class G, class B, class T> auto map_scan_incl(F f, G combine, const B& b, const Seq<T>& s) {
  return scan_incl(combine, b, map(f, s));
}
// The results y of f(element) for which keeps(y) is true; those of f(i, element) for which keeps(i, y) is true.
template <class F, class G, class T> auto map_filter(F f, G keeps, const Seq<T>& s) { return filter(keeps, map(f, s)); }
template <class F, class G, class T> auto map_filter_idx(F f, G keeps, const Seq<T>& s) { return filter_idx(keeps, map_idx(f, s)); }
// The merge, in the order of less, of f of the elements of s and t.
template <class F, class G, class T> auto map_merge(F f, G less, const Seq<T>& s, const Seq<T>& t) {
  return merge(less, map(f, s), map(f, t));
}

}  // namespace warpfold
