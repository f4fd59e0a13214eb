// Prefixes in registers against sequential evaluation.
#include <algorithm>
#include <cmath>

#include "check.h"
#include "tables.h"

namespace wf::cpu {
namespace {

const int64_t lengths[] = {0, 1, 2, 7, 15, 16, 17, 63, 64, 65, 300};

template <class T> void check_prefixes(const Tables& table, int m, int t, int64_t n) {
  Op op = monoid_ops[m];
  Column<T> x = numbers<T>(n, unsigned(n), op == Op::min_ || op == Op::max_), exclusive(n), inclusive(n), alone(n);
  Bits64 identity = *identity_bits(op, Type(t));
  const T start = op == Op::mul_ ? T(1) : T(std::is_same_v<T, bool> ? 1 : 2);
  auto* prefix = table.prefixes.prefix[m][t];

  T carry = start, carry_exclusive = start, carry_inclusive = start;
  prefix(x.get(), nullptr, n, identity, &carry, exclusive.get(), inclusive.get());
  Bits64 before = to_bits(start);
  for (int64_t i = 0; i < n; i++) {
    CHECK(same(exclusive[i], from_bits<T>(before)));
    before = evaluate(op, Type(t), before, to_bits(x[i]));
    CHECK(same(inclusive[i], from_bits<T>(before)));
  }
  CHECK(same(carry, from_bits<T>(before)));

  prefix(x.get(), nullptr, n, identity, &carry_exclusive, alone.get(), nullptr);
  for (int64_t i = 0; i < n; i++) CHECK(same(alone[i], exclusive[i]));
  prefix(x.get(), nullptr, n, identity, &carry_inclusive, nullptr, alone.get());
  for (int64_t i = 0; i < n; i++) CHECK(same(alone[i], inclusive[i]));
  CHECK(same(carry, carry_exclusive) && same(carry, carry_inclusive));
}

// Calls f(T{}, table, m, t) for each operation m and each type t that it takes.
template <class F> void for_operations_and_types(F f) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          CHECK_EQ(table.prefixes.prefix[m][t] != nullptr, is_in(Type(t), info(monoid_ops[m]).on));
          if (table.prefixes.prefix[m][t]) f(typename decltype(tag)::type(), table, m, t);
        });
}

TEST(prefixes_of_every_operation_and_type) {
  for_operations_and_types([](auto x, const Tables& table, int m, int t) {
    for (int64_t n : lengths) check_prefixes<decltype(x)>(table, m, t, n);
  });
}

// Nothing precedes the elements whose flags are set. Every `distance`-th one is, from `first` on.
template <class T> void check_restarted(const Tables& table, int m, int t, int64_t n, int64_t first, int64_t distance) {
  const Op op = monoid_ops[m];
  Column<T> x = numbers<T>(n, unsigned(n), op == Op::min_ || op == Op::max_), exclusive(n), inclusive(n), alone(n);
  Column<uint8_t> flags(n);
  for (int64_t i = 0; i < n; i++) flags[i] = i >= first && (i - first) % distance == 0;
  const T start = op == Op::mul_ ? T(1) : T(std::is_same_v<T, bool> ? 1 : 2);
  const bool skips_nan = op == Op::min_ || op == Op::max_;
  const Bits64 neutral = std::is_floating_point_v<T> && skips_nan ? to_bits(T(NAN)) : *identity_bits(op, Type(t));
  T carry = start, alone_carry = start;
  auto run = [&](T& carried, T* ex, T* in) { table.prefixes.prefix[m][t](x.get(), flags.get(), n, neutral, &carried, ex, in); };
  run(carry, exclusive.get(), inclusive.get());
  run(alone_carry, nullptr, alone.get());
  Bits64 before = to_bits(start);
  for (int64_t i = 0; i < n; i++) {
    CHECK(same(exclusive[i], from_bits<T>(before)));
    before = flags[i] ? to_bits(x[i]) : evaluate(op, Type(t), before, to_bits(x[i]));
    CHECK(same(inclusive[i], from_bits<T>(before)) && same(alone[i], inclusive[i]));
  }
  CHECK(same(carry, from_bits<T>(before)) && same(alone_carry, carry));
  run(alone_carry = start, nullptr, nullptr);
  CHECK(same(alone_carry, carry));
}

TEST(prefixes_that_begin_again_at_flags) {
  for_operations_and_types([](auto x, const Tables& table, int m, int t) {
    for (int64_t n : lengths)
      for (int64_t first : {0, 1, 15})
        for (int64_t distance : {1, 2, 3, 7, 8, 16, 17, 33, 1000}) check_restarted<decltype(x)>(table, m, t, n, first, distance);
  });
}

// Arrays of rows from an element within one on, in two runs: each element is combined with the one above it.
template <class T> void check_along(const Tables& table, int m, int t, int64_t length, int64_t inner, int64_t at) {
  const Op op = monoid_ops[m];
  const int64_t n = 2 * length * inner + 5, size = length * inner, first_run = n / 3;
  Column<T> x = numbers<T>(n, unsigned(n), op == Op::min_ || op == Op::max_), exclusive(n), inclusive(n), alone(n), carries(inner),
            latest(inner);
  const T start = op == Op::mul_ ? T(1) : T(std::is_same_v<T, bool> ? 1 : 2);
  for (int64_t c = 0; c < inner; c++) carries[c] = latest[c] = T(1);
  std::vector<Bits64> before(size_t(inner), to_bits(T(1)));
  auto run = [&](int64_t begin, int64_t end, const Column<T>& from, T* ex, T* in) {
    table.prefixes.along[m][t](x.get() + begin, end - begin,
                               {length, inner, (at + begin) % size, to_bits(start), *identity_bits(op, Type(t))}, from.get(),
                               ex ? ex + begin : nullptr, in ? in + begin : nullptr);
  };
  for (const auto& [begin, end] : {std::pair(int64_t(0), first_run), std::pair(first_run, n)}) {
    run(begin, end, carries, exclusive.get(), inclusive.get());
    run(begin, end, latest, nullptr, nullptr);
  }
  for (int64_t i = 0; i < n; i++) {
    const int64_t place = (at + i) % size, column = place % inner;
    if (place == 0) std::ranges::fill(before, to_bits(start));
    CHECK(same(exclusive[i], from_bits<T>(before[size_t(column)])));
    before[size_t(column)] = evaluate(op, Type(t), before[size_t(column)], to_bits(x[i]));
    CHECK(same(inclusive[i], from_bits<T>(before[size_t(column)])));
  }
  for (int64_t c = 0; c < inner; c++) CHECK(same(carries[c], from_bits<T>(before[size_t(c)])) && same(latest[c], carries[c]));
}

TEST(prefixes_along_an_axis) {
  for_operations_and_types([](auto x, const Tables& table, int m, int t) {
    for (int64_t length : {1, 2, 3, 7, 8, 16, 31, 64, 65, 1030})
      for (int64_t inner : {1, 2, 3, 15, 16, 17, 70})
        for (int64_t at : {int64_t(0), length * inner / 2, length * inner - 1}) check_along<decltype(x)>(table, m, t, length, inner, at);
  });
}

TEST(bounds_of_sums) {
  for (const Tables& table : all_tables())
    for (int t = int(Type::U8); t < simd::type_count; t++)
      visit(Type(t), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<T, bool>)
          for (int64_t n : lengths)
            for (bool inclusive : {false, true}) {
              Column<T> x = numbers<T>(n, unsigned(n));
              T carry = 5, low = 100, high = std::is_unsigned_v<T> ? 0 : T(-100), sum = 5, least = low, greatest = high;
              table.prefixes.sum_bounds[t](x.get(), n, inclusive, &carry, &low, &high);
              for (int64_t i = 0; i < n; i++) {
                T p = inclusive ? T(sum + x[i]) : sum;
                sum = T(sum + x[i]);
                least = std::min(least, p), greatest = std::max(greatest, p);
              }
              CHECK_EQ(carry, sum);
              CHECK_EQ(low, least);
              CHECK_EQ(high, greatest);
            }
      });
}

}  // namespace
}  // namespace wf::cpu
