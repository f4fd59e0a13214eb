// Folds in registers against sequential evaluation.
#include "check.h"
#include "tables.h"

namespace wf::cpu {
namespace {

template <class T> Bits64 expected(Op op, const T* x, const uint8_t* mask, int64_t n) {
  Bits64 sum = *identity_bits(op, type_of<T>);
  for (int64_t i = 0; i < n; i++)
    if (!mask || mask[i]) sum = evaluate(op, type_of<T>, sum, to_bits(x[i]));
  return sum;
}

const int64_t lengths[] = {0, 1, 7, 15, 16, 63, 64, 65, 255, 256, 257, 1000};

TEST(folds_and_masked_folds_of_every_operation_and_type) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          Op op = monoid_ops[m];
          CHECK_EQ(table.folds.fold[m][t] != nullptr, is_in(Type(t), info(op).on));
          if (!table.folds.fold[m][t]) return;
          bool ignores_nan = op == Op::min_ || op == Op::max_;
          for (int64_t n : lengths) {
            Column<T> x = numbers<T>(n, unsigned(n), ignores_nan);
            Column<bool> mask = numbers<bool>(n, unsigned(n + 1));
            auto bytes = reinterpret_cast<const uint8_t*>(mask.get());
            Bits64 identity = *identity_bits(op, Type(t));
            alignas(64) T lanes[simd::fold_bytes / sizeof(T)];
            auto reset = [&] {
              for (T& lane : lanes) lane = from_bits<T>(identity);
            };
            int64_t cut = n / 2 / 256 * 256;  // in two calls
            reset();
            table.folds.fold[m][t](x.get(), cut, lanes);
            table.folds.fold[m][t](x.get() + cut, n - cut, lanes);
            CHECK(same(from_bits<T>(table.folds.join[m][t](lanes)), from_bits<T>(expected(op, x.get(), nullptr, n))));
            reset();
            table.folds.masked[m][t](x.get(), bytes, n, lanes, identity);
            CHECK(same(from_bits<T>(table.folds.join[m][t](lanes)), from_bits<T>(expected(op, x.get(), bytes, n))));
          }
        });
}

TEST(totals_of_rows_have_the_bits_of_lanes) {
  constexpr int64_t rows = 128, length = 4096;
  int64_t first[rows], n[rows];
  for (int64_t r = 0; r < rows; r++) {
    n[r] = r < std::ssize(lengths) ? lengths[r] : r % 7 == 0 ? 0 : r * r % 301;
    first[r] = r * 29 % (length - 64 - n[r]);
  }
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.folds.totals[m][t] != nullptr, table.folds.fold[m][t] != nullptr);
          if (!table.folds.fold[m][t]) return;
          const bool ignores_nan = monoid_ops[m] == Op::min_ || monoid_ops[m] == Op::max_;
          const Column<T> x = numbers<T>(length, 5, ignores_nan);
          const Bits64 identity = *identity_bits(monoid_ops[m], Type(t));
          for (bool in_cache : {false, true}) {
            alignas(64) T totals[rows];
            table.folds.totals[m][t](x.get(), in_cache, first, n, rows, identity, totals);
            for (int64_t r = 0; r < rows; r++) {
              alignas(64) T lanes[simd::fold_bytes / sizeof(T)];
              for (T& lane : lanes) lane = from_bits<T>(identity);
              table.folds.fold[m][t](x.get() + first[r], n[r], lanes);
              const Bits64 joined = table.folds.join[m][t](lanes);
              CHECK_EQ(to_bits(totals[r]), joined);
              CHECK_EQ(table.folds.total[m][t](x.get() + first[r], n[r], identity), joined);
            }
          }
        });
}

TEST(rows_of_a_matrix_have_the_bits_of_totals) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.folds.rows[m][t] != nullptr, table.folds.fold[m][t] != nullptr);
          if (!table.folds.rows[m][t]) return;
          const bool ignores_nan = monoid_ops[m] == Op::min_ || monoid_ops[m] == Op::max_;
          const Column<T> x = numbers<T>(70 * 320 + 384, 5, ignores_nan);
          const Bits64 neutral = neutral_bits(monoid_ops[m], Type(t));
          for (int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 64, 65, 100, 128, 129, 255, 256, 257, 320})
            for (int64_t distance : {n, n + 1, int64_t(2)})
              for (int64_t rows : {0, 1, 63, 64, 70}) {
                alignas(64) T out[128];
                const Bits64 start = rows == 64 ? neutral : to_bits(x[7]);
                table.folds.rows[m][t](x.get(), std::min<int64_t>(distance, 320), n, rows, neutral, start, out);
                for (int64_t r = 0; r < rows; r++) {
                  const Bits64 total = table.folds.total[m][t](x.get() + r * std::min<int64_t>(distance, 320), n, neutral);
                  CHECK_EQ(to_bits(out[r]), evaluate(monoid_ops[m], Type(t), start, total));
                }
              }
        });
}

TEST(segments_of_a_row_depend_on_its_length) {
  for (const auto& [n, length] : {std::pair<int64_t, int64_t>{2048, 1024},
                                  {4095, 1024},
                                  {4096, 2048},
                                  {16384, 8192},
                                  {32767, 8192},
                                  {32768, 16384},
                                  {1 << 20, 16384}})
    CHECK_EQ(simd::segment_of(n), length);
  CHECK(simd::segment_of(1) >= 2047 && simd::segment_of(2047) >= 2047);
}

TEST(long_rows_are_folded_in_segments) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          if (!table.folds.rows[m][t]) return;
          const bool ignores_nan = monoid_ops[m] == Op::min_ || monoid_ops[m] == Op::max_;
          const Column<T> x = numbers<T>(60'000, 5, ignores_nan);
          const Bits64 neutral = neutral_bits(monoid_ops[m], Type(t)), start = to_bits(x[7]);
          const auto total_of = [&](int64_t first, int64_t n) {
            Bits64 total = 0;
            for (int64_t at = 0; at < n; at += simd::segment_of(n)) {
              const Bits64 next = table.folds.total[m][t](x.get() + first + at, std::min(simd::segment_of(n), n - at), neutral);
              total = at == 0 ? next : evaluate(monoid_ops[m], Type(t), total, next);
            }
            return total;
          };
          alignas(64) T out[64];
          for (int64_t n : {2047, 2048, 2049, 4095, 5000, 16384}) {
            table.folds.rows[m][t](x.get(), 500, n, 19, neutral, start, out);
            for (int64_t r = 0; r < 19; r++) CHECK_EQ(to_bits(out[r]), evaluate(monoid_ops[m], Type(t), start, total_of(r * 500, n)));
          }
          int64_t first[64], n[64];  // a few long rows among short ones
          for (int64_t r = 0; r < 64; r++) first[r] = r * 31, n[r] = 1 + r * r % 90;
          n[3] = 2047, n[4] = 2048, n[20] = 50'001, n[21] = 17'000, n[40] = 5000, n[63] = 2049;
          for (bool in_cache : {false, true}) {
            table.folds.totals[m][t](x.get(), in_cache, first, n, 64, neutral, out);
            for (int64_t r = 0; r < 64; r++) CHECK_EQ(to_bits(out[r]), total_of(first[r], n[r]));
          }
        });
}

// So many rows are read in several runs at once.
TEST(many_short_rows_of_a_matrix_have_the_bits_of_totals) {
  for (const Tables& table : all_tables())
    for (const Op op : {Op::add_, Op::max_})
      for (Type type : {Type::U8, Type::F32, Type::I64})
        visit(type, [&](auto tag) {
          using T = typename decltype(tag)::type;
          const int m = int(std::ranges::find(monoid_ops, op) - std::begin(monoid_ops)), t = int(type);
          const Bits64 neutral = neutral_bits(op, type), start = to_bits(T(7));
          constexpr int64_t elements = 150'000;
          const Column<T> x = numbers<T>(elements + 384, 5, op == Op::max_);
          for (int64_t n : {2, 3, 4, 5, 8})
            for (int64_t distance : {n, n + 3}) {
              const int64_t rows = elements / distance;
              const Column<T> out = numbers<T>(rows, 1, true);
              table.folds.rows[m][t](x.get(), distance, n, rows, neutral, start, out.get());
              for (int64_t r = 0; r < rows; r++)
                CHECK_EQ(to_bits(out[size_t(r)]), evaluate(op, type, start, table.folds.total[m][t](x.get() + r * distance, n, neutral)));
            }
        });
}

TEST(folds_across_of_every_operation_and_type) {
  constexpr int most = 9;
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.folds.across[m][t] != nullptr, table.folds.fold[m][t] != nullptr);
          if (!table.folds.across[m][t]) return;
          const Op op = monoid_ops[m];
          const bool ignores_nan = op == Op::min_ || op == Op::max_;
          for (int64_t n : {64, 128, 320})
            for (int count : {0, 1, 2, 4, 7, 8, most})
              for (bool begins : {false, true}) {  // false: the totals are the output
                const Column<T> x = numbers<T>(n * most + 8, unsigned(n + count), ignores_nan),
                                other = numbers<T>(n + 1, unsigned(n), ignores_nan), out = numbers<T>(n + 64, unsigned(count), ignores_nan);
                std::vector<Bits64> expected;
                const void* from[most];
                for (int k = 0; k < most; k++) from[k] = x.get() + k * n + (k * 5) % 8;
                const T* const total = begins ? other.get() + 1 : out.get();
                for (int64_t i = 0; i < n + 64; i++) {
                  Bits64 value = to_bits(i < n ? total[i] : out[size_t(i)]);
                  for (int k = 0; k < count && i < n; k++) value = evaluate(op, Type(t), value, to_bits(static_cast<const T*>(from[k])[i]));
                  expected.push_back(value);
                }
                table.folds.across[m][t](total, from, count, n, out.get());
                for (int64_t i = 0; i < n + 64; i++) CHECK(same(out[size_t(i)], from_bits<T>(expected[size_t(i)])));
              }
        });
}

TEST(runs_of_every_operation_and_type) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.folds.runs[m][t] != nullptr, table.folds.fold[m][t] != nullptr);
          if (!table.folds.runs[m][t]) return;
          const Op op = monoid_ops[m];
          const bool ignores_nan = op == Op::min_ || op == Op::max_;
          for (int64_t n : {1, 2, 3, 4, 5, 7, 32}) {
            n *= std::min<int64_t>(64, simd::fold_bytes / int64_t(sizeof(T)));
            for (int64_t count : {1, 2, 3, 8})
              for (bool begins : {false, true}) {
                const Column<T> x = numbers<T>(n * count + 1, unsigned(n + count), ignores_nan),
                                other = numbers<T>(n + 1, unsigned(n), ignores_nan), out = numbers<T>(n + 64, unsigned(count), ignores_nan);
                const T* const total = begins ? other.get() + 1 : out.get();
                std::vector<Bits64> expected;
                for (int64_t i = 0; i < n + 64; i++) {
                  Bits64 value = to_bits(i < n ? total[i] : out[size_t(i)]);
                  for (int64_t k = 0; k < count && i < n; k++) value = evaluate(op, Type(t), value, to_bits(x[size_t(k * n + i + 1)]));
                  expected.push_back(value);
                }
                table.folds.runs[m][t](total, x.get() + 1, count, n, out.get());
                for (int64_t i = 0; i < n + 64; i++) CHECK(same(out[size_t(i)], from_bits<T>(expected[size_t(i)])));
              }
          }
        });
}

TEST(trees_of_every_operation_and_type) {
  for (const Tables& table : all_tables())
    for (int m = 0; m < simd::monoid_count; m++)
      for (int t = 0; t < simd::type_count; t++)
        visit(Type(t), [&](auto tag) {
          using T = typename decltype(tag)::type;
          CHECK_EQ(table.folds.tree[m][t] != nullptr, table.folds.fold[m][t] != nullptr);
          if (!table.folds.tree[m][t]) return;
          const Op op = monoid_ops[m];
          for (int64_t n : {64, 192})
            for (int count : {2, 4, 8}) {
              const Column<T> x = numbers<T>(n * 8 + 8, unsigned(n + count), op == Op::min_ || op == Op::max_),
                              out = numbers<T>(n + 64, 1, false);
              const Column<T> before = numbers<T>(n + 64, 1, false);
              const void* from[8];
              for (int k = 0; k < 8; k++) from[k] = x.get() + k * n + k;
              table.folds.tree[m][t](from, count, n, out.get());
              for (int64_t i = 0; i < n; i++) {
                std::vector<Bits64> level;
                for (int k = 0; k < count; k++) level.push_back(to_bits(static_cast<const T*>(from[k])[i]));
                for (; level.size() > 1; level.resize(level.size() / 2))
                  for (size_t k = 0; k < level.size() / 2; k++) level[k] = evaluate(op, Type(t), level[2 * k], level[2 * k + 1]);
                CHECK(same(out[size_t(i)], from_bits<T>(level[0])));
              }
              for (int64_t i = n; i < n + 64; i++) CHECK(same(out[size_t(i)], before[size_t(i)]));
            }
        });
}

TEST(float_sums_have_the_same_bits_in_every_instruction_set) {
  std::vector<float> x(10007);
  std::mt19937 random(1);
  for (float& value : x) value = float(random()) * 0x1p-32f - 0.3f;
  std::vector<Bits64> sums;
  for (const Tables& table : all_tables()) {
    alignas(64) float lanes[64] = {};
    int m = int(simd::Monoid::add_), t = int(Type::F32);
    table.folds.fold[m][t](x.data(), int64_t(x.size()), lanes);
    sums.push_back(table.folds.join[m][t](lanes));
  }
  for (Bits64 sum : sums) CHECK_EQ(sum, sums[0]);
}

}  // namespace
}  // namespace wf::cpu
