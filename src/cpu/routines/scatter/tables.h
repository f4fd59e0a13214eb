// Tables into which the workers of a scatter combine its elements, each into its own.
#pragma once

#include <functional>

#include "cpu/routines/scatter/buckets.h"

namespace wf::cpu {

constexpr int64_t scatter_grain = 1 << 16;  // elements: the least that a worker claims at a time
constexpr int64_t few_values = 1 << 14;     // elements that one worker combines alone
constexpr int64_t most_table_bytes = 1 << 22;

// A table for each worker, of `bytes` bytes each. They are one block of memory, since a large one has huge pages.
class Tables {
 public:
  Tables(int64_t count, int64_t bytes, const std::shared_ptr<Pool>& pool)
      : count_(count), bytes_((bytes + line - 1) / line * line), memory_(Buffer::make(pool, size_t(count_ * bytes_))) {}
  int64_t count() const { return count_; }
  std::byte* operator[](int64_t k) const { return memory_->host_for_writing() + k * bytes_; }

 private:
  static constexpr int64_t line = 64;  // of a cache: workers do not write the same one
  int64_t count_, bytes_;
  BufferRef memory_;
};

// The tables of all workers after clear(table) for each and f(table, begin, end) for all elements, whose indices are looked at first if they are
// unchecked: each cached block twice, memory once. The result has not been written yet.
Tables filled_tables(const ScatterColumn& c, int64_t bytes, const std::shared_ptr<Pool>& pool, const std::function<void(std::byte*)>& clear,
                     const std::function<void(std::byte*, int64_t, int64_t)>& f);

using Join = void(std::byte* to, const std::byte* table, int64_t begin, int64_t end);  // to[k] = to[k] op table[k]
// Calls f(table, begin, end) for all elements, with a table of `size` identities for each worker, and then out[k] = base[k] and all tables'
// elements k, k + m, ... joined.
void by_tables(const ScatterColumn& c, int64_t size, Bits64 identity, const std::shared_ptr<Pool>& pool, Join* join,
               const std::function<void(std::byte*, int64_t, int64_t)>& f);

struct Combination {
  void (*alone)(const ScatterColumn&, int64_t begin, int64_t end, std::byte* to);  // to[indices[k]] = to[indices[k]] op values[k], in order
  CombineBucket* bucket;      // null if several workers may call `alone` with the result
  Join* join;                 // null: without tables
  int64_t scratch_bytes = 0;  // of a bucket, per element
};
const Combination& combination_of(Op op, Type type);  // integers and bools
// Combines all elements into tables, by one worker, or in buckets, whichever is faster.
void combine_elements(const ScatterColumn& c, Bits64 identity, const std::shared_ptr<Pool>& pool, const Combination& combination);

void fill_elements(std::byte* to, int64_t bytes, int64_t n, Bits64 bits);

}  // namespace wf::cpu
