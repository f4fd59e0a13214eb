// Waits until a sequence is in memory: on a GPU a computation without a scalar result may go on after the call that starts it.
#pragma once

#include "warpfold/warpfold.hpp"

namespace bench {

template <class T> warpfold::Seq<T> complete(const warpfold::Seq<T>& s) {
  warpfold::wait(s);
  return s;
}

}  // namespace bench
