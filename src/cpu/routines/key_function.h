// A comparison of keys: a function that compares what it computes of the left element with the same of the right one.
#pragma once

#include <optional>

#include "expr/fn.h"

namespace wf::cpu {

struct KeyFunction {
  FnRef keys;       // the columns of an element -> keys, the most significant first
  bool descending;  // in the order of the routine Sort
};

// The keys of less, a function of the columns of two elements to a bool; none if it is no comparison of keys. Recognised are x < y and
// x > y, and lexicographic orders of these: p or (x = y and q); where(x = y, q, p). A float key is added to 0, since -0 equals 0 in less.
std::optional<KeyFunction> key_function(const Fn& less);

}  // namespace wf::cpu
