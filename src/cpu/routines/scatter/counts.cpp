#include <algorithm>
#include <atomic>

#include "cpu/routines/scatter/tables.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

constexpr int64_t counters = 4,
                  most_bins = 2048;  // a short histogram counts in turns, so that equal neighbours need not wait for each other

void add_tables(std::byte* to_, const std::byte* table_, int64_t begin, int64_t end) {
  auto* const to = reinterpret_cast<int64_t*>(to_);
  const auto* const table = reinterpret_cast<const int64_t*>(table_);
  for (int64_t k = begin; k < end; k++) to[k] += table[k];
}

// Counts elements in turns of `counters` tables.
void count_few(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  by_tables(c, counters * c.m, 0, pool, add_tables, [&](std::byte* table_, int64_t begin, int64_t end) {
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
template <bool atomically> void count_indices(const ScatterColumn& c, int64_t begin, int64_t end, int64_t* to) {
  int64_t indices[indices_at_once];
  for (int64_t first = begin; first < end; first += indices_at_once) {
    const int64_t length = std::min(indices_at_once, end - first);
    read_indices(c.index_type, c.indices, first, length, indices);
    for (int64_t k = 0; k < length; k++) {
      if constexpr (atomically) std::atomic_ref<int64_t>(to[indices[k]]).fetch_add(1, std::memory_order_relaxed);
      else to[indices[k]]++;
    }
  }
}

}  // namespace

void count_elements(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (c.m > 0 && c.m <= most_bins && c.n > few_values) return count_few(c, pool);
  if (repays_tables(c))
    return by_tables(c, c.m, 0, pool, add_tables, [&](std::byte* table, int64_t begin, int64_t end) {
      count_indices<false>(c, begin, end, reinterpret_cast<int64_t*>(table));
    });
  check_indices(c);
  begin_with_base(c);
  int64_t* const out = reinterpret_cast<int64_t*>(c.out);
  const int64_t grain = grain_of(c);
  if (c.n <= std::min(grain, few_values)) return count_indices<false>(c, 0, c.n, out);
  for_pieces(c.n, grain, [&](int64_t begin, int64_t end) { count_indices<true>(c, begin, end, out); });
}

}  // namespace wf::cpu
