// A sequence's elements in memory, really: on a GPU a computation that gives no scalar goes on after the call.
#pragma once

#include "warpfold/warpfold.hpp"

namespace bench {

// The sequence, once all of it is computed: f of its last element, a number, is waited for.
template <class T, class F> warpfold::Seq<T> complete(const warpfold::Seq<T>& s, F f) {
  warpfold::Seq<T> forced = s.force();
  if (!forced.empty()) warpfold::reduce(warpfold::plus, map(f, subseq(forced, forced.size() - 1, 1))).get();
  return forced;
}
template <class T> warpfold::Seq<T> complete(const warpfold::Seq<T>& s) {
  return complete(s, [](auto x) { return x; });
}

}  // namespace bench
