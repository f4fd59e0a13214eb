#include "cpu/routines/scatter/tables.h"

#include <algorithm>

#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t cached_bytes = 1 << 15;  // of indices that are looked at and then combined

// Returns the number of elements that a worker claims at a time: many, since each piece begins with a wait for memory, but at least eight pieces a worker.
int64_t piece_elements(int64_t n) {
  constexpr int64_t most = 8;
  return std::clamp<int64_t>(n / (8 * worker_count() * scatter_grain), 1, most) * scatter_grain;
}

// All tables are filled and joined, which takes about half as long per element as an update in buckets.
bool repays_tables(const ScatterColumn& c) { return c.n > few_values && c.bytes() <= most_table_bytes && c.m * worker_count() <= 2 * c.n; }

}  // namespace

void fill_elements(std::byte* to, int64_t bytes, int64_t n, Bits64 bits) {
  if (bytes == 1) std::fill_n(reinterpret_cast<uint8_t*>(to), n, uint8_t(bits));
  else if (bytes == 4) std::fill_n(reinterpret_cast<uint32_t*>(to), n, uint32_t(bits));
  else std::fill_n(reinterpret_cast<uint64_t*>(to), n, uint64_t(bits));
}

Tables filled_tables(const ScatterColumn& c, int64_t bytes, const std::shared_ptr<Pool>& pool, const std::function<void(std::byte*)>& clear,
                     const std::function<void(std::byte*, int64_t, int64_t)>& f) {
  const int64_t grain = piece_elements(c.n);
  Chunks chunks((c.n + grain - 1) / grain, worker_count());
  const int workers = int(std::min<int64_t>(worker_count(), chunks.count()));
  const int64_t at_once = c.unchecked ? cached_bytes / int64_t(size_of(c.index_type)) : grain;
  Tables tables(workers, bytes, pool);
  for_pieces(workers, std::max<int64_t>(scatter_grain / std::max<int64_t>(bytes, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; w++) clear(tables[w]);
  });
  for_chunks(chunks, workers, [&](int w) {
    std::byte* table = tables[w];
    for (int64_t piece = chunks.next(w); piece >= 0; piece = chunks.next(w)) {
      const int64_t piece_end = std::min(c.n, (piece + 1) * grain);
      for (int64_t begin = piece * grain; begin < piece_end; begin += at_once) {
        const int64_t end = std::min(piece_end, begin + at_once);
        if (!c.unchecked || !c.unchecked->look(begin, end)) f(table, begin, end);
      }
    }
  });
  if (c.unchecked) c.unchecked->require_none();
  return tables;
}

void by_tables(const ScatterColumn& c, int64_t size, Bits64 identity, const std::shared_ptr<Pool>& pool, Join* join,
               const std::function<void(std::byte*, int64_t, int64_t)>& f) {
  const int64_t bytes = int64_t(size_of(c.type));
  auto clear = [&](std::byte* table) { fill_elements(table, bytes, size, identity); };
  const Tables tables = filled_tables(c, size * bytes, pool, clear, f);
  for_pieces(c.m, scatter_grain, [&](int64_t begin, int64_t end) {
    c.begin_with_base(begin, end);
    for (int64_t k = 0; k < tables.count(); k++)
      for (int64_t copy = 0; copy < size; copy += c.m) join(c.out, tables[k] + copy * bytes, begin, end);
  });
}

void combine_elements(const ScatterColumn& c, Bits64 identity, const std::shared_ptr<Pool>& pool, const Combination& combination) {
  if (combination.join && repays_tables(c))
    return by_tables(c, c.m, identity, pool, combination.join,
                     [&](std::byte* table, int64_t begin, int64_t end) { combination.alone(c, begin, end, table); });
  const bool is_alone = c.n <= few_values || !has_buckets(c.m);
  if (!is_alone && combination.bucket) return combine_buckets(c, pool, combination.bucket, combination.scratch_bytes);
  check_indices(c);
  if (c.out != c.base) for_pieces(c.m, scatter_grain, [&](int64_t begin, int64_t end) { c.begin_with_base(begin, end); });
  if (is_alone) return combination.alone(c, 0, c.n, c.out);
  for_pieces(c.n, scatter_grain, [&](int64_t begin, int64_t end) { combination.alone(c, begin, end, c.out); });
}

}  // namespace wf::cpu
