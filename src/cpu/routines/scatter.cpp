// Scattering integers: each worker combines into a table of its own while the tables are small, otherwise into the result, by atomic
// operations. Every operation commutes, so the result does not depend on who comes first.
#include <algorithm>
#include <atomic>

#include "cpu/chunks.h"
#include "cpu/routines/routines.h"
#include "cpu/routines/words.h"

namespace wf::cpu {
namespace {

constexpr int64_t claimed = 1 << 16;      // elements that a worker claims at a time
constexpr int64_t few = 1 << 14;          // elements that one worker combines alone
constexpr int64_t table_bytes = 1 << 22;  // of a worker's table
constexpr int64_t part = 1024;            // indices that are converted at a time
constexpr int64_t counters = 4,
                  most_bins = 2048;  // a short histogram counts in turns, so that equal neighbours need not wait for each other

// The operation on the bits of a T.
template <Op op, class T> struct Combiner {
  static T apply(T x, T y) {
    using U = std::conditional_t<std::is_same_v<T, bool>, bool, std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, int, T>>>;
    if constexpr (op == Op::add_) return T(U(x) + U(y));
    else if constexpr (op == Op::mul_) return T(uint64_t(U(x)) * uint64_t(U(y)));
    else if constexpr (op == Op::min_) return std::min(x, y);
    else if constexpr (op == Op::max_) return std::max(x, y);
    else if constexpr (op == Op::and_) return T(U(x) & U(y));
    else if constexpr (op == Op::or_) return T(U(x) | U(y));
    else return T(U(x) ^ U(y));
  }
  static void combine(T& at, T x) { at = apply(at, x); }
  static void combine_atomically(T& at, T x) {
    std::atomic_ref<T> element(at);
    T known = element.load(std::memory_order_relaxed);
    for (;;) {
      const T next = apply(known, x);
      if (next == known || element.compare_exchange_weak(known, next, std::memory_order_relaxed)) return;
    }
  }
};

// The indices of a run as 64-bit numbers.
void read_indices(Type type, const std::byte* from, int64_t begin, int64_t count, int64_t* to) {
  visit(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* indices = reinterpret_cast<const T*>(from) + begin;
    for (int64_t k = 0; k < count; k++) to[k] = int64_t(indices[k]);
  });
}

// One column: the elements `from` at `indices` go to out, which has m elements.
struct Column {
  Type type, index_type;
  const std::byte *base, *indices, *values;  // values: null if elements are counted
  std::byte* out;
  int64_t n, m;
};

template <class T, class Combine> void run_part(const Column& c, int64_t begin, int64_t end, T* to, const Combine& combine) {
  int64_t indices[part];
  for (int64_t first = begin; first < end; first += part) {
    const int64_t count = std::min(part, end - first);
    read_indices(c.index_type, c.indices, first, count, indices);
    const T* values = reinterpret_cast<const T*>(c.values) + first;
    for (int64_t k = 0; k < count; k++) combine(to[indices[k]], values[k]);
  }
}

// Calls f(table, begin, end) for all elements, with a table of `size` identities for each worker, and then out[k] = base[k] and all tables'
// elements k, k + m, ... combined.
template <class T, class Apply, class F>
void by_tables(const Column& c, int64_t size, T identity, const std::shared_ptr<Pool>& pool, const Apply& apply, const F& f) {
  const int workers = int(std::min<int64_t>(worker_count(), (c.n + claimed - 1) / claimed));
  std::vector<BufferRef> tables;
  for (int w = 0; w < workers; w++) tables.push_back(Buffer::make(pool, size_t(size) * sizeof(T)));
  Chunks chunks((c.n + claimed - 1) / claimed);
  for (const BufferRef& table : tables) std::fill_n(reinterpret_cast<T*>(table->host_for_writing()), size, identity);
  for_chunks(chunks, workers, [&](int w) {
    T* table = reinterpret_cast<T*>(tables[size_t(w)]->host_for_writing());
    for (int64_t piece = chunks.next(); piece >= 0; piece = chunks.next()) f(table, piece * claimed, std::min(c.n, (piece + 1) * claimed));
  });
  for_pieces(c.m, claimed, [&](int64_t begin, int64_t end) {
    T* out = reinterpret_cast<T*>(c.out);
    const T* base = reinterpret_cast<const T*>(c.base);
    for (int64_t k = begin; k < end; k++) out[k] = base[k];
    for (const BufferRef& buffer : tables)
      for (int64_t copy = 0; copy < size; copy += c.m) {
        const T* table = reinterpret_cast<const T*>(buffer->host()) + copy;
        for (int64_t k = begin; k < end; k++) out[k] = apply(out[k], table[k]);
      }
  });
}

template <Op op, class T> void scatter_column(const Column& c, const std::shared_ptr<Pool>& pool) {
  using Operation = Combiner<op, T>;
  T* const out = reinterpret_cast<T*>(c.out);
  const bool fits = c.m * int64_t(sizeof(T)) <= table_bytes && c.m <= c.n;
  if (c.n > few && fits) {
    const T identity = from_bits<T>(*identity_bits(op, c.type));
    return by_tables<T>(c, c.m, identity, pool, Operation::apply,
                        [&](T* table, int64_t begin, int64_t end) { run_part(c, begin, end, table, Operation::combine); });
  }
  std::copy_n(reinterpret_cast<const T*>(c.base), c.m, out);
  if (c.n <= few) return run_part(c, 0, c.n, out, Operation::combine);
  for_pieces(c.n, claimed, [&](int64_t begin, int64_t end) { run_part(c, begin, end, out, Operation::combine_atomically); });
}

// Counts elements in turns of `counters` tables.
void count_few(const Column& c, const std::shared_ptr<Pool>& pool) {
  by_tables<int64_t>(c, counters * c.m, 0, pool, std::plus<int64_t>(), [&](int64_t* table, int64_t begin, int64_t end) {
    visit(c.index_type, [&](auto tag) {
      using I = typename decltype(tag)::type;
      const I* indices = reinterpret_cast<const I*>(c.indices);
      int64_t k = begin;
      for (; k + counters <= end; k += counters)
        for (int64_t turn = 0; turn < counters; turn++) table[turn * c.m + int64_t(indices[k + turn])]++;
      for (; k < end; k++) table[int64_t(indices[k])]++;
    });
  });
}

void count_column(const Column& c, const std::shared_ptr<Pool>& pool) {
  if (c.m > 0 && c.m <= most_bins && c.n > few) return count_few(c, pool);
  auto count = [&](int64_t begin, int64_t end, int64_t* to, bool together) {
    int64_t indices[part];
    for (int64_t first = begin; first < end; first += part) {
      const int64_t length = std::min(part, end - first);
      read_indices(c.index_type, c.indices, first, length, indices);
      for (int64_t k = 0; k < length; k++) {
        if (together) std::atomic_ref<int64_t>(to[indices[k]]).fetch_add(1, std::memory_order_relaxed);
        else to[indices[k]]++;
      }
    }
  };
  int64_t* const out = reinterpret_cast<int64_t*>(c.out);
  std::copy_n(reinterpret_cast<const int64_t*>(c.base), c.m, out);
  if (c.n <= few) return count(0, c.n, out, false);
  for_pieces(c.n, claimed, [&](int64_t begin, int64_t end) { count(begin, end, out, true); });
}

template <class T> void scatter_by(Op op, const Column& c, const std::shared_ptr<Pool>& pool) {
  switch (op) {
    case Op::add_:
      if constexpr (!std::is_same_v<T, bool>) return scatter_column<Op::add_, T>(c, pool);
      break;
    case Op::mul_:
      if constexpr (!std::is_same_v<T, bool>) return scatter_column<Op::mul_, T>(c, pool);
      break;
    case Op::min_: return scatter_column<Op::min_, T>(c, pool);
    case Op::max_: return scatter_column<Op::max_, T>(c, pool);
    case Op::and_: return scatter_column<Op::and_, T>(c, pool);
    case Op::or_: return scatter_column<Op::or_, T>(c, pool);
    case Op::xor_: return scatter_column<Op::xor_, T>(c, pool);
    default: break;
  }
  throw std::logic_error("scatter: an operation that does not commute");
}

}  // namespace

void scatter(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool) {
  auto input = [&](size_t k) {
    const InputBuffer& from = launch.inputs[k];
    return from.buffer->host() + from.offset * int64_t(size_of(launch.kernel->inputs[k].type));
  };
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length;
  for (size_t k = 0; k < columns; k++) {
    const Column column{call.types[k],
                        launch.kernel->inputs[columns].type,
                        input(k),
                        input(columns),
                        call.fn ? input(columns + 1 + k) : nullptr,
                        launch.outputs[k]->host_for_writing(),
                        n,
                        launch.n};
    if (!call.fn) count_column(column, pool);
    else
      visit(column.type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) scatter_by<T>(*column_op(*call.fn, k), column, pool);
      });
  }
}

}  // namespace wf::cpu
