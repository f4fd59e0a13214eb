// Prefixes in registers against sequential evaluation.
#include <algorithm>

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
  prefix(x.get(), n, identity, &carry, exclusive.get(), inclusive.get());
  Bits64 before = to_bits(start);
  for (int64_t i = 0; i < n; i++) {
    CHECK(same(exclusive[i], from_bits<T>(before)));
    before = evaluate(op, Type(t), before, to_bits(x[i]));
    CHECK(same(inclusive[i], from_bits<T>(before)));
  }
  CHECK(same(carry, from_bits<T>(before)));

  prefix(x.get(), n, identity, &carry_exclusive, alone.get(), nullptr);
  for (int64_t i = 0; i < n; i++) CHECK(same(alone[i], exclusive[i]));
  prefix(x.get(), n, identity, &carry_inclusive, nullptr, alone.get());
  for (int64_t i = 0; i < n; i++) CHECK(same(alone[i], inclusive[i]));
  CHECK(same(carry, carry_exclusive) && same(carry, carry_inclusive));
}

TEST(prefixes_of_every_operation_and_type) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.prefixes.prefix[m][t] != nullptr, is_in(Type(t), info(monoid_ops[m]).on));
          if (!table.prefixes.prefix[m][t]) return;
          for (int64_t n : lengths) check_prefixes<T>(table, m, t, n);
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
