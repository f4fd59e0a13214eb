// Small sequences and functions that primitives are composed of.
#pragma once

#include <algorithm>
#include <array>

#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {

// A function that captures nothing.
inline Closure closed(FnRef f) { return {std::move(f), {}, {}}; }

// f of each element of s, one column: f(builder, element).
template <class F> NodeRef mapped(const NodeRef& s, const F& f) {
  Builder b;
  const Id result = f(b, b.param(s->types()[0], "x"));
  const Closure fn = closed(b.finish({result}));
  return map(fn, {&s, 1});
}

// The same, where f depends on these words alone: its function is made once.
template <size_t N, class F> NodeRef mapped(const NodeRef& s, const std::array<uint64_t, N>& words, const F& f) {
  static const char place = 0;  // of this f
  std::array<uint64_t, N + 2> key{reinterpret_cast<uintptr_t>(&place), uint64_t(s->types()[0])};
  std::ranges::copy(words, key.begin() + 2);
  const Closure fn = closed(remembered(key, nullptr, [&] {
    Builder b;
    const Id result = f(b, b.param(s->types()[0], "x"));
    return b.finish({result});
  }));
  return map(fn, {&s, 1});
}

// The elements of s, to which no gradient passes.
NodeRef constant_of(const NodeRef& s);
// n equal elements, in the context of `like`.
NodeRef constants(const NodeRef& like, int64_t n, Type type, Bits64 bits);
// 0, 1, ..., n - 1
NodeRef positions(const NodeRef& like, int64_t n);
// The positions of the elements of s, over its domain.
NodeRef positions(const NodeRef& s);
// The elements of s where the mask, one column of bools over the same domain, is true.
NodeRef filtered(const NodeRef& s, const NodeRef& mask);

// The call of a sort or merge, which moves the elements of its inputs, of known lengths, with their positions as the last column.
NodeRef moving_positions(const Definition& call, Domain domain);
// The call, of elements alone. If a gradient can be taken of it, it moves the positions, too, which the gradient follows: so there is one sort.
NodeRef moving(Definition call, Domain domain);

}  // namespace wf
