// sort and merge against the oracle: every type, keys that fit into a word and keys that do not, payload, equal keys, sequences that
// cross pieces and runs, and sorts among maps, scans and filters.
#include <algorithm>
#include <iterator>
#include <random>

#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"
#include "samples.h"

using graph::Nodes;
using oracle::Value;
using std::vector;
using wf::Bits64;
using wf::NodeRef;
using wf::Routine;
using wf::Type;

namespace {

constexpr int64_t sizes[] = {0, 1, 2, 3, 63, 100, 1025, 40007};
constexpr Type all_types[] = {Type::Bool, Type::U8, Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64};

// Column k of n elements: `distinct` values (0: many), among them the type's edges. The last column counts, so that a test sees which of
// equal elements comes first.
Value random_value(const vector<Type>& types, int64_t n, unsigned seed, uint64_t distinct) {
  std::mt19937_64 random(seed);
  Value value(types, n);
  for (size_t k = 0; k < types.size(); k++)
    wf::visit(types[k], [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto edges = samples::edges<T>();
      for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = distinct ? random() % distinct : random();
        T x = T(int64_t(bits >> (random() % 64)));
        if (distinct) x = T(int64_t(bits));
        if (random() % 16 == 0) x = edges[random() % edges.size()];
        value.columns[k][i] = wf::to_bits<T>(x);
      }
    });
  return value;
}

Value with_count(Value value) {
  value.types.push_back(Type::I32);
  value.columns.emplace_back(value.length);
  value.faults.emplace_back();
  for (int64_t i = 0; i < value.length; i++) value.columns.back()[i] = wf::to_bits<int32_t>(int32_t(i));
  return value;
}

void check_sort(const Value& value, int32_t keys, bool descending) {
  const Value right = oracle::sort({Routine::Sort, descending, uint16_t(keys)}, nullptr, value);
  CHECK_EQ(oracle::difference(right, graph::forced(wf::sort(graph::source(value), keys, descending))), "");
}

// The order of the result is undefined, but not its elements: their last column counts them.
void check_permutation(const NodeRef& s, int64_t n) {
  vector<Bits64> counted = graph::forced(s).columns.back();
  std::ranges::sort(counted);
  int64_t wrong = int64_t(counted.size()) != n;
  for (int64_t i = 0; i < int64_t(counted.size()); i++) wrong += counted[size_t(i)] != uint64_t(i);
  CHECK_EQ(wrong, 0);
}

}  // namespace

TEST(one_key_alone) {
  for (Type type : all_types)
    for (int64_t n : sizes)
      for (bool descending : {false, true}) check_sort(random_value({type}, n, 1 + unsigned(n), n % 2 ? 0 : 5), 1, descending);
}

TEST(equal_keys_keep_their_order) {
  for (Type type : all_types)
    for (int64_t n : sizes)
      for (bool descending : {false, true}) check_sort(with_count(random_value({type}, n, 2 + unsigned(n), 7)), 1, descending);
}

TEST(several_keys) {
  const vector<vector<Type>> keys = {{Type::Bool, Type::F32},
                                     {Type::I32, Type::F64},
                                     {Type::U64, Type::I64},
                                     {Type::F64, Type::U8, Type::I64, Type::F32},
                                     {Type::I64, Type::F64, Type::U64, Type::Bool, Type::I64}};
  for (const auto& types : keys)
    for (int64_t n : {int64_t(3), int64_t(1025), int64_t(40007)})
      for (bool descending : {false, true})
        check_sort(with_count(random_value(types, n, unsigned(n), 3)), int32_t(types.size()), descending);
}

TEST(payload_columns_go_with_their_keys) {
  for (int64_t n : sizes) check_sort(random_value({Type::U32, Type::F64, Type::Bool, Type::U8, Type::I64}, n, 9, 100), 1, n % 2);
}

namespace {

std::string plan_of(const Nodes& nodes) { return wf::explain(nodes, wf::ExplainFormat::Text); }
bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Parts of a sort that are selected and parts that are not, each alone and together.
void check_selected(const Value& value, int32_t keys, bool descending) {
  const Value right = oracle::sort({Routine::Sort, descending, uint16_t(keys)}, nullptr, value);
  const int64_t n = value.length;
  const std::pair<int64_t, int64_t> parts[] = {{0, 1}, {0, 10}, {n - 7, 7}, {n / 2, 1}, {n / 4, n / 100}, {n / 3, n / 2}};
  const NodeRef s = graph::source(value), shared = wf::sort(s, keys, descending);
  Nodes together;
  for (const auto& [begin, count] : parts) {
    const Value expected = oracle::subseq(right, begin, count);
    const NodeRef alone = wf::subseq(wf::sort(s, keys, descending), begin, count);
    CHECK_EQ(contains(plan_of({alone}), " at "), graph::context()->engine->selects() && count <= n / 8);
    CHECK_EQ(oracle::difference(expected, graph::forced(alone)), "");
    CHECK_EQ(oracle::difference(expected, graph::forced(wf::subseq(shared, begin, count))), "");
    if (count < n / 8) together.push_back(wf::rev(wf::subseq(shared, begin, count)));
  }
  wf::force(together);
  for (size_t k = 0; k < together.size(); k++)
    CHECK_EQ(oracle::difference(oracle::subseq(right, parts[k].first, parts[k].second), graph::forced(wf::rev(together[k]))), "");
}

}  // namespace

TEST(selected_positions) {
  for (Type type : all_types)
    for (bool descending : {false, true}) {
      check_selected(random_value({type}, 1000, 5, 0), 1, descending);
      for (uint64_t distinct : {0, 5, 1000}) {
        const Value value = random_value({type}, 20011, 6, distinct);
        check_selected(distinct == 5 ? value : with_count(value), 1, descending);
      }
    }
}

TEST(selected_by_several_keys) {
  for (uint64_t distinct : {0, 3, 200})
    for (bool descending : {false, true}) {
      check_selected(with_count(random_value({Type::F32, Type::U8, Type::I64}, 17011, 3, distinct)), 3, descending);
      check_selected(with_count(random_value({Type::U64, Type::I64}, 17011, 4, distinct)), 2, descending);
    }
}

TEST(selected_in_order_of_a_function) {
  const auto by_size = graph::fn("(fn ((a f32) (i i32) (b f32) (j i32)) (gt (abs a) (abs b)))");
  const auto no_key = graph::fn("(fn ((a f32) (i i32) (b f32) (j i32)) (lt (add (abs a) (mul 0.5:f32 (abs b))) (mul 1.5:f32 (abs b))))");
  Value value = with_count(Value({Type::F32}, 60001));
  for (int64_t i = 0; i < value.length; i++) value.columns[0][size_t(i)] = wf::to_bits(float(i * 7919 % 1003) - 500);
  for (const auto& less : {by_size, no_key}) {
    const Value right = oracle::subseq(oracle::sort({}, less.fn, value), 0, 20);
    CHECK_EQ(oracle::difference(right, graph::forced(wf::subseq(wf::sort(less, graph::source(value)), 0, 20))), "");
  }
}

// Readers at indices that are not known, routines and the caller need all positions; elements and reductions of a few need these alone.
TEST(positions_that_readers_need) {
  if (!graph::context()->engine->selects()) return;
  const Value value = random_value({Type::I32}, 50000, 8, 0);
  const NodeRef s = graph::source(value);
  const auto sorted = [&] { return wf::sort(s, 1, false); };
  const auto plan = [&](const NodeRef& node) { return plan_of({node}); };
  CHECK(contains(plan(wf::nth(sorted(), 25000)), "sort(1 key) at 25000;"));
  CHECK(contains(plan(wf::rev(wf::subseq(wf::subseq(sorted(), 100, 500), 10, 20))), "sort(1 key) at 110 to 129;"));
  CHECK(contains(plan(graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", wf::subseq(sorted(), 49990, 10))),
                 "sort(1 key) at 49990 to 49999;"));
  CHECK(contains(plan(graph::tabulate("(fn ((i i64)) (add (at $0 i) (at $0 (sub 49999:i64 i))))", 20, {sorted()})),
                 "sort(1 key) at 0 to 19, 49980 to 49999;"));
  CHECK(contains(plan(graph::tabulate("(fn ((i i64)) (at $0 (min i 3:i64)))", 50000, {sorted()})), "sort(1 key) at 0 to 3;"));
  CHECK(contains(plan(graph::tabulate("(fn ((i i64)) (at $0 (cast i64 (at $1 i))))", 5, {sorted(), s})), "sort(1 key);"));
  CHECK(contains(plan(wf::sort(wf::subseq(sorted(), 0, 10), 1, true)), "sort(1 key) at 0 to 9;"));
  const NodeRef all = sorted(), few = wf::subseq(all, 0, 10);
  CHECK(contains(plan_of({all, few}), "sort(1 key);"));
  CHECK(contains(plan(wf::subseq(sorted(), 0, 20000)), "sort(1 key);"));
  const Value right = oracle::sort({Routine::Sort, false, 1}, nullptr, value);
  CHECK_EQ(oracle::difference(oracle::subseq(right, 0, 10), graph::forced(few)), "");
  CHECK_EQ(oracle::difference(right, graph::forced(all)), "");
}

// A sorted sequence whose positions are read again is sorted and kept.
TEST(selected_once) {
  if (!graph::context()->engine->selects()) return;
  const Value value = random_value({Type::I32}, 50000, 9, 0), right = oracle::sort({Routine::Sort, false, 1}, nullptr, value);
  const NodeRef sorted = wf::sort(graph::source(value), 1, false);
  const auto check = [&](int64_t position, const char* plan, bool has) {
    const NodeRef element = wf::nth(sorted, position);
    CHECK_EQ(contains(plan_of({element}), plan), has);
    CHECK_EQ(graph::forced(element).columns[0][0], right.columns[0][size_t(position)]);
  };
  check(25000, "sort(1 key) at 25000;", true);
  check(0, "sort(1 key);", true);
  check(49999, "call 1: sort", false);
}

// Rows that one core sorts and long ones, alone and with further columns; of their positions all, and few of them.
TEST(rows_each_on_its_own) {
  struct Shape {
    int64_t rows, length;
  };
  unsigned seed = 0;
  for (const Shape& shape : {Shape{700, 2}, Shape{300, 33}, Shape{3, 5000}, Shape{40, 1024}, Shape{1, 20}, Shape{2, 132000}})
    for (Type type : {Type::Bool, Type::U8, Type::I32, Type::F32, Type::I64, Type::F64})
      for (bool with_columns : {false, true}) {
        if (shape.rows * shape.length > 100000 && type != Type::F32) continue;
        seed++;
        Value value = random_value({type}, shape.rows * shape.length, seed, seed % 3 ? 0 : 4);
        if (with_columns) value = with_count(value);
        const bool descending = seed % 2;
        const Routine routine{Routine::Sort, descending, 1};
        const Value right = oracle::sort_rows(routine, shape.length, value);
        const int64_t extents[] = {shape.rows, shape.length};
        const auto sorted = [&] { return wf::sort_axis(wf::reshape(graph::source(value), extents), 1, descending); };
        CHECK_EQ(oracle::difference(right, graph::forced(sorted())), "");
        const int64_t count = std::max<int64_t>(shape.length / 8, 1);
        for (int64_t first : {int64_t(0), shape.length / 2, shape.length - count}) {
          const int64_t starts[] = {0, first}, counts[] = {shape.rows, count};
          const NodeRef part = wf::slice(sorted(), starts, counts, nullptr);
          vector<Value> rows;
          for (int64_t row = 0; row < shape.rows; row++) rows.push_back(oracle::subseq(right, row * shape.length + first, count));
          vector<const Value*> all;
          for (const Value& row : rows) all.push_back(&row);
          if (shape.rows > 1 && shape.length >= 8 && graph::context()->engine->selects()) CHECK(contains(plan_of({part}), " at "));
          CHECK_EQ(oracle::difference(oracle::append(all), graph::forced(part)), "");
        }
      }
}

// Keys of a small range anywhere in their type, whose words have only the range's bits; one element lies outside where samples do not see it.
TEST(keys_of_a_small_range) {
  auto ranged = [](Type type, int64_t n, unsigned seed, uint64_t range, int place, bool outlier) {
    std::mt19937_64 random(seed);
    Value value({type}, n);
    wf::visit(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, bool>) {
        // Numbers around 1000 as floats, and from the least, up to the greatest and around 0 as integers.
        auto number = [&](uint64_t k) {
          if constexpr (std::is_floating_point_v<T>) return T(1000) + T(double(k) * 1e-6);
          else if (place == 0) return T(uint64_t(std::numeric_limits<T>::min()) + k);
          else if (place == 1) return T(uint64_t(std::numeric_limits<T>::max()) - k);
          else return T(k - range / 2);
        };
        for (int64_t i = 0; i < n; i++) value.columns[0][i] = wf::to_bits<T>(number(random() % range));
        if (outlier) value.columns[0][5] = wf::to_bits<T>(number(3 * range));
      }
    });
    return value;
  };
  unsigned seed = 0;
  for (Type type : {Type::U8, Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64})
    for (int64_t n : {1024, 16385, 100003})
      for (uint64_t range : {1, 60, 2049, 9000, 300000})
        for (int place : {0, 1, 2}) {
          const bool descending = ++seed % 2;
          const Value keys = ranged(type, n, seed, range, place, seed % 3 == 0);
          check_sort(keys, 1, descending);
          check_sort(with_count(keys), 1, descending);
          if (range == 300000 || n == 1024) continue;
          Value two = ranged(Type::I64, n, seed, 5, place, false);
          two.types.push_back(type);
          two.columns.push_back(keys.columns[0]);
          two.faults.emplace_back();
          check_sort(with_count(two), 2, descending);
          const Routine by_first{Routine::Sort, descending, 1};
          const Value left = oracle::sort(by_first, nullptr, oracle::subseq(keys, 0, n / 3));
          const Value right = oracle::sort(by_first, nullptr, oracle::subseq(keys, n / 3, n - n / 3));
          const NodeRef merged = wf::merge(graph::source(left), graph::source(right), 1, descending);
          CHECK_EQ(oracle::difference(oracle::sort(by_first, nullptr, keys), graph::forced(merged)), "");
        }
}

// Rows that are in order are copied. One that is not, at the borders of what is tested at once, is moved.
TEST(rows_that_are_almost_in_order) {
  for (int64_t n : {2, 257, 40007})
    for (bool descending : {false, true})
      for (int64_t place : {0, 1, 255, 256, 257, 16383, 16384, 40006}) {
        if (place >= n) continue;
        Value rows = with_count(random_value({Type::I32}, n, 5, 1 << 20));
        std::ranges::sort(rows.columns[0], [&](Bits64 x, Bits64 y) {
          return descending ? wf::from_bits<int32_t>(y) < wf::from_bits<int32_t>(x) : wf::from_bits<int32_t>(x) < wf::from_bits<int32_t>(y);
        });
        check_sort(rows, 1, descending);
        rows.columns[0][size_t(place)] = wf::to_bits<int32_t>(descending == (place % 2 == 0) ? INT32_MAX : INT32_MIN);
        check_sort(rows, 1, descending);
      }
}

// The tiles of a GPU's radix sort have from 2432 to 13248 elements.
TEST(keys_and_payload_across_tiles) {
  for (int64_t n : {2432, 2433, 8831, 8832, 8833, 65537})
    for (Type type : all_types)
      for (bool descending : {false, true})
        check_sort(with_count(random_value({type}, n, unsigned(n), type == Type::I64 ? 0 : 300)), 1, descending);
  for (bool descending : {false, true}) {
    check_sort(random_value({Type::F32, Type::F64, Type::U8, Type::I32}, (1 << 20) + 7, 5, 1 << 16), 1, descending);
    check_sort(random_value({Type::U64}, (1 << 20) + 7, 6, 0), 1, descending);
  }
}

// NaNs of both signs and all payloads are one key, -0 comes before 0.
TEST(bits_of_floats) {
  const uint64_t special[] = {0x7fc00000, 0xffc00000, 0xffffffff, 0x7fffffff, 0xff800001, 0x7f800000, 0xff800000,
                              0x80000000, 0,          1,          0x80000001, 0xff7fffff, 0x7f7fffff, 0x3f800000};
  const uint64_t wide[] = {0x7ff8000000000000,
                           0xfff8000000000000,
                           ~uint64_t(0),
                           0x7fffffffffffffff,
                           0xfff0000000000001,
                           0x7ff0000000000000,
                           0xfff0000000000000,
                           uint64_t(1) << 63,
                           0,
                           1,
                           0xffefffffffffffff,
                           0x3ff0000000000000};
  std::mt19937_64 random(7);
  for (int64_t n : {5, 100, 5003, 100003})
    for (bool descending : {false, true}) {
      Value value(vector{Type::F32, Type::I32}, n), doubles(vector{Type::F64, Type::F32, Type::U8}, n);
      for (int64_t i = 0; i < n; i++) {
        const uint64_t x = special[random() % std::size(special)];
        value.set_row(i, {{x, wf::to_bits<int32_t>(int32_t(i))}});
        doubles.set_row(i, {{wide[random() % std::size(wide)], x, uint64_t(i % 256)}});
      }
      check_sort(value, 1, descending);
      check_sort(value, 2, descending);
      check_sort(oracle::columns(value, {0}), 1, descending);
      check_sort(doubles, 1, descending);
      check_sort(doubles, 2, descending);
      check_sort(oracle::columns(doubles, {0}), 1, descending);
    }
}

TEST(sorted_by_a_function) {
  const auto by_sum = graph::fn("(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt (add (cast f32 a) x) (add (cast f32 b) y)))");
  for (int64_t n : sizes) {
    Value value(vector{Type::I32, Type::F32, Type::I32}, n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (int64_t i = 0; i < n; i++)
      value.set_row(
          i, {{wf::to_bits<int32_t>(int(random() % 50)), wf::to_bits<float>(float(random() % 20) / 4), wf::to_bits<int32_t>(int32_t(i))}});
    const Value right = oracle::sort({}, by_sum.fn, value);
    CHECK_EQ(oracle::difference(right, graph::forced(wf::sort(by_sum, graph::source(value)))), "");
  }
}

// Comparisons of keys, which the CPU engine sorts by these keys, and the last two, which are none.
// No key of one element gives the order of quotients. Equal quotients keep their order.
TEST(sorted_by_quotients) {
  const auto by_quotient = graph::fn(
      "(fn ((a u32) (p bool) (b u32) (n i32) (c u32) (q bool) (d u32) (m i32)) "
      "(lt (mul (cast u64 a) (cast u64 (add d 1:u32))) (mul (cast u64 c) (cast u64 (add b 1:u32)))))");
  for (int64_t n : {0, 1, 2, 3, 4, 5, 63, 64, 65, 1025, 20011}) {
    Value value(vector{Type::U32, Type::Bool, Type::U32, Type::I32}, n);
    std::mt19937 random(static_cast<unsigned>(n));
    for (int64_t i = 0; i < n; i++) {
      value.columns[0][i] = random() % 50, value.columns[1][i] = random() % 2, value.columns[2][i] = random() % 60;
      value.columns[3][i] = wf::to_bits<int32_t>(int32_t(i));
    }
    const Value right = oracle::sort({}, by_quotient.fn, value);
    for (int round = 0; round < 2; round++)
      CHECK_EQ(oracle::difference(right, graph::forced(wf::sort(by_quotient, graph::source(value)))), "");
    const NodeRef sorted = graph::source(right), nothing = graph::source(Value(value.types, 0));
    CHECK_EQ(oracle::difference(right, graph::forced(wf::merge(by_quotient, sorted, nothing))), "");
    CHECK_EQ(oracle::difference(right, graph::forced(wf::merge(by_quotient, nothing, sorted))), "");
  }
}

TEST(sorted_by_what_is_no_order) {
  const char* const no_orders[] = {"(ne (and (add (cast i64 a) (mul 3:i64 (cast i64 b))) 5:i64) 0:i64)",
                                   "(le a b)",
                                   "(not (gt a b))",
                                   "(lt (mul a a) b)",
                                   "(eq (rem (cast i64 a) 7:i64) (rem (cast i64 b) 5:i64))",
                                   "true",
                                   "(ne i j)"};
  for (const char* no_order : no_orders)
    for (int64_t n : {2, 5, 1000, 30000, 100003}) {
      const auto f = graph::fn(std::string("(fn ((a f32) (i i64) (b f32) (j i64)) ") + no_order + ")");
      const NodeRef s = graph::tabulate(
          "(fn ((i i64)) (tuple (where (eq (rem i 5:i64) 3:i64) nan:f32 (cast f32 (rem (mul i 7919:i64) 1003:i64))) i))", n);
      for (int round = 0; round < 3; round++) check_permutation(wf::sort(f, s), n);
    }
}

TEST(merged_without_order) {
  const auto less = graph::fn("(fn ((a i32) (n i32) (b i32) (m i32)) (lt a b))");
  const auto no_key = graph::fn("(fn ((a i32) (n i32) (b i32) (m i32)) (le a (sub b (rem n 3:i32))))");
  for (int64_t n : {int64_t(1), int64_t(1000), int64_t(50000), int64_t(70001)})
    for (int64_t m : {int64_t(1), int64_t(333), int64_t(50000)})
      for (bool descending : {false, true}) {
        const Value a = random_value({Type::I32}, n, 3, 50), b = random_value({Type::I32}, m, 4, 50);
        const Value all = with_count(oracle::append({&a, &b}));
        const NodeRef s = graph::source(all), first = wf::subseq(s, 0, n), second = wf::subseq(s, n, m);
        check_permutation(wf::merge(first, second, 1, descending), n + m);
        check_permutation(wf::merge(less, first, second), n + m);
        check_permutation(wf::merge(no_key, first, second), n + m);
        const Value wide = with_count(random_value({Type::U64, Type::F64}, n + m, 5, 0));
        const NodeRef t = graph::source(wide);
        check_permutation(wf::merge(wf::subseq(t, 0, n), wf::subseq(t, n, m), 2, descending), n + m);
      }
}

TEST(sorted_by_comparisons_of_keys) {
  const vector<std::string> comparisons = {
      "(lt a d)",
      "(gt (and a 7:i32) (and d 7:i32))",
      "(or (lt (rem a 5:i32) (rem d 5:i32)) (and (eq (rem a 5:i32) (rem d 5:i32)) (gt b e)))",
      "(or (gt b e) (and (eq b e) (gt a d)))",
      "(lt (mul (sub b 40.0:f32) (cast f32 (and a 1:i32))) (mul (sub e 40.0:f32) (cast f32 (and d 1:i32))))",
      "(lt (mul (cast i64 a) (cast i64 (add f 1:i32))) (mul (cast i64 d) (cast i64 (add c 1:i32))))",
      "(or (lt a d) (and (eq a d) (lt (mul c 3:i32) (add f (add f f)))))"};
  for (int64_t n : sizes)
    for (const std::string& comparison : comparisons) {
      Value value = with_count(random_value({Type::I32, Type::U8}, n, unsigned(n), 90));
      value.types[1] = Type::F32;  // whole numbers, 0 and -0
      for (wf::Bits64& bits : value.columns[1]) bits = bits % 5 == 0 ? wf::to_bits(-0.0f) : wf::to_bits(float(bits % 7));
      const auto less = graph::fn("(fn ((a i32) (b f32) (c i32) (d i32) (e f32) (f i32)) " + comparison + ")");
      const Value right = oracle::sort({}, less.fn, value);
      CHECK_EQ(oracle::difference(right, graph::forced(wf::sort(less, graph::source(value)))), "");
      const Value other = oracle::sort({}, less.fn, with_count(oracle::columns(oracle::subseq(value, n / 3, n - n / 3), {0, 1})));
      const Value merged = oracle::sort({}, less.fn, oracle::append({&right, &other}));
      CHECK_EQ(oracle::difference(merged, graph::forced(wf::merge(less, graph::source(right), graph::source(other)))), "");
    }
}

// A comparison of equal functions of the two elements is a sort by that function, and its column is sorted once if the elements have it.
TEST(comparisons_of_keys_are_sorts_by_keys) {
  const auto text = [](const NodeRef& s) { return wf::explain({&s, 1}, wf::ExplainFormat::Text); };
  const auto has = [](const std::string& all, const char* part) { return all.find(part) != std::string::npos; };
  struct Case {
    const char *less, *routine;
  };
  const Case cases[] = {
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt n m))", "sort(1 key of 3 columns);"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (gt (mul a n) (mul b m)))", "sort(1 key of 4 columns, descending);"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt (lt x 0.5:f32) (lt y 0.5:f32)))", "sort(1 key of 4 columns);"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt m n))", "sort(fn"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt x y))", "sort(fn"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt a (add b 1:i32)))", "sort(fn"},
      {"(fn ((a i32) (x f32) (n i32) (b i32) (y f32) (m i32)) (lt (mul a m) (mul b n)))", "sort(fn"},
  };
  for (const auto& [less, routine] : cases) {
    const auto fn = graph::fn(less);
    for (int64_t n : {5, 100003}) {
      Value value(vector{Type::I32, Type::F32, Type::I32}, n);
      std::mt19937 random(static_cast<unsigned>(n));
      for (int64_t i = 0; i < n; i++)
        value.set_row(i, {{wf::to_bits<int32_t>(int(random() % 50) + 1), wf::to_bits<float>(float(random() % 20) / 4),
                           wf::to_bits<int32_t>(int32_t(random() % 1000) + 1)}});
      const NodeRef sorted = wf::sort(fn, graph::source(value));
      CHECK(has(text(sorted), routine));
      if (std::string_view(less).find("(add b 1") != std::string_view::npos) continue;  // not an order
      if (std::string_view(less).find("(lt m n)") != std::string_view::npos) continue;
      CHECK_EQ(oracle::difference(oracle::sort({}, fn.fn, value), graph::forced(sorted)), "");
    }
  }
}

TEST(columns_that_occur_twice_are_sorted_once) {
  const Value value = with_count(random_value({Type::U32, Type::F32}, 100003, 3, 500));
  const NodeRef s = graph::source(value);
  const NodeRef key = graph::map("(fn ((k u32) (x f32) (n i32)) k)", {s});
  const NodeRef both[] = {key, s, wf::columns(s, vector<int32_t>{1})};
  const NodeRef sorted = wf::columns(wf::sort(wf::zip(both), 2, false), vector<int32_t>{1, 2, 3, 4});
  const std::string text = wf::explain({&sorted, 1}, wf::ExplainFormat::Text);
  CHECK(text.find("sort(1 key of 3 columns); i < 100003") != std::string::npos);
  CHECK_EQ(text.find("write"), std::string::npos);
  const Value right = oracle::sort({Routine::Sort, false, 1}, nullptr, value);
  CHECK_EQ(oracle::difference(oracle::columns(right, {0, 1, 2, 1}), graph::forced(sorted)), "");
}

// A merged sequence has a length of its own, although its inputs range over filters.
TEST(merges_of_filtered_sequences) {
  for (int64_t n : sizes) {
    vector<int32_t> all, odd, thirds;
    for (int32_t k = 0; k < n; k++) {
      all.push_back(k);
      if (k % 2 == 1) odd.push_back(3 * k);
      if (k % 3 == 0) thirds.push_back(2 * k);
    }
    auto kept = [&](const char* predicate, const char* value) {
      NodeRef result = graph::map(value, {graph::filter(predicate, graph::source(all))});
      wf::forced_length(result);
      return result;
    };
    auto odds = [&] { return kept("(fn ((x i32)) (eq (rem x 2:i32) 1:i32))", "(fn ((x i32)) (mul x 3:i32))"); };
    auto third = [&] { return kept("(fn ((x i32)) (eq (rem x 3:i32) 0:i32))", "(fn ((x i32)) (mul x 2:i32))"); };
    auto merged = [](const vector<int32_t>& x, const vector<int32_t>& y) {
      vector<int32_t> result;
      std::ranges::merge(x, y, std::back_inserter(result));
      return result;
    };
    const auto less = graph::fn("(fn ((a i32) (b i32)) (lt a b))");
    const NodeRef o = odds(), t = third();
    CHECK_EQ(graph::elements<int32_t>(wf::merge(o, t, 1, false)), merged(odd, thirds));
    CHECK_EQ(graph::elements<int32_t>(wf::merge(less, third(), odds())), merged(thirds, odd));
    CHECK_EQ(graph::elements<int32_t>(wf::merge(odds(), graph::source(all), 1, false)), merged(odd, all));
    CHECK_EQ(graph::elements<int32_t>(wf::merge(graph::source(all), odds(), 1, false)), merged(all, odd));
    // Forced together with its inputs, which the kernels of the same plan compute.
    const NodeRef x = odds(), y = third(), source = graph::source(all);
    const NodeRef all_of[] = {x, wf::merge(x, y, 1, false), wf::merge(y, x, 1, true), wf::merge(x, source, 1, false), y};
    wf::force(all_of);
    CHECK_EQ(graph::elements<int32_t>(all_of[1]), merged(odd, thirds));
    CHECK_EQ(graph::elements<int32_t>(all_of[3]), merged(odd, all));
    CHECK_EQ(graph::elements<int32_t>(all_of[2]).size(), odd.size() + thirds.size());
    auto up = [](const NodeRef& node) { return wf::sort(node, 1, false); };
    const NodeRef z = odds(), merges[] = {z, wf::merge(up(z), up(source), 1, false), wf::merge(up(z), up(third()), 1, false)};
    wf::force(merges);
    CHECK_EQ(graph::elements<int32_t>(merges[1]), merged(odd, all));
    CHECK_EQ(graph::elements<int32_t>(merges[2]), merged(odd, thirds));
    // The filter has run for another result, and keeps all elements.
    const NodeRef whole = graph::filter("(fn ((x i32)) (ge x 0:i32))", graph::source(all)),
                  more = graph::map("(fn ((x i32)) (add x 1:i32))", {whole});
    const NodeRef later = graph::map("(fn ((x i32)) (mul x 2:i32))", {more}), again = graph::map("(fn ((x i32)) (sub x 1:i32))", {more});
    wf::force({&later, 1});
    const NodeRef twice[] = {whole, more, wf::merge(up(again), up(whole), 1, false), wf::merge(up(more), up(source), 1, false)};
    wf::force(twice);
    CHECK_EQ(graph::elements<int32_t>(twice[2]), merged(all, all));
    CHECK_EQ(graph::elements<int32_t>(twice[3]).size(), 2 * all.size());
    const NodeRef both = wf::merge(o, o, 1, false);
    CHECK_EQ(graph::elements<int32_t>(graph::map("(fn ((x i32)) (add x 1:i32))", {both})).size(), 2 * odd.size());
    const NodeRef sum = graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", wf::merge(odds(), third(), 1, false));
    int32_t expected = 0;
    for (int32_t x : merged(odd, thirds)) expected = int32_t(uint32_t(expected) + uint32_t(x));
    CHECK_EQ(graph::elements<int32_t>(sum), vector<int32_t>{expected});
    CHECK_EQ(graph::elements<int32_t>(wf::sort(odds(), 1, true)), vector<int32_t>(odd.rbegin(), odd.rend()));
  }
}

TEST(sorted_by_a_function_with_a_fold) {
  const auto by_digits = graph::fn(
      "(fn ((a i32) (b i32)) (lt (fold ((x i32) (y i32)) (add x y) 0:i32 ((j 4:i64)) (rem (shr a (cast i32 j)) 2:i32))"
      " (fold ((x i32) (y i32)) (add x y) 0:i32 ((j 4:i64)) (rem (shr b (cast i32 j)) 2:i32))))");
  const NodeRef s = graph::tabulate("(fn ((i i64)) (cast i32 (rem (mul i 7919:i64) 1009:i64)))", 5003);
  oracle::Oracle meaning;
  const NodeRef sorted = wf::sort(by_digits, s);
  const auto right = meaning.value(sorted);
  CHECK_EQ(oracle::difference(*right, graph::forced(sorted)), "");
}

TEST(merged) {
  const auto less = graph::fn("(fn ((a i32) (n i32) (b i32) (m i32)) (lt a b))");
  for (int64_t n : sizes)
    for (int64_t m : {int64_t(0), int64_t(1), int64_t(500), int64_t(70001)}) {
      const Value a = oracle::sort({Routine::Sort, false, 1}, nullptr, with_count(random_value({Type::I32}, n, 3, 90)));
      const Value b = oracle::sort({Routine::Sort, false, 1}, nullptr, with_count(random_value({Type::I32}, m, 4, 80)));
      const Value right = oracle::sort({Routine::Sort, false, 1}, nullptr, oracle::append({&a, &b}));
      const NodeRef s = graph::source(a), t = graph::source(b);
      CHECK_EQ(oracle::difference(right, graph::forced(wf::merge(s, t, 1, false))), "");
      CHECK_EQ(oracle::difference(right, graph::forced(wf::merge(less, s, t))), "");
      const NodeRef alone[] = {wf::columns(s, vector<int32_t>{0}), wf::columns(t, vector<int32_t>{0})};
      CHECK_EQ(oracle::difference(oracle::columns(right, {0}), graph::forced(wf::merge(alone[0], alone[1], 1, false))), "");
    }
}

TEST(merged_descending_by_wide_keys) {
  const vector<Type> types{Type::U64, Type::I64, Type::F64};
  const Routine descending{Routine::Sort, true, 3};
  const Value a = oracle::sort(descending, nullptr, with_count(random_value(types, 5003, 1, 2)));
  const Value b = oracle::sort(descending, nullptr, with_count(random_value(types, 3001, 2, 2)));
  const Value right = oracle::sort(descending, nullptr, oracle::append({&a, &b}));
  CHECK_EQ(oracle::difference(right, graph::forced(wf::merge(graph::source(a), graph::source(b), 3, true))), "");
}

// The input of a sort is stored for it, and its readers are kernels of their own.
TEST(among_other_operations) {
  for (int64_t n : {int64_t(10), int64_t(100003)}) {
    auto make = [&] {
      const NodeRef s = graph::tabulate("(fn ((i i64)) (cast i32 (rem (mul i 7919:i64) 1009:i64)))", n);
      const NodeRef kept = graph::filter("(fn ((x i32)) (eq (rem x 3:i32) 0:i32))", graph::map("(fn ((x i32)) (add x 1:i32))", {s}));
      const NodeRef sorted = wf::sort(kept, 1, true);
      const NodeRef prefixes = graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", sorted, true).prefixes;
      const NodeRef pairs[] = {sorted, prefixes, kept};
      const NodeRef again = wf::sort(wf::zip(pairs), 2, false);
      const NodeRef sum = graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", graph::filter("(fn ((x i32)) (gt x 5:i32))", sorted));
      return Nodes{sorted, prefixes, again, sum, wf::length(sorted), kept};
    };
    oracle::Oracle meaning;
    vector<oracle::ValueRef> right;
    for (const NodeRef& node : make()) right.push_back(meaning.value(node));
    const Nodes together = make();
    wf::force(together);
    for (size_t k = 0; k < right.size(); k++) CHECK_EQ(oracle::difference(*right[k], oracle::read(*together[k])), "");
    for (size_t k = 0; k < right.size(); k++) CHECK_EQ(oracle::difference(*right[k], graph::forced(make()[k])), "");
    const Nodes backwards = make();
    for (size_t k = right.size(); k-- > 0;) CHECK_EQ(oracle::difference(*right[k], graph::forced(backwards[k])), "");
  }
}

TEST(a_sort_that_nobody_reads_is_not_run) {
  const NodeRef s = wf::sort(graph::source(vector<int>{3, 1, 2}), 1, false);
  const NodeRef ignores = graph::tabulate("(fn ((i i64)) (mul i 2:i64))", 5, {s});
  CHECK_EQ(wf::explain({&ignores, 1}, wf::ExplainFormat::Text).find("sort"), std::string::npos);
}

TEST(explained) {
  const NodeRef s = wf::sort(graph::map("(fn ((x i32)) (mul x x))", {graph::source(vector<int>{3, -1, 2})}), 1, true);
  const std::string text = wf::explain({&s, 1}, wf::ExplainFormat::Text);
  CHECK(text.find("call 2: sort(1 key, descending); i < 3") != std::string::npos);
  CHECK(text.find("1 passed to a routine") != std::string::npos);
  wf::force({&s, 1});
  CHECK(wf::explain({&s, 1}, wf::ExplainFormat::Text).find("computed by a call: sort(1 key, descending)") != std::string::npos);
}

TEST(mistakes) {
  const NodeRef s = graph::source(vector<int>{3, 1, 2}), scalar = wf::nth(s, 0), floats = graph::source(vector<float>{1});
  CHECK_THROWS(wf::ArgumentError, wf::sort(s, 0, false));
  CHECK_THROWS(wf::ArgumentError, wf::sort(s, 2, false));
  CHECK_THROWS(wf::SizeError, wf::sort(scalar, 1, false));
  CHECK_THROWS(wf::TypeError, wf::sort(graph::fn("(fn ((a i32)) (lt a 3:i32))"), s));
  CHECK_THROWS(wf::TypeError, wf::sort(graph::fn("(fn ((a i32) (b i32)) (add a b))"), s));
  CHECK_THROWS(wf::TypeError, wf::merge(s, floats, 1, false));
  CHECK_THROWS(wf::ArgumentError, wf::sort(graph::fn("(fn ((a i32) (b i32)) (lt a (at $0 0:i64)))", {s}), s));
}
