// scatter and histogram.
//
// An index outside is a range_error of the call that computes the result. The result is the same every time, floats too.
#pragma once

#include "warpfold/primitives.hpp"

namespace warpfold {

// base with element indices[i] replaced by values[i] for i = 0, 1, ..., so that the last one wins. Indices: integers. Work n and a copy of base.
template <class T, class I> Seq<T> scatter(const Seq<T>& base, const Seq<I>& indices, const Seq<T>& values) {
  return Seq<T>::own(detail::sequence(wf_scatter, static_cast<const wf_fn*>(nullptr), base.raw(), indices.raw(), values.raw()));
}
// The same, combined by f: plus, times, min, max, and, or, xor, or a function of tuples that applies one of them to each field. In at most
// 128 elements, f32 are combined in f64. Work n and a copy of base; on a GPU n log n if T has floats and base more elements.
template <class F, class T, class I> Seq<T> scatter(F f, const Seq<T>& base, const Seq<I>& indices, const Seq<T>& values) {
  auto function = detail::function_of<T, T, T>(f);
  return Seq<T>::own(detail::sequence(wf_scatter, function.handle.raw(), base.raw(), indices.raw(), values.raw()));
}

// The number of elements of s that are k, for each k in [0, bins). s: integers. Work n + bins.
template <class I> Seq<int64_t> histogram(const Seq<I>& s, int64_t bins) {
  return Seq<int64_t>::own(detail::sequence(wf_histogram, s.raw(), bins));
}

}  // namespace warpfold
