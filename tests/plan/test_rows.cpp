// Kernels that compute folds of rows and the rows' elements: their values against the oracle's, and the plans.
#include "check.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::Nodes;
using std::string;
using wf::NodeRef;

namespace {

NodeRef forced(NodeRef s) {
  wf::force({&s, 1});
  return s;
}
string wrong(const NodeRef& node) {
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(node);
  return oracle::difference(*expected, graph::forced(node));
}
string literal(int64_t x) { return std::to_string(x) + ":i64"; }
// Small whole numbers, whose sums are exact.
NodeRef numbers(int64_t n) { return forced(graph::tabulate("(fn ((i i64)) (cast f32 (sub (rem (mul i 7919:i64) 101:i64) 50:i64)))", n)); }

// A fold over row i of m elements: `value` may refer to the element as x, and to $1 at i as t.
NodeRef of_rows(const string& f, const string& identity, int64_t n, int64_t m, const string& value, const Nodes& captures) {
  const string element = "(at $0 (add (mul i " + literal(m) + ") j))";
  return graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (" + f + " a b) " + identity + ":f32 ((j " + literal(m) + ")) (let ((x " +
                             element + ")" + (captures.size() > 1 ? " (t (at $1 i))" : "") + ") " + value + ")))",
                         n, captures);
}
// A function of x, the element, of s and t, the values of its row in $1 and $2, and of k, its number.
NodeRef of_elements(int64_t n, int64_t m, const string& value, const Nodes& captures) {
  const string row = "(div k " + literal(m) + ")";
  return graph::tabulate("(fn ((k i64)) (let ((x (at $0 k)) (s (at $1 " + row + "))" +
                             (captures.size() > 2 ? " (t (at $2 " + row + "))" : "") + ") " + value + "))",
                         n * m, captures);
}

struct Shifted {
  NodeRef largest, sums, elements;
};
// As a softmax, of whole numbers: (x - largest) * 1000 + the sum of max - x over the row.
Shifted shifted(int64_t n, int64_t m) {
  const NodeRef a = numbers(n * m);
  Shifted s;
  s.largest = of_rows("max", "-inf", n, m, "x", {a});
  s.sums = of_rows("add", "0.0", n, m, "(sub t x)", {a, s.largest});
  s.elements = of_elements(n, m, "(add (mul (sub x s) 1000.0:f32) t)", {a, s.largest, s.sums});
  return s;
}

}  // namespace

TEST(folds_that_depend_on_each_other_and_their_elements_are_one_kernel) {
  const Shifted s = shifted(1000, 100);
  CHECK_EQ(kernels({s.elements}), "rows(100), store(1); i < 1000");
  const string text = wf::explain(Nodes{s.elements}, wf::ExplainFormat::Text);
  CHECK(text.find("rows    of 100 elements each; results 0, 1 by (fn ((i i64) (v0 f32) (v1 f32)) ") != string::npos);
  CHECK(text.find("moves   400 kB read, 400 kB written") != string::npos);
  CHECK_EQ(wrong(s.elements), "");
}

TEST(folds_of_columns_are_one_kernel_for_engines_that_keep_columns) {
  constexpr int64_t n = 1000, m = 100;
  const NodeRef a = numbers(n * m);
  const auto down = [&](const string& f, const string& identity, const string& value, const Nodes& captures) {
    return graph::tabulate("(fn ((i i64)) (fold ((a f32) (b f32)) (" + f + " a b) " + identity + ":f32 ((j " + literal(m) +
                               ")) (let ((x (at $0 (add i (mul j " + literal(n) + "))))) " + value + ")))",
                           n, captures);
  };
  const NodeRef differences =
      graph::tabulate("(fn ((k i64)) (sub (at $1 (rem k " + literal(n) + ")) (at $0 k)))", n * m, {a, down("max", "-inf", "x", {a})});
  const NodeRef sums = down("add", "0.0", "x", {differences});
  const auto steps = [&](bool columns) {
    wf::PlanOptions options;
    options.columns = columns;
    return wf::make_plan({&sums, 1}, options).steps.size();
  };
  CHECK_EQ(steps(true), 1u);
  CHECK_EQ(steps(false), 2u);
  CHECK_EQ(wrong(sums), "");
}

// As a softmax of arrays: the differences are a delayed sequence of all elements, which reads the largest element of its row.
TEST(folds_of_elements_that_read_their_row_are_in_its_kernel) {
  constexpr int64_t n = 1000, m = 100;
  const NodeRef a = numbers(n * m), largest = of_rows("max", "-inf", n, m, "x", {a});
  const NodeRef differences = of_elements(n, m, "(sub s x)", {a, largest});
  const auto sums = [&] { return of_rows("add", "0.0", n, m, "x", {differences}); };
  CHECK_EQ(kernels({sums()}), "store(1); i < 1000");
  const NodeRef shares = of_elements(n, m, "(add (mul x 1000.0:f32) s)", {differences, sums()});
  CHECK_EQ(kernels({shares}), "rows(100), store(1); i < 1000");
  CHECK_EQ(kernels({shares, largest}), "store(1), rows(100), store(1); i < 1000");
  CHECK_EQ(wrong(shares), "");
  CHECK_EQ(wrong(sums()), "");
}

TEST(rows_of_many_shapes) {
  for (auto [n, m] : {std::pair<int64_t, int64_t>{64, 4},
                      {1025, 3},
                      {100003, 7},
                      {1001, 63},
                      {999, 64},
                      {200, 255},
                      {200, 256},
                      {100, 1000},
                      {97, 4099},
                      {65, 32768}}) {
    const Shifted s = shifted(n, m);
    if (m >= graph::context()->engine->shortest_row())
      CHECK_EQ(kernels({s.elements}), "rows(" + std::to_string(m) + "), store(1); i < " + std::to_string(n));
    CHECK_EQ(wrong(s.elements), "");
  }
}

// A view of some of the rows' results has no others, also where its reader could be computed with the rows. The engines word the rest of the
// message differently.
TEST(rows_beyond_a_shorter_view_are_errors) {
  for (const bool folds : {false, true})
    for (const int64_t length : {5, 999}) {
      const NodeRef a = numbers(1000 * 100), largest = of_rows("max", "-inf", 1000, 100, "x", {a}), view = wf::subseq(largest, 0, length);
      const NodeRef later =
          folds ? of_rows("add", "0.0", 1000, 100, "(sub t x)", {a, view}) : of_elements(1000, 100, "(sub x s)", {a, view});
      string message;
      try {
        wf::force(Nodes{largest, later});
      } catch (const std::exception& error) { message = error.what(); }
      CHECK(message.find("index " + std::to_string(length) + " ") != string::npos);
    }
}

TEST(few_or_long_rows_have_a_kernel_of_their_own) {
  for (auto [n, m] : {std::pair<int64_t, int64_t>{63, 100}, {64, 32769}}) {
    const Shifted s = shifted(n, m);
    const string rows = std::to_string(n), all = std::to_string(n * m);
    CHECK_EQ(kernels({s.elements}), "store(2); i < " + rows + " | store(1); i < " + all);
    CHECK_EQ(wrong(s.elements), "");
  }
}

TEST(row_values_that_are_demanded_are_stored) {
  Shifted s = shifted(3000, 50);
  CHECK_EQ(kernels({s.elements, s.sums}), "store(1), rows(50), store(1); i < 3000");
  const Nodes both{s.elements, s.sums};
  wf::force(both);
  CHECK_EQ(wrong(s.elements), "");
  CHECK_EQ(wrong(s.sums), "");
  CHECK_EQ(wrong(s.largest), "");
}

TEST(elements_may_read_columns_and_rows_of_other_sequences) {
  constexpr int64_t n = 300, m = 70;
  const NodeRef a = numbers(n * m), gamma = numbers(m), bias = numbers(n), other = numbers(n * m);
  const NodeRef sums = of_rows("add", "0.0", n, m, "x", {a});
  const NodeRef scaled = of_elements(n, m, "(add (mul (sub x s) (at $3 (rem k 70:i64))) (add (at $4 k) t))", {a, sums, bias, gamma, other});
  CHECK_EQ(kernels({scaled}), "rows(70), store(1); i < 300");
  CHECK_EQ(wrong(scaled), "");
}

TEST(elements_of_a_delayed_sequence_and_of_several_columns) {
  constexpr int64_t n = 500, m = 60;
  const NodeRef a = graph::map("(fn ((x f32)) (sub x 7.0:f32))", {numbers(n * m)});
  const NodeRef sums = of_rows("add", "0.0", n, m, "x", {a});
  const NodeRef pairs = of_elements(n, m, "(tuple (sub x s) (ge x 0.0:f32))", {a, sums});
  CHECK_EQ(kernels({pairs}), "rows(60), store(2); i < 500");
  CHECK_EQ(wrong(pairs), "");
}

TEST(other_reads_of_rows_are_not_joined) {
  constexpr int64_t n = 300, m = 70;
  const NodeRef a = numbers(n * m);
  const auto sums_of_rows = [&] { return of_rows("add", "0.0", n, m, "x", {a}); };
  // The next row's sum, a sum of another sequence's rows, and a check that may fail.
  const NodeRef next =
      graph::tabulate("(fn ((k i64)) (sub (at $0 k) (at $1 (rem (add (div k 70:i64) 1:i64) 300:i64))))", n * m, {a, sums_of_rows()});
  CHECK_EQ(kernels({next}), "store(1); i < 300 | store(1); i < 21000");
  CHECK_EQ(wrong(next), "");
  const NodeRef unrelated = of_elements(n, m, "(sub x s)", {numbers(n * m), sums_of_rows()});
  CHECK_EQ(kernels({unrelated}), "store(1); i < 300 | store(1); i < 21000");
  const NodeRef checked = of_elements(n, m, "(sub x (mul s (at $2 (cast i64 x))))", {a, sums_of_rows(), numbers(30)});
  CHECK_EQ(kernels({checked}), "store(1); i < 300 | store(1); i < 21000");
}

TEST(numbers_that_vary_are_arguments_of_both_parts) {
  constexpr int64_t n = 400, m = 40;
  const NodeRef a = numbers(n * m);
  for (int k = 2; k < 6; k++) {
    const NodeRef sums = of_rows("add", "0.0", n, m, "(mul x " + std::to_string(k) + ".0:f32)", {a});
    CHECK_EQ(wrong(of_elements(n, m, "(sub (mul x " + std::to_string(10 * k) + ".0:f32) s)", {a, sums})), "");
  }
}

// A vertex over the elements that shares memory has their length, not the rows'.
TEST(an_alias_beside_the_elements_has_their_length) {
  const int64_t n = 111, m = 9;
  const NodeRef a = numbers(n * m);
  const NodeRef sums = of_rows("add", "0.0", n, m, "x", {a}), y = of_elements(n, m, "(sub x s)", {a, sums});
  const NodeRef longer = graph::scan("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", numbers(n * m + 1), true).prefixes;
  const NodeRef head = graph::tabulate("(fn ((k i64)) (at $0 k))", n * m, {longer});
  const NodeRef all[] = {longer, y, head};
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(head);
  wf::force(all);
  CHECK_EQ(head->length(), n * m);
  CHECK_EQ(oracle::difference(*expected, graph::forced(head)), "");
}
