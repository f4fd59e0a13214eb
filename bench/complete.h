// Waits until a sequence is in memory: on a GPU a computation without a scalar result may go on after the call that starts it.
#pragma once

#include "warpfold/warpfold.hpp"

namespace bench {

// Computes the sequence and waits for f of its last element, a number. Returns the sequence.
template <class T, class F> warpfold::Seq<T> complete(const warpfold::Seq<T>& s, F f) {
  warpfold::Seq<T> forced = s.force();
  if (!forced.empty()) warpfold::reduce(warpfold::plus, map(f, subseq(forced, forced.size() - 1, 1))).get();
  return forced;
}
template <class T> warpfold::Seq<T> complete(const warpfold::Seq<T>& s) {
  return complete(s, [](auto x) { return x; });
}

}  // namespace bench
