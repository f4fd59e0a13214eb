// Small sequences and functions that primitives are composed of.
#pragma once

#include "lazy/check.h"

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

// n equal elements, in the context of `like`.
NodeRef constants(const NodeRef& like, int64_t n, Type type, Bits64 bits);
// 0, 1, ..., n - 1
NodeRef positions(const NodeRef& like, int64_t n);
// The elements of s where the mask, one column of bools over the same domain, is true.
NodeRef filtered(const NodeRef& s, const NodeRef& mask);

}  // namespace wf
