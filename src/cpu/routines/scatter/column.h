// A column of a scatter, and the loops for each kind of column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "cpu/routines/scatter/first_outside.h"
#include "memory/buffer.h"
#include "ops/ops.h"
#include "ops/types.h"

namespace wf::cpu {

constexpr int64_t indices_at_once = 1024;  // indices that are converted at a time

// One column: the elements `from` at `indices` go to out, which has m elements.
struct ScatterColumn {
  Type type, index_type;
  const std::byte *base, *indices, *values;  // values: null if elements are counted
  std::byte* out;                            // may be base
  int64_t n, m;
  bool one_value;           // `values` are indices_at_once equal elements, those of each block
  FirstOutside* unchecked;  // null if all indices are known to be in range

  int64_t bytes() const { return m * int64_t(size_of(type)); }
  // The values of the elements from k on, of which a block is read.
  template <class T> const T* values_from(int64_t k) const { return reinterpret_cast<const T*>(values) + (one_value ? 0 : k); }

  // out[k] = base[k] for k in [begin, end).
  void begin_with_base(int64_t begin, int64_t end) const {
    const auto bytes = int64_t(size_of(type));
    if (out != base) std::copy_n(base + begin * bytes, (end - begin) * bytes, out + begin * bytes);
  }
};

// The indices of a run as 64-bit numbers.
void read_indices(Type type, const std::byte* from, int64_t begin, int64_t count, int64_t* to);
// body(element, value) for each update in [begin, end), in order, and the element at its index.
template <class T, class Body> void for_each_update(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to_, const Body& body) {
  T* const to = reinterpret_cast<T*>(to_);
  int64_t indices[indices_at_once];
  for (int64_t first = begin; first < end; first += indices_at_once) {
    const int64_t count = std::min(indices_at_once, end - first);
    read_indices(c.index_type, c.indices, first, count, indices);
    const T* const values = c.values_from<T>(first);
    for (int64_t k = 0; k < count; k++) body(to[indices[k]], values[k]);
  }
}
// Looks at all indices, if they are unchecked, before the first one is used.
void check_indices(const ScatterColumn& c);

// Integers and bools: each worker combines into a table of its own while the tables are small, since every operation commutes; otherwise in buckets
// (buckets.h). Tables of bools are bits (`or`, `and`), so that they fit into caches.
void scatter_integers(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool);
void scatter_by_bits(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool);
// f32 and f64: each piece of the elements has a table while the tables are small, and the tables are combined in order; otherwise in buckets. The order
// in which values are combined depends on positions and lengths alone.
void scatter_floats(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool);
// The last value at each index replaces the element.
void replace_elements(const ScatterColumn& c, const std::shared_ptr<Pool>& pool);
// Adds 1 to the element at each index.
void count_elements(const ScatterColumn& c, const std::shared_ptr<Pool>& pool);

}  // namespace wf::cpu
