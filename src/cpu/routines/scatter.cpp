// Scattering integers: each worker combines into a table of its own while the tables are small, otherwise into the result, by atomic
// operations. Every operation commutes, so the result does not depend on who comes first. Tables of bools are bits, so that they fit into
// caches. Floats: each piece of the elements has a table, and
// the tables are combined in order, so the result depends on the number of elements alone.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>

#include "cpu/program/columns.h"
#include "cpu/routines/routines.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"
#include "engine/index_error.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

constexpr int64_t scatter_grain = 1 << 16;  // elements that a worker claims at a time
constexpr int64_t few_values = 1 << 14;     // elements that one worker combines alone
constexpr int64_t table_bytes = 1 << 22;    // of a worker's table
constexpr int64_t indices_at_once = 1024;   // indices that are converted at a time
constexpr int64_t counters = 4,
                  most_bins = 2048;       // a short histogram counts in turns, so that equal neighbours need not wait for each other
constexpr int64_t most_pieces = 1 << 10;  // of floats, each with tables of its own

// The indices of a run as 64-bit numbers.
void read_indices(Type type, const std::byte* from, int64_t begin, int64_t count, int64_t* to) {
  visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      const T* indices = reinterpret_cast<const T*>(from) + begin;
      for (int64_t k = 0; k < count; k++) to[k] = int64_t(indices[k]);
    }
  });
}

void fill_elements(std::byte* to, int64_t bytes, int64_t n, Bits64 bits) {
  if (bytes == 1) std::fill_n(reinterpret_cast<uint8_t*>(to), n, uint8_t(bits));
  else if (bytes == 4) std::fill_n(reinterpret_cast<uint32_t*>(to), n, uint32_t(bits));
  else std::fill_n(reinterpret_cast<uint64_t*>(to), n, uint64_t(bits));
}

// The number of indices before the first one outside [0, m). m > 0.
template <class T> int64_t count_in_range(const T* indices, int64_t count, int64_t m) {
  using Word = std::make_unsigned_t<T>;  // in which negative numbers are greater than others
  const auto last = Word(std::min(uint64_t(m) - 1, uint64_t(std::numeric_limits<T>::max())));
  for (int64_t begin = 0; begin < count; begin += indices_at_once) {
    const int64_t end = std::min(count, begin + indices_at_once);
    Word greatest = 0;
    for (int64_t k = begin; k < end; k++) greatest = std::max(greatest, Word(indices[k]));
    if (greatest > last) return std::find_if(indices + begin, indices + end, [&](T k) { return Word(k) > last; }) - indices;
  }
  return count;
}

// Throws RangeError if an index is outside [0, m). n > 0.
void require_in_range(Type type, const std::byte* indices, int64_t n, int64_t m) {
  std::atomic<int64_t> first = m > 0 ? n : 0;  // the first one outside
  for_pieces(m > 0 ? n : 0, scatter_grain, [&](int64_t begin, int64_t end) {
    visit(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const int64_t at = begin + count_in_range(reinterpret_cast<const T*>(indices) + begin, end - begin, m);
        if (at == end) return;
        for (int64_t known = first; at < known && !first.compare_exchange_weak(known, at);) {}
      }
    });
  });
  if (first == n) return;
  int64_t index = 0;
  read_indices(type, indices, first, 1, &index);
  throw_index_error(index, first, m);
}

// One column: the elements `from` at `indices` go to out, which has m elements.
struct Column {
  Type type, index_type;
  const std::byte *base, *indices, *values;  // values: null if elements are counted
  std::byte* out;                            // may be base
  int64_t n, m;
  bool one_value;  // `values` are indices_at_once equal elements, those of each block

  // The values of the elements from k on, of which a block is read.
  template <class T> const T* values_from(int64_t k) const { return reinterpret_cast<const T*>(values) + (one_value ? 0 : k); }

  // out[k] = base[k] for k in [begin, end).
  void begin_with_base(int64_t begin, int64_t end) const {
    const auto bytes = int64_t(size_of(type));
    if (out != base) std::copy_n(base + begin * bytes, (end - begin) * bytes, out + begin * bytes);
  }
};

// The loops of an operation on elements of type T. Operations on bits, sums and products wrap, so that T is unsigned for them.
template <Op op, class T> struct Combiner {
  static T apply(T x, T y) {
    if constexpr (op == Op::add_) return T(x + y);
    else if constexpr (op == Op::mul_) return T(x * y);
    else if constexpr (op == Op::min_) return std::min(x, y);
    else if constexpr (op == Op::max_) return std::max(x, y);
    else if constexpr (op == Op::and_) return T(x & y);
    else if constexpr (op == Op::or_) return T(x | y);
    else return T(x ^ y);
  }
  static void combine_atomically(T& at, T x) {
    std::atomic_ref<T> element(at);
    T known = element.load(std::memory_order_relaxed);
    for (;;) {
      const T next = apply(known, x);
      if (next == known || element.compare_exchange_weak(known, next, std::memory_order_relaxed)) return;
    }
  }

  // body(element, value) for each value and the element at its index.
  template <class Body> static void for_each_value(const Column& c, int64_t begin, int64_t end, std::byte* to_, const Body& body) {
    T* const to = reinterpret_cast<T*>(to_);
    int64_t indices[indices_at_once];
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, end - first);
      read_indices(c.index_type, c.indices, first, count, indices);
      const T* values = c.values_from<T>(first);
      for (int64_t k = 0; k < count; k++) body(to[indices[k]], values[k]);
    }
  }

  template <bool atomically> static void scatter(const Column& c, int64_t begin, int64_t end, std::byte* to) {
    for_each_value(c, begin, end, to, [](T& element, T value) {
      if constexpr (atomically) combine_atomically(element, value);
      else element = apply(element, value);
    });
  }
  // Bools, for `or` and `and`. An `or` stores nothing but true and an `and` nothing but false, so plain stores of several workers agree.
  static void scatter_bools(const Column& c, int64_t begin, int64_t end, std::byte* to) {
    constexpr T stored = op == Op::or_;
    for_each_value(c, begin, end, to, [](T& element, T value) {
      if (value == stored) std::atomic_ref<T>(element).store(stored, std::memory_order_relaxed);
    });
  }
  static void join(std::byte* to_, const std::byte* table_, int64_t begin, int64_t end) {
    T* __restrict to = reinterpret_cast<T*>(to_);
    const T* __restrict table = reinterpret_cast<const T*>(table_);
    for (int64_t k = begin; k < end; k++) to[k] = apply(to[k], table[k]);
  }
};

struct Combination {
  void (*alone)(const Column&, int64_t begin, int64_t end, std::byte* to);     // to[indices[k]] = to[indices[k]] op values[k]
  void (*together)(const Column&, int64_t begin, int64_t end, std::byte* to);  // the same by several workers, atomically
  void (*join)(std::byte* to, const std::byte* table, int64_t begin, int64_t end);
};
template <Op op, class T>
constexpr Combination combination{Combiner<op, T>::template scatter<false>, Combiner<op, T>::template scatter<true>, Combiner<op, T>::join};
template <Op op>
constexpr Combination of_bools{Combiner<op, uint8_t>::template scatter<false>, Combiner<op, uint8_t>::scatter_bools,
                               Combiner<op, uint8_t>::join};

// T: an unsigned type of the elements' size, or their own type (bytes for bools) for min and max, whose result depends on the sign.
template <class T> const Combination& combination_of(Op op) {
  using Word = std::make_unsigned_t<T>;
  switch (op) {
    case Op::add_: return combination<Op::add_, Word>;
    case Op::mul_: return combination<Op::mul_, Word>;
    case Op::min_: return combination<Op::min_, T>;
    case Op::max_: return combination<Op::max_, T>;
    case Op::and_: return combination<Op::and_, Word>;
    case Op::or_: return combination<Op::or_, Word>;
    case Op::xor_: return combination<Op::xor_, Word>;
    default: throw std::logic_error("scatter: an operation that does not commute");
  }
}
const Combination& combination_of(Op op, Type type) {
  switch (type) {
    case Type::Bool:
      if (op == Op::or_) return of_bools<Op::or_>;
      if (op == Op::and_) return of_bools<Op::and_>;
      return combination_of<uint8_t>(op);
    case Type::U8: return combination_of<uint8_t>(op);
    case Type::I32: return combination_of<int32_t>(op);
    case Type::U32: return combination_of<uint32_t>(op);
    case Type::I64: return combination_of<int64_t>(op);
    case Type::U64: return combination_of<uint64_t>(op);
    default: throw std::logic_error("scatter: an operation on floats");
  }
}

// The tables of all workers, each of `bytes` bytes, after clear(table) for each and f(table, begin, end) for all n elements.
std::vector<BufferRef> filled_tables(int64_t n, int64_t bytes, const std::shared_ptr<Pool>& pool,
                                     const std::function<void(std::byte*)>& clear,
                                     const std::function<void(std::byte*, int64_t, int64_t)>& f) {
  const int workers = int(std::min<int64_t>(worker_count(), (n + scatter_grain - 1) / scatter_grain));
  std::vector<BufferRef> tables;
  for (int w = 0; w < workers; w++) tables.push_back(Buffer::make(pool, size_t(bytes)));
  Chunks chunks((n + scatter_grain - 1) / scatter_grain);
  for_pieces(workers, std::max<int64_t>(scatter_grain / std::max<int64_t>(bytes, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t w = begin; w < end; w++) clear(tables[size_t(w)]->host_for_writing());
  });
  for_chunks(chunks, workers, [&](int w) {
    std::byte* table = tables[size_t(w)]->host_for_writing();
    for (int64_t piece = chunks.next(); piece >= 0; piece = chunks.next())
      f(table, piece * scatter_grain, std::min(n, (piece + 1) * scatter_grain));
  });
  return tables;
}

// Calls f(table, begin, end) for all elements, with a table of `size` identities for each worker, and then out[k] = base[k] and all tables'
// elements k, k + m, ... combined.
void by_tables(const Column& c, int64_t size, Bits64 identity, const std::shared_ptr<Pool>& pool, const Combination& combination,
               const std::function<void(std::byte*, int64_t, int64_t)>& f) {
  const int64_t bytes = int64_t(size_of(c.type));
  auto clear = [&](std::byte* table) { fill_elements(table, bytes, size, identity); };
  const std::vector<BufferRef> tables = filled_tables(c.n, size * bytes, pool, clear, f);
  for_pieces(c.m, scatter_grain, [&](int64_t begin, int64_t end) {
    c.begin_with_base(begin, end);
    for (const BufferRef& table : tables)
      for (int64_t copy = 0; copy < size; copy += c.m) combination.join(c.out, table->host() + copy * bytes, begin, end);
  });
}

// The number of words that hold m bits.
int64_t words_of_bits(int64_t m) { return (m + 63) / 64; }

// Sets bit indices[k] of a table whose bits are numbered from the lowest one of byte 0 on, if values[k] == decides. Bytes rather than longer words:
// an update waits for earlier ones of its word.
template <class I> void set_bits(const Column& c, uint8_t* table, int64_t begin, int64_t end, uint8_t decides) {
  static_assert(std::endian::native == std::endian::little);  // the tables are read as words
  for (int64_t first = begin; first < end; first += indices_at_once) {
    const int64_t count = std::min(indices_at_once, end - first);
    const I* indices = reinterpret_cast<const I*>(c.indices) + first;
    const auto* values = c.values_from<uint8_t>(first);
    const bool all_decide = !std::memchr(values, !decides, size_t(count));
    for (int64_t k = 0; k < count; k++) {
      const auto index = std::make_unsigned_t<I>(indices[k]);
      table[index / 8] |= uint8_t((all_decide || values[k] == decides) << (index % 8));
    }
  }
}

// Bools for `or` and `and`: bit k of a table is true if one of the worker's values decides element k: true for `or`, false for `and`.
template <Op op> void by_bits(const Column& c, const std::shared_ptr<Pool>& pool) {
  constexpr uint8_t decides = op == Op::or_;
  const int64_t words = words_of_bits(c.m);
  auto clear = [&](std::byte* table) { std::fill_n(reinterpret_cast<uint64_t*>(table), words, 0); };
  auto combine = [&](std::byte* table, int64_t begin, int64_t end) {
    visit(c.index_type, [&](auto tag) {
      using I = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<I> && !std::is_same_v<I, bool>)
        set_bits<I>(c, reinterpret_cast<uint8_t*>(table), begin, end, decides);
    });
  };
  const std::vector<BufferRef> tables = filled_tables(c.n, words * 8, pool, clear, combine);
  for_pieces(words, scatter_grain / 64, [&](int64_t begin, int64_t end) {
    c.begin_with_base(64 * begin, std::min(c.m, 64 * end));
    for (int64_t w = begin; w < end; w++) {
      uint64_t decided = 0;
      for (const BufferRef& table : tables) decided |= reinterpret_cast<const uint64_t*>(table->host())[w];
      auto* const out = reinterpret_cast<uint8_t*>(c.out) + 64 * w;
      const int64_t count = std::min<int64_t>(64, c.m - 64 * w);
      for (int64_t k = 0; k < count; k++) {
        const auto bit = uint8_t(decided >> k & 1);
        out[k] = op == Op::or_ ? uint8_t(out[k] | bit) : uint8_t(out[k] & ~bit);
      }
    }
  });
}

void scatter_column(Op op, const Column& c, const std::shared_ptr<Pool>& pool) {
  const Combination& combination = combination_of(op, c.type);
  const int64_t bytes = int64_t(size_of(c.type));
  if (c.type == Type::Bool && (op == Op::or_ || op == Op::and_) && c.n > few_values && c.m / 8 <= table_bytes && c.m <= c.n)
    return op == Op::or_ ? by_bits<Op::or_>(c, pool) : by_bits<Op::and_>(c, pool);
  if (c.n > few_values && c.m * bytes <= table_bytes && c.m <= c.n)
    return by_tables(c, c.m, *identity_bits(op, c.type), pool, combination,
                     [&](std::byte* table, int64_t begin, int64_t end) { combination.alone(c, begin, end, table); });
  for_pieces(c.m, scatter_grain, [&](int64_t begin, int64_t end) { c.begin_with_base(begin, end); });
  if (c.n <= few_values) return combination.alone(c, 0, c.n, c.out);
  for_pieces(c.n, scatter_grain, [&](int64_t begin, int64_t end) { combination.together(c, begin, end, c.out); });
}

// Floats of type T, carried in f64, into at most 256 elements. Each piece of the values has `counters` tables, which take them in turn.
template <Op op, class T> struct FloatCombiner {
  static double apply(double x, double y) {
    if constexpr (op == Op::add_) return x + y;
    else if constexpr (op == Op::mul_) return x * y;
    else if constexpr (op == Op::min_) return meaning::lesser(x, y);
    else return meaning::greater(x, y);
  }

  // Combines a piece into tables[0, m).
  static void scatter_piece(const Column& c, int64_t begin, int64_t end, double* tables) {
    std::fill_n(tables, counters * c.m, from_bits<double>(neutral_bits(op, Type::F64)));
    int64_t wide[indices_at_once];
    uint8_t converted[indices_at_once];
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t count = std::min(indices_at_once, end - first);
      const auto* indices = reinterpret_cast<const uint8_t*>(c.indices) + first;
      if (c.index_type != Type::U8) {
        read_indices(c.index_type, c.indices, first, count, wide);
        indices = std::copy_n(wide, count, converted) - count;
      }
      const T* values = c.values_from<T>(first);
      auto combine = [&](int64_t k, int64_t turn) {
        double& at = tables[turn * c.m + indices[k]];
        at = apply(at, double(values[k]));
      };
      int64_t k = 0;
      for (; k + counters <= count; k += counters)
        for (int64_t turn = 0; turn < counters; turn++) combine(k + turn, turn);
      for (; k < count; k++) combine(k, 0);
    }
    for (int64_t k = c.m; k < counters * c.m; k++) tables[k % c.m] = apply(tables[k % c.m], tables[k]);
  }

  static void scatter(const Column& c, const std::shared_ptr<Pool>& pool) {
    const int64_t grain = std::max(scatter_grain, (c.n + most_pieces - 1) / most_pieces);
    const int64_t pieces = std::max<int64_t>((c.n + grain - 1) / grain, 1), size = counters * c.m;
    const BufferRef memory = Buffer::make(pool, size_t(pieces * size) * sizeof(double));
    auto* const tables = reinterpret_cast<double*>(memory->host_for_writing());
    for_pieces(pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; p++) scatter_piece(c, p * grain, std::min(c.n, (p + 1) * grain), tables + p * size);
    });
    for (int64_t k = 0; k < c.m; k++) {
      double total = tables[k];
      for (int64_t p = 1; p < pieces; p++) total = apply(total, tables[p * size + k]);
      reinterpret_cast<T*>(c.out)[k] = T(apply(double(reinterpret_cast<const T*>(c.base)[k]), total));
    }
  }
};

template <class T> void scatter_floats(Op op, const Column& c, const std::shared_ptr<Pool>& pool) {
  switch (op) {
    case Op::add_: return FloatCombiner<Op::add_, T>::scatter(c, pool);
    case Op::mul_: return FloatCombiner<Op::mul_, T>::scatter(c, pool);
    case Op::min_: return FloatCombiner<Op::min_, T>::scatter(c, pool);
    case Op::max_: return FloatCombiner<Op::max_, T>::scatter(c, pool);
    default: throw std::logic_error("scatter: an operation on integers");
  }
}

// Counts elements in turns of `counters` tables.
void count_few(const Column& c, const std::shared_ptr<Pool>& pool) {
  by_tables(c, counters * c.m, 0, pool, combination<Op::add_, uint64_t>, [&](std::byte* table_, int64_t begin, int64_t end) {
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

void count_column(const Column& c, const std::shared_ptr<Pool>& pool) {
  if (c.m > 0 && c.m <= most_bins && c.n > few_values) return count_few(c, pool);
  auto count = [&](int64_t begin, int64_t end, int64_t* to, bool together) {
    int64_t indices[indices_at_once];
    for (int64_t first = begin; first < end; first += indices_at_once) {
      const int64_t length = std::min(indices_at_once, end - first);
      read_indices(c.index_type, c.indices, first, length, indices);
      for (int64_t k = 0; k < length; k++) {
        if (together) std::atomic_ref<int64_t>(to[indices[k]]).fetch_add(1, std::memory_order_relaxed);
        else to[indices[k]]++;
      }
    }
  };
  int64_t* const out = reinterpret_cast<int64_t*>(c.out);
  c.begin_with_base(0, c.m);
  if (c.n <= few_values) return count(0, c.n, out, false);
  for_pieces(c.n, scatter_grain, [&](int64_t begin, int64_t end) { count(begin, end, out, true); });
}

}  // namespace

void scatter(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool) {
  auto input = [&](size_t k) {
    const InputBuffer& from = launch.inputs[k];
    return from.buffer->host() + from.offset * int64_t(size_of(launch.kernel->inputs[k].type));
  };
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length;
  alignas(8) std::byte equal[indices_at_once * sizeof(Bits64)];
  if (call.one_value) {
    const auto bytes = int64_t(size_of(call.types[0]));
    fill_elements(equal, bytes, indices_at_once, launch.inputs[columns + 1].length > 0 ? read_bits(input(columns + 1), bytes) : 0);
  }
  if (call.routine.checks && n > 0) require_in_range(launch.kernel->inputs[columns].type, input(columns), n, launch.n);
  for (size_t k = 0; k < columns; k++) {
    const Column column{call.types[k],
                        launch.kernel->inputs[columns].type,
                        input(k),
                        input(columns),
                        !call.fn         ? nullptr
                        : call.one_value ? equal
                                         : input(columns + 1 + k),
                        launch.outputs[k]->host_for_writing(),
                        n,
                        launch.n,
                        call.one_value};
    if (!call.fn) count_column(column, pool);
    else if (column.type == Type::F32) scatter_floats<float>(*column_op(*call.fn, k), column, pool);
    else if (column.type == Type::F64) scatter_floats<double>(*column_op(*call.fn, k), column, pool);
    else scatter_column(*column_op(*call.fn, k), column, pool);
  }
}

}  // namespace wf::cpu
