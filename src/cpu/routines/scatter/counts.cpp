#include <algorithm>

#include "cpu/routines/scatter/tables.h"

namespace wf::cpu {
namespace {

constexpr int64_t counters = 4,
                  most_bins = 2048;  // a short histogram counts in turns, so that equal neighbours need not wait for each other

// Counts elements in turns of `counters` tables.
void count_few(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  by_tables(c, counters * c.m, 0, pool, combination_of(Op::add_, Type::U64).join, [&](std::byte* table_, int64_t begin, int64_t end) {
    auto* const table = reinterpret_cast<int64_t*>(table_);
    const int64_t m = c.m;
    visit(c.index_type, [&](auto tag) {
      using I = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<I>) {
        const I* indices = reinterpret_cast<const I*>(c.indices);
        int64_t k = begin;
        for (; k + counters <= end; k += counters)
          for (int64_t turn = 0; turn < counters; turn++) table[turn * m + int64_t(indices[k + turn])]++;
        for (; k < end; k++) table[int64_t(indices[k])]++;
      }
    });
  });
}

// Adds 1 to to[indices[k]] for k in [begin, end).
void count_alone(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to_) {
  auto* const to = reinterpret_cast<int64_t*>(to_);
  int64_t indices[indices_at_once];
  for (int64_t first = begin; first < end; first += indices_at_once) {
    const int64_t length = std::min(indices_at_once, end - first);
    read_indices(c.index_type, c.indices, first, length, indices);
    for (int64_t k = 0; k < length; k++) to[indices[k]]++;
  }
}
void count_bucket(const Bucket& bucket, std::byte* to, std::byte*) {
  for (int64_t k = 0; k < bucket.count; k++) reinterpret_cast<int64_t*>(to)[bucket.at[k]]++;
}

}  // namespace

void count_elements(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (c.m > 0 && c.m <= most_bins && c.n > few_values) return count_few(c, pool);
  combine_elements(c, 0, pool, {count_alone, count_bucket, combination_of(Op::add_, Type::U64).join});
}

}  // namespace wf::cpu
