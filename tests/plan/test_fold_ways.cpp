// Folds of many lengths and shapes against the oracle, and the same fold computed alone and with others, early and late.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "check.h"
#include "cpu/threads/chunks.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

string wrong(const NodeRef& node) {
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(node);
  return oracle::difference(*expected, graph::forced(node));
}

NodeRef forced(NodeRef s) {
  wf::force({&s, 1});
  return s;
}
// Small whole numbers, whose sums are exact.
NodeRef numbers(int64_t n) { return forced(graph::tabulate("(fn ((i i64)) (cast f32 (sub (rem (mul i 7919:i64) 101:i64) 50:i64)))", n)); }
// Numbers whose sums depend on their order.
NodeRef fractions(int64_t n) { return forced(graph::tabulate("(fn ((i i64)) (sin (cast f32 i)))", n)); }

string literal(int64_t n) { return std::to_string(n) + ":i64"; }
const string sum = "fold ((a f32) (b f32)) (add a b) 0.0:f32 ";
string fold(const string& count, const string& value) { return "(" + sum + "((j " + count + ")) " + value + ")"; }
NodeRef sums(int64_t rows, const string& count, const string& value, const Nodes& captures) {
  return graph::tabulate("(fn ((i i64)) " + fold(count, value) + ")", rows, captures);
}

bool on_gpu() { return graph::context()->pool->device() != nullptr; }

// On a GPU the order in which a row's floats are combined depends on the number of rows.
bool is_same_sum(float a, float b) { return on_gpu() ? std::abs(a - b) <= 1e-4f * std::max(1.0f, std::abs(b)) : a == b; }

}  // namespace

TEST(rows_and_columns_of_many_shapes) {
  for (auto [rows, length] : {std::pair<int64_t, int64_t>{2000, 2},
                              {100, 63},
                              {100, 64},
                              {100, 65},
                              {1, 127},
                              {20, 128},
                              {20, 129},
                              {3, 1000},
                              {33, 1000},
                              {2100, 130},
                              {17, 4097},
                              {2, 100003},
                              {40, 33000}}) {
    const NodeRef a = numbers(rows * length);
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (add (mul i " + literal(length) + ") j))", {a})), "");
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (add (mul j " + literal(rows) + ") i))", {a})), "");
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (add (mul j " + literal(rows) + ") (sub " + literal(rows - 1) + " i)))", {a})), "");
    // Backwards, in the positions.
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (sub (mul (add i 1:i64) " + literal(length) + ") (add j 1:i64)))", {a})), "");
  }
}

// Axis 1 of an array of three: the rows of a block are neighbours up to the end of axis 2.
TEST(rows_along_a_middle_axis) {
  for (auto [outer, count, inner] : {std::tuple<int64_t, int64_t, int64_t>{40, 40, 40},
                                     {3, 130, 64},
                                     {5, 30, 33},
                                     {2, 2100, 40},
                                     {70, 9, 32},
                                     {7, 40, 31},
                                     {2, 17, 5000},
                                     {300, 3, 35}}) {
    const int64_t rows = outer * inner, n = rows * count;
    auto axis = [&](const string& row, int64_t width) {
      const string length = literal(width);
      return "(add (mul (div " + row + " " + length + ") " + literal(width * count) + ") (rem " + row + " " + length + "))";
    };
    const string j = "(mul j " + literal(inner) + ")", element = "(at $0 (add " + axis("i", inner) + " " + j + "))";
    const NodeRef a = numbers(n), b = fractions(n);
    for (const string& value :
         {element, "(mul " + element + " " + element + ")",
          "(sub (at $0 (sub (sub " + literal(n - 1) + " " + axis("i", inner) + ") " + j + ")) " + element + ")",
          "(mul " + element + " (cast f32 (rem i 7:i64)))", "(add " + element + " (at $0 (rem (mul i j) " + literal(n) + ")))"})
      CHECK_EQ(wrong(sums(rows, literal(count), value, {a})), "");
    if (outer % 2 == 0)
      CHECK_EQ(
          wrong(sums(rows, literal(count),
                     "(add " + element + " (at $0 (add (div i " + literal(2 * inner) + ") (rem i " + literal(2 * inner) + "))))", {a})),
          "");
    const NodeRef together = forced(sums(rows, literal(count), element, {b}));
    const NodeRef some =
        forced(wf::filter(graph::fn("(fn ((i i64)) (eq (rem i 3:i64) 1:i64))", {}), graph::tabulate("(fn ((i i64)) i)", rows)));
    const vector<float> all = elements<float>(together),
                        alone = elements<float>(graph::map("(fn ((i i64)) " + fold(literal(count), element) + ")", {some}, {b}));
    for (size_t k = 0; k < alone.size(); k++) CHECK(is_same_sum(all[3 * k + 1], alone[k]));
  }
}

TEST(rows_of_a_matrix_and_values_computed_from_them) {
  for (auto [rows, length] : {std::pair<int64_t, int64_t>{1, 3},
                              {2, 2},
                              {65, 7},
                              {100003, 2},
                              {70001, 3},
                              {30011, 4},
                              {20000, 5},
                              {20011, 8},
                              {3001, 16},
                              {5000, 17},
                              {2049, 32},
                              {1030, 65},
                              {700, 255},
                              {300, 257}}) {
    const NodeRef a = numbers(rows * length), b = numbers(length + 3), c = numbers(rows);
    const string element = "(at $0 (add (mul i " + literal(length) + ") j))";
    const string values[] = {
        element,
        "(let ((x " + element + ")) (mul x x))",
        "(mul " + element + " (at $1 j))",
        "(mul (at $1 (add j 3:i64)) (neg " + element + "))",
        "(mul " + element + " (at $2 i))",
        "(where (gt " + element + " 7.0:f32) (cast f32 j) (at $1 j))",
    };
    Nodes all;
    for (const string& value : values) all.push_back(sums(rows, literal(length), value, {a, b, c}));
    for (const NodeRef& node : all) CHECK_EQ(wrong(node), "");
    // Together, and some rows of each block alone.
    Nodes again;
    for (const string& value : values) again.push_back(sums(rows, literal(length), value, {a, b, c}));
    wf::force(again);
    for (size_t k = 0; k < all.size(); k++) CHECK_EQ(wrong(again[k]), "");
    const NodeRef some = wf::filter(graph::fn("(fn ((i i64)) (eq (rem i 3:i64) 1:i64))", {}), graph::tabulate("(fn ((i i64)) i)", rows));
    CHECK_EQ(wrong(graph::map("(fn ((i i64)) " + fold(literal(length), values[1]) + ")", {some}, {a, b, c})), "");
  }
}

TEST(lengths_that_vary_by_row) {
  const NodeRef a = numbers(30011);
  const char* const counts[] = {
      "(rem (mul i 37:i64) 131:i64)",                                          // around the longest of lockstep
      "(rem i 3:i64)",                                                         // some empty
      "(where (eq (rem i 500:i64) 3:i64) (mul i 4:i64) (rem i 5:i64))",        // few long ones
      "(where (eq i 1000:i64) 30000:i64 0:i64)",                               // one row
      "(sub (rem i 7:i64) 3:i64)",                                             // some negative
      "(where (lt i 2050:i64) 5:i64 (where (lt i 4100:i64) 200:i64 64:i64))",  // equal in most blocks
      "(rem (mul i 7:i64) (add (div i 64:i64) 2:i64))",                        // neighbours are at most 1, 2, ... 79 long
  };
  for (const char* count : counts) {
    CHECK_EQ(wrong(sums(5003, count, "(at $0 (add (rem i 10:i64) j))", {a})), "");
    CHECK_EQ(wrong(sums(5003, count, "(mul (cast f32 (rem i 5:i64)) (at $0 (rem (add (mul j i) 1:i64) (length $0))))", {a})), "");
    // The largest and its position: a function whose operands have an order.
    const string largest =
        "(fn ((i i64)) (fold ((x f32) (k i64) (y f32) (l i64)) (let ((left (ge x y))) (tuple (where left x y) (where left k l))) "
        "(tuple -inf:f32 -1:i64) ((j " +
        string(count) + ")) (tuple (at $0 (rem (add (mul i 3:i64) j) (length $0))) j)))";
    CHECK_EQ(wrong(graph::tabulate(largest, 5003, {a})), "");
  }
}

TEST(long_folds_of_tuples) {
  const NodeRef a = numbers(200003);
  for (int64_t count : {63, 64, 65, 255, 256, 257, 1000, 40000}) {
    const string maps =
        "(fn ((i i64)) (fold ((p u32) (q u32) (r u32) (s u32)) (tuple (mul p r) (add (mul q r) s)) (tuple 1:u32 0:u32) ((j " +
        literal(count) + ")) (tuple (cast u32 (add (mul 2:i64 (add i j)) 1:i64)) (cast u32 (at $0 (add i j))))))";
    CHECK_EQ(wrong(graph::tabulate(maps, 3, {a})), "");
    const string mixed =
        "(fn ((i i64)) (fold ((a f32) (b f64) (c bool) (d u8) (e f32) (f f64) (g bool) (h u8)) "
        "(tuple (add a e) (max b f) (or c g) (xor d h)) (tuple 0.0:f32 -inf:f64 false 0:u8) ((j " +
        literal(count) + ")) (let ((x (at $0 (add i j)))) (tuple x (cast f64 (mul x x)) (eq x (cast f32 i)) (cast u8 j)))))";
    CHECK_EQ(wrong(graph::tabulate(mixed, 3, {a})), "");
    CHECK_EQ(wrong(graph::tabulate(mixed, count < 300 ? 300 : 2, {a})), "");
  }
}

TEST(values_of_the_position_and_of_the_row_alone) {
  const NodeRef a = numbers(3000);
  for (const char* count : {"5:i64", "1000:i64", "i"}) {
    CHECK_EQ(wrong(sums(1003, count, "(cast f32 j)", {})), "");
    CHECK_EQ(wrong(sums(1003, count, "(cast f32 (rem i 4:i64))", {})), "");
    CHECK_EQ(wrong(sums(1003, count, "2.0:f32", {})), "");
    CHECK_EQ(wrong(sums(1003, count, "(at $0 i)", {a})), "");
    CHECK_EQ(wrong(sums(1003, count, "(sub (at $0 j) (at $0 i))", {a})), "");
    CHECK_EQ(wrong(sums(1003, count, "(mul (at $0 (sub 2999:i64 i)) (at $0 (add j (rem i 9:i64))))", {a})), "");
    CHECK_EQ(wrong(sums(1003, count, "(where (lt j i) (at $0 j) (at $0 i))", {a})), "");
    CHECK_EQ(wrong(sums(1003, count, "(where (lt j 500:i64) (at $0 j) (cast f32 (rem j 3:i64)))", {a})), "");
  }
  // The same for every row.
  CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) (add (cast f32 i) " + fold("(length $0)", "(at $0 j)") + "))", 5003, {a})), "");
  CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) (where (lt i 100:i64) 1.0:f32 " + fold("(length $0)", "(at $0 j)") + "))", 5003, {a})), "");
}

TEST(least_and_largest_ignore_nans) {
  const NodeRef a = forced(graph::tabulate(
      "(fn ((i i64)) (where (eq (rem i 3:i64) 0:i64) nan:f32 (where (lt (rem i 700:i64) 200:i64) nan:f32 (cast f32 (rem i 97:i64)))))",
      70000));
  for (int64_t length : {3, 64, 100, 700, 2000})
    for (const char* f : {"min a b) inf", "max a b) -inf"})
      for (const string& index : {"(add (mul i " + literal(length) + ") j)", string("(add (mul j 33:i64) i)")})
        CHECK_EQ(wrong(graph::tabulate(
                     "(fn ((i i64)) (fold ((a f32) (b f32)) (" + string(f) + ":f32 ((j " + literal(length) + ")) (at $0 " + index + ")))",
                     33, {a})),
                 "");
}

TEST(folds_in_folds_and_loops) {
  const NodeRef a = numbers(40000);
  // (i, k) of the product of matrices of 60 x 70 and 70 x 80.
  const string product = "(mul (at $0 (add (mul (div i 80:i64) 70:i64) j)) (at $1 (add (mul j 80:i64) (rem i 80:i64))))";
  CHECK_EQ(wrong(sums(4800, "70:i64", product, {a, a})), "");
  const string inner = "(fold ((c f32) (d f32)) (add c d) 0.0:f32 ((k (rem (add i j) 200:i64))) (at $0 (add j k)))";
  CHECK_EQ(wrong(graph::tabulate(
               "(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j (rem (mul i 7:i64) 300:i64))) " + inner + "))", 300, {a})),
           "");
  const string across = "(fold ((c f32) (d f32)) (add c d) 0.0:f32 ((k 50:i64)) (at $0 (add (mul k 100:i64) j)))";
  CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j 100:i64)) (sub " + across + " (at $0 i))))",
                                 50, {a})),
           "");
  const string loop = "(let (((s k) (loop ((s 0.0:f32) (k 0:i64)) (lt k (rem i 5:i64)) (tuple (add s " +
                      fold("(add (mul k 60:i64) j0)", "(at $0 (add j k))") + ") (add k 1:i64))))) s)";
  CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) (let ((j0 (rem i 7:i64))) " + loop + "))", 1003, {a})), "");
  const string loops =
      "(let (((s k) (loop ((s 0.0:f32) (k 0:i64)) (lt k (rem j 4:i64)) (tuple (add s (at $0 (add i k))) (add k 1:i64))))) s)";
  CHECK_EQ(wrong(sums(1003, "(rem i 150:i64)", loops, {a})), "");
}

TEST(several_folds_of_one_element) {
  const NodeRef a = numbers(40000);
  const string mean = "(div " + fold("100:i64", "(at $0 (add (mul i 100:i64) j))") + " " + fold("(rem i 70:i64)", "1.0:f32") + ")";
  CHECK_EQ(wrong(graph::tabulate("(fn ((i i64)) (add " + mean + " " + fold("i", "(at $0 (mul j 90:i64))") + "))", 400, {a})), "");
}

TEST(folds_of_one_count_have_the_bits_that_each_has_alone) {
  const NodeRef a = fractions(1 << 16);
  const string squares = "(let ((x (at $0 (add (mul i 60:i64) j)))) (mul x x))", values = "(at $0 (add (mul i 60:i64) j))";
  const string lowest = "(fold ((a f32) (b f32)) (min a b) inf:f32 ((j COUNT)) " + values + ")";
  const string doubles = "(cast f32 (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j COUNT)) (cast f64 " + values + ")))";
  const string largest = "(fold ((a i64) (b i64)) (max a b) -1:i64 ((j COUNT)) (mul j i))";
  for (const string& count : {string("60:i64"), string("5:i64"), string("(rem i 200:i64)")}) {
    auto of = [&](string text) {
      for (size_t at; (at = text.find("COUNT")) != string::npos;) text.replace(at, 5, count);
      return text;
    };
    const string mean = fold(count, values);
    // The sum of squared differences from the first sum depends on that sum.
    const string spread = fold(count, "(let ((d (sub " + values + " m))) (mul d d))");
    const string parts[] = {"m", fold(count, squares), of(lowest), of(doubles), "(cast f32 " + of(largest) + ")", spread};
    string all;
    for (const string& part : parts) all += " " + part;
    auto bound = [&](const string& value) { return "(fn ((i i64)) (let ((m " + mean + ")) " + value + "))"; };
    const NodeRef together = graph::tabulate(bound("(tuple" + all + ")"), 1003, {a});
    for (size_t k = 0; k < std::size(parts); k++)
      CHECK_EQ(elements<float>(together, k), elements<float>(graph::tabulate(bound(parts[k]), 1003, {a})));
  }
}

// Folds of few positions are unrolled: windows, points that all rows share, columns, rows at a distance, positions alone.
TEST(short_folds_have_the_bits_of_those_whose_counts_are_read) {
  if (graph::context()->name != "cpu") SKIP("the CPU engine alone unrolls short folds");
  const NodeRef a = fractions(1 << 17);
  for (int64_t count : {1, 2, 3, 8, 16, 31, 32, 33}) {
    const NodeRef counts = graph::source(vector<int64_t>(5003, count));
    const string values[] = {"(at $0 (add i j))", "(let ((d (sub (at $0 j) (at $0 i)))) (mul d d))",
                             "(at $0 (add (mul j 3000:i64) (rem i 3000:i64)))", "(mul (at $0 (add (mul i 19:i64) j)) (cast f32 j))",
                             "(at $0 (rem (mul i (add j 7:i64)) (length $0)))"};
    const string nearest =
        "(fold ((k i64) (x f32) (l i64) (y f32)) (let ((right (or (lt k 0:i64) (lt y x)))) (tuple (where right l k) (where right y x))) "
        "(tuple -1:i64 0.5:f32) ((j ";
    for (const string& value : values) {
      const auto both = [&](const string& number) {
        return graph::tabulate("(fn ((i i64)) (let ((s " + fold(number, value) + ") ((k x) " + nearest + number + ")) (tuple j " + value +
                                   "))) (m " + "(fold ((a f32) (b f32)) (max a b) -inf:f32 ((j " + number + ")) " + value +
                                   "))) (tuple s k x m)))",
                               5003, {a, counts});
      };
      const NodeRef found = both(literal(count)), expected = both("(at $1 i)");
      for (size_t k : {0, 2, 3}) CHECK(elements<float>(found, k) == elements<float>(expected, k));
      CHECK(elements<int64_t>(found, 1) == elements<int64_t>(expected, 1));
      CHECK_EQ(wrong(graph::tabulate(
                   "(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((j " + literal(count) + ")) " + value + "))", 5003, {a})),
               "");
    }
  }
}

TEST(a_sum_alone_has_the_bits_that_it_has_among_others) {
  const NodeRef a = fractions(1 << 20);
  struct Shape {
    int64_t rows;
    string count, value;
  };
  const Shape shapes[] = {
      {700, "3:i64", "(at $0 (add (mul i 3:i64) j))"},
      {700, "100:i64", "(at $0 (add (mul i 100:i64) j))"},
      {700, "1000:i64", "(at $0 (add (mul i 1000:i64) j))"},
      {700, "1000:i64", "(at $0 (add (mul j 700:i64) i))"},
      {10, "100000:i64", "(at $0 (add (mul j 10:i64) i))"},
      {10, "100000:i64", "(at $0 (add (mul i 100000:i64) j))"},
      {700, "(rem (mul i 37:i64) 300:i64)", "(at $0 (add (mul i 100:i64) j))"},
      {700, "(rem (mul i 37:i64) 300:i64)", "(at $0 (add (mul j 100:i64) i))"},
      {700, "(rem (mul i 37:i64) 70:i64)", "(mul (at $0 (rem (add (mul j 100:i64) i) 1000:i64)) (at $0 j))"},
  };
  for (const Shape& shape : shapes) {
    const vector<float> together = elements<float>(sums(shape.rows, shape.count, shape.value, {a}));
    for (int64_t row = 0; row < shape.rows; row += 1 + shape.rows / 40) {
      const NodeRef all = sums(shape.rows, shape.count, shape.value, {a});
      const vector<float> alone = elements<float>(graph::tabulate("(fn ((r i64)) (at $0 (add r " + literal(row) + ")))", 1, {all}));
      CHECK(is_same_sum(alone[0], together[size_t(row)]));
    }
    wf::cpu::limit_workers(1);
    CHECK_EQ(elements<float>(sums(shape.rows, shape.count, shape.value, {a})), together);
    wf::cpu::limit_workers(0);
  }
}

// The sum of the rows' sums as well: its bits depend on how rows are split into chunks.
TEST(bits_do_not_depend_on_the_number_of_threads) {
  const NodeRef a = fractions(1 << 22);
  for (auto [rows, count] : {std::pair<int64_t, int64_t>{31, 2048},
                             {32, 2047},
                             {33, 100000},
                             {64, 2048},
                             {129, 16385},
                             {600, 5000},
                             {2047, 2000},
                             {2049, 2047},
                             {5000, 800},
                             {40000, 100}})
    for (bool columns : {true, false}) {
      const string value = columns ? "(at $0 (add (mul j " + literal(rows) + ") i))" : "(at $0 (add (mul i " + literal(count) + ") j))";
      vector<float> expected;
      for (int workers : {1, 2, 16}) {
        wf::cpu::limit_workers(workers);
        vector<float> all = elements<float>(sums(rows, literal(count), value, {a}));
        const NodeRef sum_of_all = graph::reduce("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", sums(rows, literal(count), value, {a}));
        all.push_back(elements<float>(sum_of_all)[0]);
        if (workers == 1) expected = all;
        CHECK(all == expected);
      }
      wf::cpu::limit_workers(0);
    }
}

// The lengths of rows: each way of sharing uneven rows, and all of them mixed.
TEST(rows_of_very_unequal_lengths) {
  const int64_t mixed_lengths[] = {0, 1, 31, 32, 33, 0, 2};
  auto mixed = [&](int64_t i) -> int64_t { return i % 4001 == 17 ? 100000 : i % 100 == 3 ? 1000 : mixed_lengths[i % 7]; };
  using Length = std::function<int64_t(int64_t)>;
  const std::tuple<int64_t, Length> shapes[] = {
      {12003, mixed},
      {5000, [](int64_t i) { return i == 4321 ? 700001 : 0; }},
      {5000, [](int64_t) { return 0; }},
      {3, [](int64_t i) { return i == 1 ? 500009 : 33 * (i / 2); }},
      {100003, [](int64_t i) { return i == 99 ? 100000 : i % 3; }},
      {70001, [&](int64_t i) { return i % 500 == 5      ? 1020 + i / 500 % 9
                                      : i % 20011 == 17 ? 100000
                                                        : mixed(i % 4000); }},
      {1, [](int64_t) { return 70001; }},
  };
  for (const auto& [rows, length] : shapes) {
    vector<int64_t> starts{0};
    for (int64_t i = 0; i < rows; i++) starts.push_back(starts.back() + length(i));
    const int64_t total = std::max<int64_t>(starts.back(), 200000);
    vector<float> values(static_cast<size_t>(total));
    for (int64_t k = 0; k < total; k++) values[size_t(k)] = float(k * 7919 % 101 - 50);
    vector<float> sums_of_rows, greatest;
    vector<uint32_t> scale, shift;
    for (int64_t i = 0; i < rows; i++) {
      float sum_of_row = 0, most = -INFINITY;
      uint32_t p = 1, q = 0;
      for (int64_t k = starts[size_t(i)]; k < starts[size_t(i) + 1]; k++) {
        const float x = values[size_t(k)];
        const uint32_t r = 2 * uint32_t(int32_t(x)) + 1;
        sum_of_row += x, most = std::max(most, x);
        p *= r, q = q * r + uint32_t(k - starts[size_t(i)]);
      }
      sums_of_rows.push_back(sum_of_row), greatest.push_back(most), scale.push_back(p), shift.push_back(q);
    }
    const Nodes captures{graph::source(starts), graph::source(values)};
    const string count = "((j (sub (at $0 (add i 1:i64)) (at $0 i))))", x = "(at $1 (add (at $0 i) j))";
    auto folded = [&](const string& fold_of_row) { return graph::tabulate("(fn ((i i64)) " + fold_of_row + ")", rows, captures); };
    const string sum_of_row = "(" + sum + count + " " + x + ")";
    const string greatest_of_row = "(fold ((a f32) (b f32)) (max a b) -inf:f32 " + count + " " + x + ")";
    CHECK(elements<float>(folded(sum_of_row)) == sums_of_rows);
    const NodeRef both = folded("(tuple " + sum_of_row + " " + greatest_of_row + ")");
    CHECK(elements<float>(both, 0) == sums_of_rows);
    CHECK(elements<float>(both, 1) == greatest);
    const NodeRef maps = folded("(fold ((p u32) (q u32) (r u32) (s u32)) (tuple (mul p r) (add (mul q r) s)) (tuple 1:u32 0:u32) " + count +
                                " (tuple (add (mul 2:u32 (cast u32 (cast i32 " + x + "))) 1:u32) (cast u32 j)))");
    CHECK(elements<uint32_t>(maps, 0) == scale);
    CHECK(elements<uint32_t>(maps, 1) == shift);
    // Gathered, by indices that are read.
    const NodeRef reversed = forced(graph::tabulate("(fn ((i i64)) (sub " + literal(total - 1) + " i))", total));
    const NodeRef reverse = forced(wf::rev(captures[1]));
    const string gathered = "(at $2 (at $1 (add (at $0 i) j)))";
    auto gathering = [&](const string& fold_of_row) {
      return graph::tabulate("(fn ((i i64)) " + fold_of_row + ")", rows, {captures[0], reversed, reverse});
    };
    CHECK(elements<float>(gathering("(" + sum + count + " " + gathered + ")")) == sums_of_rows);
    const NodeRef gathered_maps = gathering(
        "(fold ((p u32) (q u32) (m f32) (r u32) (s u32) (n f32)) (tuple (mul p r) (add (mul q r) s) (max m n)) (tuple 1:u32 0:u32 "
        "-inf:f32) " +
        count + " (let ((x " + gathered + ")) (tuple (add (mul 2:u32 (cast u32 (cast i32 x))) 1:u32) (cast u32 j) x)))");
    CHECK(elements<uint32_t>(gathered_maps, 0) == scale);
    CHECK(elements<uint32_t>(gathered_maps, 1) == shift);
    CHECK(elements<float>(gathered_maps, 2) == greatest);
    // Floats have the same bits in every run.
    const string sines = "(" + sum + count + " (sin (add " + x + " (cast f32 j))))";
    CHECK(elements<float>(folded(sines)) == elements<float>(folded(sines)));
    if (on_gpu()) CHECK(wf::explain({&maps, 1}, wf::ExplainFormat::Text).find(" positions by blocks, in parts of ") != string::npos);
  }
}

// The lengths have nothing to do with those of the inputs, so that the queue of long rows overflows on a GPU.
TEST(more_long_rows_than_expected) {
  constexpr int64_t rows = 70001;
  vector<int64_t> expected;
  for (int64_t i = 0; i < rows; i++) {
    const int64_t count = i % 2 ? 300 : i % 5;
    expected.push_back(count * (count - 1) / 2 * i);
  }
  const NodeRef s = graph::tabulate(
      "(fn ((i i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j (where (eq (rem i 2:i64) 1:i64) 300:i64 (rem i 5:i64)))) (mul i j)))",
      rows);
  CHECK(elements<int64_t>(s) == expected);
}

TEST(long_folds_of_few_rows) {
  const NodeRef a = numbers(400009);
  for (int64_t rows : {1, 3, 16, 17}) {
    const int64_t length = 400009 / rows;
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (add (mul i " + literal(length) + ") j))", {a})), "");
    CHECK_EQ(wrong(sums(rows, literal(length), "(at $0 (add (mul j " + literal(rows) + ") i))", {a})), "");
    CHECK_EQ(wrong(sums(rows, "(where (eq i 0:i64) " + literal(length) + " 70000:i64)", "(at $0 (add i j))", {a})), "");
  }
}

TEST(folds_before_reductions_scans_and_filters) {
  const NodeRef a = numbers(20000);
  for (const char* count : {"(rem i 90:i64)", "150:i64"})
    for (const char* value : {"(at $0 (add i j))", "(at $0 (add (mul j 100:i64) i))"}) {
      const NodeRef s = sums(5003, count, value, {a});
      CHECK_EQ(wrong(graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", s)), "");
      CHECK_EQ(wrong(graph::scan("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", s, true).prefixes), "");
      CHECK_EQ(wrong(graph::filter("(fn ((x f32)) (gt x 0.0:f32))", s)), "");
      CHECK_EQ(wrong(graph::reduce("(fn ((a f32) (b f32)) (max a b))", "-inf:f32", graph::filter("(fn ((x f32)) (gt 0.0:f32 x))", s))), "");
    }
}

TEST(the_first_index_outside_is_named) {
  const NodeRef a = numbers(1000);
  auto message_of = [&](const string& f, int64_t rows, const Nodes& captures) {
    NodeRef s = graph::tabulate(f, rows, captures);
    try {
      wf::force({&s, 1});
    } catch (const std::exception& error) { return string(error.what()).substr(0, string(error.what()).find(" is out")); }
    return string("no error");
  };
  auto message = [&](int64_t rows, const string& count, const string& index) {
    return message_of("(fn ((i i64)) " + fold(count, "(at $0 " + index + ")") + ")", rows, {a});
  };
  CHECK_EQ(message(101, "10:i64", "(add (mul i 10:i64) j)"), "index 1000 at element 100");
  CHECK_EQ(message(3, "500:i64", "(add (mul i 500:i64) j)"), "index 1000 at element 2");
  CHECK_EQ(message(3, "(add 500:i64 i)", "(add (mul i 499:i64) j)"), "index 1000 at element 2");
  CHECK_EQ(message(400, "4:i64", "(add (mul j 300:i64) i)"), "index 1000 at element 100");
  CHECK_EQ(message(400, "100:i64", "(add (mul j 300:i64) i)"), "index 1200 at element 0");
  CHECK_EQ(message(5000, "(rem i 90:i64)", "(add (mul j 7:i64) i)"), "index 1001 at element 441");
  CHECK_EQ(message(400, "(where (lt i 300:i64) 2:i64 5:i64)", "(sub j (mul 2:i64 (div i 200:i64)))"), "index -2 at element 200");
  CHECK_EQ(message(2, "1000000:i64", "(add (mul i 2000:i64) (rem j 1000:i64))"), "index 2000 at element 1");
  CHECK_EQ(message(1, "100000:i64", "j"), "index 1000 at element 0");
  CHECK_EQ(message(5000, "(where (eq i 777:i64) 0:i64 5:i64)", "(where (eq i 777:i64) -1:i64 j)"), "no error");
  CHECK_EQ(message(70001, "(where (eq i 69999:i64) 100000:i64 1:i64)", "j"), "index 1000 at element 69999");
  CHECK_EQ(message(70001, "(where (ge i 60000:i64) (add i 100:i64) 1:i64)", "(sub j 20:i64)"), "index -20 at element 0");
  // Gathered: one index that was read is outside.
  const NodeRef indices = forced(graph::tabulate("(fn ((i i64)) (where (eq i 99999:i64) -7:i64 (rem i 1000:i64)))", 140000));
  CHECK_EQ(message_of("(fn ((i i64)) " + fold("(rem i 4:i64)", "(at $0 (at $1 (add i j)))") + ")", 139990, {a, indices}),
           "index -7 at element 99998");
  const string begin =
      "(add (mul 6:i64 (div i 4:i64)) (div (mul (rem i 4:i64) (sub (rem i 4:i64) 1:i64)) 2:i64))";  // rows follow each other
  CHECK_EQ(message_of("(fn ((i i64)) " + fold("(rem i 4:i64)", "(at $0 (at $1 (add " + begin + " j)))") + ")", 90000, {a, indices}),
           "index -7 at element 66667");
  // The value of a result of a short fold that nothing reads.
  CHECK_EQ(
      message_of("(fn ((i i64)) (let (((r0 r1) (fold ((a u8) (b f32) (c u8) (d f32)) (tuple (and a c) (max b d)) (tuple 255:u8 -inf:f32) "
                 "((j 3:i64)) (tuple (cast u8 (add i j)) (at $0 (add i 990:i64)))))) r0))",
                 100, {a}),
      "index 1000 at element 10");
  // In an inner fold: the element is the outer one.
  CHECK_EQ(message_of("(fn ((i i64)) (fold ((a f32) (b f32)) (max a b) -inf:f32 ((k 100:i64)) " +
                          fold("200:i64", "(at $0 (add (add i k) (mul 3:i64 j)))") + "))",
                      1000, {a}),
           "index 1000 at element 304");
}
