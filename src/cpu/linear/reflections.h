// Householder reflections, one by one and in blocks (Bischof and Van Loan, "The WY representation for products of Householder matrices", 1987;
// Schreiber and Van Loan, "A storage-efficient WY representation", 1989). Vectors are rows, which are contiguous.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/linear/products.h"
#include "cpu/routines/words.h"

namespace wf::cpu {

constexpr int64_t panel = 32;              // reflections of a block
constexpr int64_t few_elements = 1 << 15;  // that one worker computes alone

// Calls f(begin, end) for pieces of [0, n), whose parts have `size` elements each.
template <class F> void for_parts(const Products& products, int64_t n, int64_t size, const F& f) {
  if (products.workers() == 1 || n * size <= few_elements) return f(int64_t(0), n);
  for_pieces(n, std::max<int64_t>(1, few_elements / std::max<int64_t>(1, size)), f);
}

// The reflection 1 - factor v vT that maps x to (alpha, 0, ...): x becomes v, with v[0] = 1.
template <class T> struct Reflection { T factor, alpha; };
template <class T> Reflection<T> reflect(T* x, int64_t n);

// The product 1 - vT t v of `count` reflections, whose vectors are the rows of v.
template <class T> struct Block {
  MatrixView<T> v;
  int64_t count, length;
  T t[panel * panel];
};
// The product of the blocks, n x n or its first rows, with vector j of all from element j + shift on, as rows of x. Overwrites x.
template <class T>
void accumulate(Products& products, const std::vector<Block<T>>& blocks, int64_t shift, MatrixView<T> x, int64_t rows, int64_t n);

// The blocks of `count` reflections, n elements long: vector j is row j of v, from element j + shift on. Elements before it become 0.
template <class T> std::vector<Block<T>> blocks_of(MatrixView<T> v, int64_t count, int64_t n, int64_t shift, const T* factors);

}  // namespace wf::cpu
