// Comparisons of elements as terms of a function: in the order of wf_sort by keys, or by a function.
#pragma once

#include "lazy/node.h"

namespace wf {

// The order of the first `keys` columns, one after another: numbers by value, -0 before 0, NaN after all numbers, false before true;
// descending: the reverse. less != null: the order in which less(left, right) holds if left comes first.
struct ElementOrder {
  int32_t keys = 0;
  bool descending = false;
  FnRef less = nullptr;
};

// Throws unless keys is from 1 to the number of columns of `argument`.
void require_keys(int32_t keys, const ColumnTypes& types, const char* argument = "s");
// Throws unless less takes the columns of two elements to a bool and captures nothing.
void require_less(const Closure& less, const std::vector<Type>& types);
ElementOrder order_of(const Closure& less, const std::vector<Type>& types);

// True if the element with the columns `left` comes before `right`.
Id before(Builder& b, const ElementOrder& order, std::span<const Id> left, std::span<const Id> right);
// True if neither comes before the other.
Id same(Builder& b, const ElementOrder& order, std::span<const Id> left, std::span<const Id> right);
// The columns that are compared.
size_t compared(const ElementOrder& order, const std::vector<Type>& types);

}  // namespace wf
