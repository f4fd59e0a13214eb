// Arrays of any rank: sequences with a shape. docs/arrays.md introduces them.
#pragma once

#include "warpfold/arrays/array.hpp"
#include "warpfold/arrays/axes.hpp"
#include "warpfold/arrays/elementwise.hpp"
#include "warpfold/arrays/making.hpp"
#include "warpfold/arrays/print.hpp"
#include "warpfold/arrays/shape.hpp"
#include "warpfold/arrays/slicing.hpp"

namespace warpfold {

// Functions of arrays are found by argument-dependent lookup. These are for calls without an array among the arguments.
using arrays::array;
using arrays::diagonal;
using arrays::every;
using arrays::eye;
using arrays::fill;
using arrays::iota;
using arrays::ones;
using arrays::reshape;
using arrays::slice;
using arrays::Slice;
using arrays::zeros;
// These have template arguments, or names that Seq's functions have as well.
using arrays::cast;
using arrays::conforms;
using arrays::field;
using arrays::join;
using arrays::stack;

// Functions of arrays of rank 1 that take sequences as well.
#define WARPFOLD_OF_SEQUENCES(name) \
  template <class... A>             \
  requires(arrays::is_seq<A> || ...) auto name(const A&... a) { return arrays::name(arrays::as_array(a)...); }
WARPFOLD_OF_SEQUENCES(sum)
WARPFOLD_OF_SEQUENCES(product)
WARPFOLD_OF_SEQUENCES(least)
WARPFOLD_OF_SEQUENCES(largest)
WARPFOLD_OF_SEQUENCES(mean)
WARPFOLD_OF_SEQUENCES(argmax)
WARPFOLD_OF_SEQUENCES(argmin)
WARPFOLD_OF_SEQUENCES(sort)
WARPFOLD_OF_SEQUENCES(split)
WARPFOLD_OF_SEQUENCES(any)
WARPFOLD_OF_SEQUENCES(all)
WARPFOLD_OF_SEQUENCES(count)
WARPFOLD_OF_SEQUENCES(variance)
WARPFOLD_OF_SEQUENCES(norm)
WARPFOLD_OF_SEQUENCES(logsumexp)
WARPFOLD_OF_SEQUENCES(softmax)
WARPFOLD_OF_SEQUENCES(cumulative_sum)
WARPFOLD_OF_SEQUENCES(cumulative_product)
WARPFOLD_OF_SEQUENCES(insert_axis)
WARPFOLD_OF_SEQUENCES(flip)
WARPFOLD_OF_SEQUENCES(broadcast)
WARPFOLD_OF_SEQUENCES(pack)

// The same for functions that take an operation and its identity, if an axis follows.
#define WARPFOLD_ALONG(name)                                                                    \
  template <class F, class T, std::integral Axis, class... Keep>                                \
  auto name(F f, const std::type_identity_t<T>& b, const Seq<T>& s, Axis axis, Keep... keeps) { \
    return arrays::name(f, b, arrays::as_array(s), axis, keeps...);                             \
  }
WARPFOLD_ALONG(reduce)
WARPFOLD_ALONG(scan)
WARPFOLD_ALONG(scan_incl)
#undef WARPFOLD_ALONG

}  // namespace warpfold
