#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "cpu/routines/scatter/tables.h"
#include "cpu/routines/words.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

// The tables of a piece take its elements in turn, so that equal neighbours need not wait for each other.
constexpr int64_t turns = 4, most_in_turns = 1 << 10;
// Elements that are combined by tables, and that are if there are enough updates.
constexpr int64_t always_by_tables = 128, most_by_tables = 1 << 14, updates_per_entry = 4;
constexpr int64_t most_pieces = 1 << 10, most_entries = 1 << 22;  // of all tables

// Floats of type T, carried in f64 where they are combined by tables, or many of them in one bucket.
template <Op op, class T> struct FloatCombiner {
  static double apply(double x, double y) {
    if constexpr (op == Op::add_) return x + y;
    else if constexpr (op == Op::mul_) return x * y;
    else if constexpr (op == Op::min_) return meaning::lesser(x, y);
    else return meaning::greater(x, y);
  }
  static void combine(T& element, T value) { element = T(apply(double(element), double(value))); }
  static void alone(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to) { for_each_update<T>(c, begin, end, to, combine); }

  static void bucket(const Bucket& b, std::byte* to_, std::byte* scratch) {
    const int64_t elements = b.end - b.begin;
    if (std::is_same_v<T, double> || b.count < elements) return for_each_update<T>(b, to_, combine);
    auto* const to = reinterpret_cast<T*>(to_);
    auto* const wide = reinterpret_cast<double*>(scratch);
    std::copy_n(to, elements, wide);
    for (int64_t first = 0; first < b.count; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, b.count - first);
      const T* const values = b.values_from<T>(first);
      for (int64_t k = 0; k < count; k++) wide[b.at[first + k]] = apply(wide[b.at[first + k]], double(values[k]));
    }
    std::transform(wide, wide + elements, to, [](double x) { return T(x); });
  }

  // Combines a piece into tables[0, m). Returns early if an index is outside.
  template <class I> static void fill_tables(const ScatterColumn& c, int64_t begin, int64_t end, double* tables) {
    const int64_t all_turns = turns_of(c.m);
    std::fill_n(tables, all_turns * c.m, from_bits<double>(neutral_bits(op, Type::F64)));
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, end - first);
      if (c.unchecked && c.unchecked->look(first, first + count)) return;
      const I* const indices = reinterpret_cast<const I*>(c.indices) + first;
      const T* const values = c.values_from<T>(first);
      const int64_t next = all_turns == turns ? c.m : 0;
      auto combine_one = [&](int64_t k, int64_t turn) {
        double& at = tables[turn * next + int64_t(indices[k])];
        at = apply(at, double(values[k]));
      };
      int64_t k = 0;
      for (; k + turns <= count; k += turns)
        for (int64_t turn = 0; turn < turns; turn++) combine_one(k + turn, turn);
      for (; k < count; k++) combine_one(k, 0);
    }
    for (int64_t k = c.m; k < all_turns * c.m; k++) tables[k % c.m] = apply(tables[k % c.m], tables[k]);
  }

  static void by_tables(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
    const int64_t size = std::max<int64_t>(turns_of(c.m) * c.m, 1), pieces_at_most = std::min(most_pieces, most_entries / size);
    const int64_t grain = std::max({scatter_grain, updates_per_entry * c.m, (c.n + pieces_at_most - 1) / pieces_at_most});
    const int64_t pieces = std::max<int64_t>((c.n + grain - 1) / grain, 1);
    const BufferRef memory = Buffer::make(pool, size_t(pieces * size) * sizeof(double));
    auto* const tables = reinterpret_cast<double*>(memory->host_for_writing());
    for_pieces(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; p++)
        visit(c.index_type, [&](auto tag) {
          using I = typename decltype(tag)::type;
          if constexpr (std::is_integral_v<I> && !std::is_same_v<I, bool>)
            fill_tables<I>(c, p * grain, std::min(c.n, (p + 1) * grain), tables + p * size);
        });
    });
    if (c.unchecked) c.unchecked->require_none();
    for_pieces(c.m, scatter_grain / pieces + 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = 1; p < pieces; p++)
        for (int64_t k = begin; k < end; k++) tables[k] = apply(tables[k], tables[p * size + k]);
      c.begin_with_base(begin, end);
      for (int64_t k = begin; k < end; k++) {
        T& element = reinterpret_cast<T*>(c.out)[k];
        element = T(apply(double(element), tables[k]));
      }
    });
  }
  static int64_t turns_of(int64_t m) { return m <= most_in_turns ? turns : 1; }

  static void scatter(const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
    if (c.m <= always_by_tables || (c.m <= most_by_tables && updates_per_entry * c.m <= c.n)) return by_tables(c, pool);
    combine_elements(c, 0, pool, {alone, bucket, nullptr, std::is_same_v<T, double> ? 0 : int64_t(sizeof(double))});
  }
};

template <class T> void scatter_floats_of(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  switch (op) {
    case Op::add_: return FloatCombiner<Op::add_, T>::scatter(c, pool);
    case Op::mul_: return FloatCombiner<Op::mul_, T>::scatter(c, pool);
    case Op::min_: return FloatCombiner<Op::min_, T>::scatter(c, pool);
    case Op::max_: return FloatCombiner<Op::max_, T>::scatter(c, pool);
    default: throw std::logic_error("scatter: an operation on integers");
  }
}

}  // namespace

void scatter_floats(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  if (c.type == Type::F32) scatter_floats_of<float>(op, c, pool);
  else scatter_floats_of<double>(op, c, pool);
}

}  // namespace wf::cpu
