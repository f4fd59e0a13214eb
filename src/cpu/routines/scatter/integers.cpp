#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "cpu/routines/scatter/tables.h"
#include "ops/meaning.h"

namespace wf::cpu {
namespace {

constexpr int64_t most_bits = 16;  // of a worker's table of bits, per element of the run

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
  static void combine(T& element, T value) { element = apply(element, value); }
  static void alone(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to) { for_each_update<T>(c, begin, end, to, combine); }
  static void bucket(const Bucket& b, std::byte* to, std::byte*) { for_each_update<T>(b, to, combine); }
  // Bools, for `or` and `and`. An `or` stores nothing but true and an `and` nothing but false, so plain stores of several workers agree.
  static void scatter_bools(const ScatterColumn& c, int64_t begin, int64_t end, std::byte* to) {
    constexpr T stored = op == Op::or_;
    for_each_update<T>(c, begin, end, to, [](T& element, T value) {
      if (value == stored) std::atomic_ref<T>(element).store(stored, std::memory_order_relaxed);
    });
  }
  static void join(std::byte* to_, const std::byte* table_, int64_t begin, int64_t end) {
    T* __restrict to = reinterpret_cast<T*>(to_);
    const T* __restrict table = reinterpret_cast<const T*>(table_);
    for (int64_t k = begin; k < end; k++) to[k] = apply(to[k], table[k]);
  }
};

template <Op op, class T> constexpr Combination combination{Combiner<op, T>::alone, Combiner<op, T>::bucket, Combiner<op, T>::join};
template <Op op> constexpr Combination of_bools{Combiner<op, uint8_t>::scatter_bools, nullptr, nullptr};

// T: an unsigned type of the elements' size, or their own type (bytes for bools) for min and max, whose result depends on the sign.
template <class T> const Combination& combination_for(Op op) {
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

}  // namespace

const Combination& combination_of(Op op, Type type) {
  switch (type) {
    case Type::Bool:
      if (op == Op::or_) return of_bools<Op::or_>;
      if (op == Op::and_) return of_bools<Op::and_>;
      return combination_for<uint8_t>(op);
    case Type::U8: return combination_for<uint8_t>(op);
    case Type::I32: return combination_for<int32_t>(op);
    case Type::U32: return combination_for<uint32_t>(op);
    case Type::I64: return combination_for<int64_t>(op);
    case Type::U64: return combination_for<uint64_t>(op);
    default: throw std::logic_error("scatter: an operation on floats");
  }
}

void scatter_integers(Op op, const ScatterColumn& c, const std::shared_ptr<Pool>& pool) {
  const bool are_bits = c.type == Type::Bool && (op == Op::or_ || op == Op::and_);
  if (are_bits && c.n > few_values && c.m / 8 <= most_table_bytes && c.m <= most_bits * c.n) return scatter_by_bits(op, c, pool);
  combine_elements(c, *identity_bits(op, c.type), pool, combination_of(op, c.type));
}

}  // namespace wf::cpu
