// Views of arrays in plans: index arithmetic that composes, cancels and shares memory.
#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

using Extents = vector<int64_t>;
using Axes = vector<int32_t>;

NodeRef counting(const Extents& extents) {
  NodeRef s = graph::tabulate("(fn ((i i64)) (cast i32 i))", wf::length_of(extents));
  return wf::reshape(s, extents);
}
NodeRef stored(const Extents& extents) {
  NodeRef s = counting(extents);
  wf::force({&s, 1});
  return s;
}
NodeRef twice(const NodeRef& s) { return graph::map("(fn ((x i32)) (mul x 2:i32))", {s}); }
NodeRef transposed(const NodeRef& s) { return wf::permute(s, Axes{1, 0}); }

// The line of the plan that begins with `head`, without it.
string line(const NodeRef& s, const string& head) {
  const string text = wf::explain(Nodes{s}, wf::ExplainFormat::Text);
  const size_t at = text.find("\n  " + head);
  if (at == string::npos) return text;
  const size_t first = text.find_first_not_of(' ', at + 3 + head.size());
  return text.substr(first, text.find('\n', first) - first);
}

template <class F> void expect(const NodeRef& s, F f) {
  const vector<int32_t> values = elements<int32_t>(s);
  CHECK_EQ(int64_t(values.size()), s->length());
  for (size_t i = 0; i < values.size(); i++) CHECK_EQ(values[i], int32_t(f(int64_t(i))));
}

}  // namespace

TEST(a_map_over_a_transpose_of_a_transpose_reads_at_its_own_index) {
  const NodeRef s = transposed(twice(transposed(stored({301, 77}))));
  CHECK_EQ(line(s, "body"), "(fn ((i i64)) (mul (load $0 i) 2:i32))");
  expect(s, [](int64_t i) { return 2 * i; });
}

TEST(permutations_of_permutations_compose) {
  const NodeRef s = stored({31, 7, 11, 5});
  CHECK(wf::permute(wf::permute(s, Axes{2, 0, 3, 1}), Axes{1, 3, 0, 2}) == s);
  const NodeRef back = wf::permute(twice(wf::permute(s, Axes{2, 0, 3, 1})), Axes{1, 3, 0, 2});
  CHECK_EQ(line(back, "body"), "(fn ((i i64)) (mul (load $0 i) 2:i32))");
  const NodeRef once = wf::permute(twice(twice(wf::permute(s, Axes{2, 0, 3, 1}))), Axes{0, 1, 3, 2});
  CHECK_EQ(line(once, "body"), line(twice(twice(wf::permute(s, Axes{2, 0, 1, 3}))), "body"));
  expect(back, [](int64_t i) { return 2 * i; });
}

TEST(reshapes_of_views_cancel) {
  const NodeRef s = stored({60, 77});
  const NodeRef a = transposed(wf::reshape(twice(transposed(s)), Extents{77, 60}));
  CHECK_EQ(line(a, "body"), "(fn ((i i64)) (mul (load $0 i) 2:i32))");
  // 77 x 60 as 7 x 11 x 60, with the last axis first: the merged axes are those of s again.
  const NodeRef b = wf::permute(wf::reshape(twice(transposed(s)), Extents{7, 11, 60}), Axes{2, 0, 1});
  CHECK_EQ(line(b, "body"), "(fn ((i i64)) (mul (load $0 i) 2:i32))");
  expect(b, [](int64_t i) { return 2 * i; });
}

TEST(contiguous_views_share_memory_or_shift) {
  const NodeRef s = stored({10, 7, 5});
  const NodeRef part = wf::slice(s, Extents{2, 0, 0}, Extents{3, 7, 5}, nullptr);
  CHECK(part->is_manifest());
  CHECK_EQ(part->state().manifest->columns[0].offset, 70);
  const NodeRef one = wf::slice(twice(s), Extents{2, 3, 1}, Extents{1, 1, 3}, nullptr);
  CHECK_EQ(line(one, "body"), "(fn ((i i64)) (mul (load $0 (add i 86:i64)) 2:i32))");
  const NodeRef back = wf::slice(twice(s), Extents{9, 6, 4}, Extents{10, 7, 5}, Extents{-1, -1, -1}.data());
  CHECK_EQ(line(back, "body"), "(fn ((i i64)) (mul (load $0 (sub 349:i64 i)) 2:i32))");
}

TEST(broadcasts_are_one_kernel_with_their_readers) {
  const NodeRef row = stored({77}), column = stored({301, 1});
  const NodeRef sum =
      graph::map("(fn ((a i32) (b i32)) (add a b))", {wf::broadcast(row, Extents{301, 77}), wf::broadcast(column, Extents{301, 77})});
  CHECK_EQ(kernels({sum}), "store(1); i < 23177");
  CHECK_EQ(line(sum, "body"), "(fn ((i i64)) (add (load $0 (rem i 77:i64)) (load $1 (div i 77:i64))))");
  expect(sum, [](int64_t i) { return i % 77 + i / 77; });
}

TEST(a_reduction_along_an_axis_is_one_kernel_with_what_computes_it) {
  const NodeRef s = twice(stored({301, 77}));
  const wf::Closure add{wf::parse("(fn ((a i32) (b i32)) (add a b))"), {}, {}};
  for (int32_t axis : {0, 1}) {
    const NodeRef sums = wf::reduce_axes(add, {0}, s, {&axis, 1}, false);
    CHECK_EQ(kernels({sums}), axis == 0 ? "store(1); i < 77" : "store(1); i < 301");
    expect(sums, [&](int64_t i) { return axis == 0 ? 301 * 2 * i + 77 * 301 * 300 : 2 * 77 * 77 * i + 77 * 76; });
  }
}

TEST(maps_of_any_rank_are_planned_as_of_rank_one) {
  const NodeRef s = stored({40, 50}), flat = wf::reshape(s, Extents{2000});
  string text = wf::explain(Nodes{twice(s)}, wf::ExplainFormat::Text);
  const string shape = "  shape   40 x 50\n";
  CHECK(text.find(shape) != string::npos);
  text.erase(text.find(shape), shape.size());
  CHECK_EQ(text, wf::explain(Nodes{twice(flat)}, wf::ExplainFormat::Text));
  CHECK(wf::explain(Nodes{s}, wf::ExplainFormat::Text).find(shape) != string::npos);
}

TEST(costly_elements_that_a_broadcast_repeats_are_computed_once) {
  const auto repeated = [](const char* f) { return wf::broadcast(graph::map(f, {stored({77})}), Extents{301, 77}); };
  CHECK_EQ(kernels({repeated("(fn ((x i32)) (add x 1:i32))")}), "store(1); i < 23177");
  CHECK_EQ(kernels({repeated("(fn ((x i32)) (exp (cast f32 x)))")}), "store(1); i < 77 | store(1); i < 23177");
}

// Rows are told apart by comparisons of i itself, which most blocks decide, and no index needs a check.
TEST(neighbours_in_a_translated_array_are_read_without_checks) {
  const NodeRef s = stored({30, 77});
  const NodeRef above = graph::tabulate(
      "(fn ((i i64)) (let ((row (sub (div i 77:i64) 1:i64)))"
      " (where (ge row 0:i64) (at $0 (add (mul row 77:i64) (rem i 77:i64))) -1:i32)))",
      2310, {s});
  CHECK_EQ(line(above, "body"), "(fn ((i i64)) (where (ge i 77:i64) (load $0 (add i -77:i64)) -1:i32))");
  expect(above, [](int64_t i) { return i < 77 ? -1 : i - 77; });
  const NodeRef right = graph::tabulate(
      "(fn ((i i64)) (let ((column (add (rem i 77:i64) 1:i64)))"
      " (where (lt column 77:i64) (at $0 (add (mul (div i 77:i64) 77:i64) column)) -1:i32)))",
      2310, {s});
  CHECK_EQ(line(right, "body"), "(fn ((i i64)) (where (lt (rem i 77:i64) 76:i64) (load $0 (add i 1:i64)) -1:i32))");
  expect(right, [](int64_t i) { return i % 77 == 76 ? -1 : i + 1; });
}

TEST(comparisons_of_quotients_and_remainders_keep_their_values) {
  constexpr int64_t n = 211;
  struct Digit {
    const char* text;
    int64_t (*value)(int64_t i);
  };
  const Digit digits[] = {{"(div i 7:i64)", [](int64_t i) { return i / 7; }},
                          {"(rem i 7:i64)", [](int64_t i) { return i % 7; }},
                          {"(rem (div i 7:i64) 5:i64)", [](int64_t i) { return i / 7 % 5; }}};
  const vector<std::pair<string, bool (*)(int64_t, int64_t)>> comparisons{{"lt", [](int64_t x, int64_t y) { return x < y; }},
                                                                          {"le", [](int64_t x, int64_t y) { return x <= y; }},
                                                                          {"gt", [](int64_t x, int64_t y) { return x > y; }},
                                                                          {"ge", [](int64_t x, int64_t y) { return x >= y; }}};
  for (const Digit& digit : digits)
    for (const auto& [name, holds] : comparisons)
      for (const int64_t added : {-2, 0, 3})
        for (const int64_t bound : {-3, 0, 1, 4, 6, 7, 30, 33}) {
          const string sum = "(add " + string(digit.text) + " " + std::to_string(added) + ":i64)";
          const NodeRef s = graph::tabulate("(fn ((i i64)) (cast i32 (" + name + " " + sum + " " + std::to_string(bound) + ":i64)))", n);
          expect(s, [&](int64_t i) { return holds(digit.value(i) + added, bound); });
        }
  const NodeRef wraps = graph::tabulate("(fn ((i i64)) (cast i32 (lt (add (div i 7:i64) 9223372036854775800:i64) 0:i64)))", n);
  expect(wraps, [](int64_t i) { return i / 7 > 7; });
}

// Found by a random program: i rem (length $0) is 0 for one element, but the read that i is computed from fails.
TEST(a_quotient_that_is_known_still_fails) {
  const NodeRef s = graph::tabulate("(fn ((i i64)) i)", 3);
  const NodeRef r = graph::tabulate("(fn ((i i64)) (let ((x (at $0 (sub i 2:i64)))) (rem (and x 1:i64) 2:i64)))", 1, {s});
  const NodeRef q = graph::tabulate("(fn ((i i64)) (let ((x (at $0 (sub i 2:i64)))) (div (and x 1:i64) 2:i64)))", 1, {s});
  CHECK_THROWS(wf::RangeError, wf::force({&r, 1}));
  CHECK_THROWS(wf::RangeError, wf::force({&q, 1}));
}

// An engine that computes an element once for all its neighbours does not store a sequence that is read at neighbours alone.
TEST(sequences_read_at_neighbours_are_not_stored) {
  constexpr int64_t width = 512;
  const auto near = [](int64_t rows, const NodeRef& s, int64_t distance = 1, int64_t row_length = 512) {
    const string length = std::to_string(row_length) + ":i64", x = "(rem i " + length + ")", y = "(div i " + length + ")";
    string sum = "0.5:f32";
    for (int64_t offset : {-distance, int64_t(0), distance}) {
      const string row = "(max (min (add " + y + " " + std::to_string(offset) + ":i64) " + std::to_string(rows - 1) + ":i64) 0:i64)";
      for (int64_t side : {-distance, int64_t(0), distance}) {
        const string column =
            "(max (min (add " + x + " " + std::to_string(side) + ":i64) " + std::to_string(row_length - 1) + ":i64) 0:i64)";
        sum = "(fma " + sum + " 0.25:f32 (at $0 (add (mul " + row + " " + length + ") " + column + ")))";
      }
    }
    return graph::tabulate("(fn ((i i64)) " + sum + ")", rows * row_length, {s});
  };
  const string add = "(fn ((a f32) (b f32)) (add a b))";
  constexpr int64_t rows = 600;
  const wf::SharesNeighbours always = [](const wf::Kernel&, std::span<const int64_t>, int64_t) { return true; };
  const wf::SharesNeighbours of_rows = [](const wf::Kernel& kernel, std::span<const int64_t> lengths, int64_t n) {
    CHECK_EQ(lengths.size(), kernel.inputs.size());
    return kernel.reductions.empty() && n == rows * width;
  };
  const auto steps = [&](const Nodes& nodes, wf::SharesNeighbours shares_neighbours) {
    wf::PlanOptions options;
    options.shares_neighbours = shares_neighbours;
    options.verify = true;
    return wf::make_plan(nodes, options).steps.size();
  };
  const auto source = [](int64_t n) {
    const vector<float> zeros(size_t(n), 0.f);
    return graph::source(zeros);
  };
  const NodeRef s = source(rows * width), once = near(rows, s), twice = near(rows, once);
  CHECK_EQ(steps({twice}, nullptr), 2u);
  CHECK_EQ(steps({near(rows, graph::map("(fn ((x f32)) (sqrt (sqrt (sqrt x))))", {s}))}, of_rows), 1u);
  CHECK_EQ(steps({near(rows, twice)}, of_rows), 2u);                           // two in one kernel, the third apart
  CHECK_EQ(steps({twice, once}, of_rows), 2u);                                 // demanded
  CHECK_EQ(steps({twice, near(rows, once, 2)}, of_rows), 2u);                  // two readers
  CHECK_EQ(steps({near(rows * 2, near(rows, s), 1, width / 2)}, always), 2u);  // rows of another length
  CHECK_EQ(steps({graph::tabulate("(fn ((i i64)) (add (at $0 i) (at $0 (rem (mul i 7:i64) 307200:i64))))", rows * width, {once})}, always),
           2u);
  // The engine refuses the kernel that computes them: of another length, or with a reduction. It does not ask of other kernels.
  CHECK_EQ(steps({near(rows + 1, near(rows + 1, source((rows + 1) * width)))}, of_rows), 2u);
  CHECK_EQ(steps({graph::reduce(add, "0.0:f32", twice)}, of_rows), 2u);
  CHECK_EQ(steps({graph::reduce(add, "0.0:f32", twice)}, always), 1u);
  CHECK_EQ(steps({twice, graph::reduce(add, "0.0:f32", s)}, of_rows), 2u);
}
