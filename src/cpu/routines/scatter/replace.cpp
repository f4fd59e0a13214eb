#include "cpu/routines/scatter/tables.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

constexpr int64_t updates_per_position = 16;  // so many that the positions of the last ones are found first

template <class T> void replace(T& element, T value) { element = value; }
template <class T> void replace_alone(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to) {
  for_each_update<T>(c, begin, end, to, replace<T>);
}
template <class T> void replace_bucket(const Bucket& b, std::byte* to, std::byte*) { for_each_update<T>(b, to, replace<T>); }

// Each worker notes the last of its positions that write each element. Of these, the last one has the value.
template <class T> void replace_by_positions(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  auto clear = [&](std::byte* table) { std::fill_n(reinterpret_cast<int64_t*>(table), c.m, -1); };
  auto note = [&](std::byte* table, int64_t begin, int64_t end) {
    int64_t indices[indices_at_once];
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, end - first);
      read_indices(c.index_type, c.indices, first, count, indices);
      auto* const last = reinterpret_cast<int64_t*>(table);
      for (int64_t k = 0; k < count; k++) last[indices[k]] = std::max(last[indices[k]], first + k);
    }
  };
  const Tables tables = filled_tables(c, c.m * int64_t(sizeof(int64_t)), pool, clear, note);
  for_pieces(c.m, scatter_grain, [&](int64_t begin, int64_t end) {
    c.begin_with_base(begin, end);
    for (int64_t k = begin; k < end; k++) {
      int64_t last = -1;
      for (int64_t t = 0; t < tables.count(); t++) last = std::max(last, reinterpret_cast<const int64_t*>(tables[t])[k]);
      if (last >= 0) reinterpret_cast<T*>(c.out)[k] = *c.values_from<T>(last);
    }
  });
}

template <class T> void replace_words(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (c.n > few_values && updates_per_position * c.m <= c.n && c.m * int64_t(sizeof(int64_t)) <= most_table_bytes)
    return replace_by_positions<T>(c, pool);
  combine_elements(c, 0, pool, {replace_alone<T>, replace_bucket<T>, nullptr});
}

}  // namespace

void replace_elements(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (size_of(c.type) == 1) replace_words<uint8_t>(c, pool);
  else if (size_of(c.type) == 4) replace_words<uint32_t>(c, pool);
  else replace_words<uint64_t>(c, pool);
}

}  // namespace wf::cpu
