// A scatter's updates in buckets: those of each range of the result, in the order of their positions.
//
// A stable counting sort by the high bits of the indices, in rounds that bound the memory: each piece of a round counts the updates of each bucket, and
// then copies its updates to the places that the counts leave. One worker combines a bucket, so no element needs an atomic operation or a table,
// and the result has the bits of a loop over the updates.
#pragma once

#include "cpu/routines/scatter/column.h"

namespace wf::cpu {

// The updates of elements [begin, end) of the result in a round.
struct Bucket {
  int64_t begin, end, count;
  const uint32_t* at;       // index - begin, of each update
  const std::byte* values;  // null if elements are counted
  bool one_value;           // as in ScatterColumn
  template <class T> const T* values_from(int64_t k) const { return reinterpret_cast<const T*>(values) + (one_value ? 0 : k); }
};

// body(element, value) for each update of a bucket, in order, and the element at its index.
template <class T, class Body> void for_each_update(const Bucket& bucket, std::byte* to_, const Body& body) {
  T* const to = reinterpret_cast<T*>(to_);
  for (int64_t first = 0; first < bucket.count; first += indices_at_once) {
    const int64_t count = std::min(indices_at_once, bucket.count - first);
    const uint32_t* const at = bucket.at + first;
    const T* const values = bucket.values_from<T>(first);
    for (int64_t k = 0; k < count; k++) body(to[at[k]], values[k]);
  }
}

// combine(bucket, to, scratch) for each bucket of each round, where to[k - bucket.begin] is element k of the result, and the scratch has
// scratch_bytes for each element of the bucket. The result begins with the base. Memory is allocated, and all indices are checked, before it is
// written.
using CombineBucket = void(const Bucket& bucket, std::byte* to, std::byte* scratch);
void combine_buckets(const ScatterColumn& c, const std::shared_ptr<Pool>& pool, CombineBucket* combine, int64_t scratch_bytes);

// Returns true if the result has several buckets, and an index fits into 32 bits within each.
bool has_buckets(int64_t m);

}  // namespace wf::cpu
