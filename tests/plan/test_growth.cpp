// Time and memory grow in proportion to the request: long parameter lists, many sequences together, long chains.
#include <malloc.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <utility>

#include "check.h"
#include "eval/stretches.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

// Processor time, which does not depend on other programs.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

// Checks that eight times the size takes less than 24 times as long: n log n does, n^2 takes 64 times as long. The fastest of
// several runs counts.
void check_growth(const char* what, int size, const std::function<void(int)>& work) {
  double few = 1e9, many = 1e9;
  for (int round = 0; round < 10; round++) {
    few = std::min(few, seconds([&] { work(size); }));
    many = std::min(many, seconds([&] { work(8 * size); }));
    if (many < 24 * few) return;
  }
  check::fail(__FILE__, __LINE__,
              string(what) + ": " + std::to_string(8 * size) + " take " + std::to_string(many) + " s, " + std::to_string(size) + " take " +
                  std::to_string(few) + " s");
}

// Bytes that the process has allocated; 0 under a sanitizer's allocator.
int64_t allocated() {
  const struct mallinfo2 all = mallinfo2();
  return int64_t(all.uordblks + all.hblkhd);
}

// text(0) text(1) ...
string each(int n, const std::function<string(string)>& text) {
  string all;
  for (int k = 0; k < n; k++) all += text(std::to_string(k));
  return all;
}

NodeRef three(int k = 0) { return graph::source(vector<int32_t>{k, k + 1, k + 2}); }
Nodes sources(int n) {
  Nodes all;
  for (int k = 0; k < n; k++) all.push_back(three(k));
  return all;
}
Nodes incremented(int n) {
  Nodes all;
  const wf::Closure f = graph::fn("(fn ((x i32)) (add x 1:i32))");
  for (const NodeRef& s : sources(n)) all.push_back(wf::map(f, {&s, 1}));
  return all;
}

string parameters(int n) {
  return each(n, [](string k) { return "(x" + k + " i32)"; });
}

}  // namespace

TEST(parameters_are_read_and_printed) {
  check_growth("parameters", 2000, [](int n) {
    wf::print(*wf::parse("(fn (" + parameters(n) + ") (tuple" + each(n, [](string k) { return " (add x" + k + " 1:i32)"; }) + "))"));
  });
}

TEST(loops_of_many_variables_and_free_values_are_read) {
  check_growth("variables", 1000, [](int n) {
    wf::print(*wf::parse("(fn ((x i32)) (loop (" + each(n, [](string k) { return "(y" + k + " x)"; }) + ") (lt y0 5:i32) (tuple" +
                         each(n, [](string k) { return " (add y" + k + " 1:i32)"; }) + ")))"));
  });
  check_growth("free values", 1000, [](int n) {
    wf::print(*wf::parse("(fn (" + parameters(n) + ") (loop ((y 0:i32)) (lt y 5:i32) (let ((z y)" +
                         each(n, [](string k) { return "(z" + k + " (add z x" + k + "))"; }) + ") z" + std::to_string(n - 1) + ")))"));
  });
}

TEST(many_sequences_are_mapped_together) {
  check_growth("columns of a map", 1000, [](int n) {
    const string f = "(fn (" + parameters(n) + ") (tuple" + each(n, [](string k) { return " (add x" + k + " 1:i32)"; }) + "))";
    graph::forced(graph::map(f, sources(n)));
  });
}

TEST(many_sequences_are_captured) {
  check_growth("captures", 1000, [](int n) {
    const string f =
        "(fn ((i i64)) (let ((z 0:i32)" +
        each(n,
             [](string k) {
               return "(z" + k + " (add " + (k == "0" ? string("z") : "z" + std::to_string(std::stoi(k) - 1)) + " (at $" + k + " i)))";
             }) +
        ") z" + std::to_string(n - 1) + "))";
    graph::forced(graph::tabulate(f, 3, sources(n)));
  });
}

TEST(many_sequences_are_appended) {
  check_growth("parts", 1000, [](int n) { graph::forced(wf::append(sources(n))); });
}

TEST(many_sequences_are_zipped) {
  check_growth("zipped", 1000, [](int n) { graph::forced(wf::zip(incremented(n))); });
}

TEST(many_sequences_are_forced_together) {
  check_growth("forced together", 1000, [](int n) { wf::force(incremented(n)); });
  check_growth("of as many lengths", 500, [](int n) {
    Nodes all;
    for (int k = 0; k < n; k++) all.push_back(graph::tabulate("(fn ((i i64)) (mul i 3:i64))", k + 1));
    wf::force(all);
  });
}

TEST(many_sums_are_added) {
  check_growth("sums", 500, [](int n) {
    Nodes sums;
    for (const NodeRef& s : sources(n)) sums.push_back(graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", s));
    const string f = "(fn (" + parameters(n) + ") (tuple" + each(n, [](string k) { return " (add x" + k + " 1:i32)"; }) + "))";
    graph::forced(graph::map(f, sums));
  });
}

TEST(a_plan_of_many_columns_is_explained) {
  check_growth("explained columns", 500, [](int n) {
    const NodeRef all = wf::zip(incremented(n));
    wf::explain({&all, 1}, wf::ExplainFormat::Text);
    wf::explain({&all, 1}, wf::ExplainFormat::Dot);
  });
}

TEST(a_link_of_a_chain_takes_little_memory) {
  constexpr int64_t links = 200000;
  const wf::Closure f = graph::fn("(fn ((x i32)) (add x 1:i32))");
  NodeRef s = three();
  const int64_t before = allocated();
  for (int64_t k = 0; k < links; k++) s = wf::map(f, {&s, 1});
  const int64_t built = allocated();
  const wf::Plan plan = wf::make_plan({&s, 1}, {});
  const int64_t planned = allocated();
  if (before == 0) SKIP("this allocator does not count");
  CHECK((built - before) / links < 280);   // 272: a node, its state and its definition
  CHECK((planned - built) / links < 300);  // a vertex, in a vector that doubles, and its lists
  CHECK_EQ(plan.vertices.size(), size_t(links + 1));
}

TEST(a_stretch_of_a_chain_is_one_kernel) {
  const wf::Closure f = graph::fn("(fn ((x i32)) (add x 1:i32))");
  NodeRef s = three();
  for (int64_t k = 0; k < 1000; k++) s = wf::map(f, {&s, 1});
  vector<NodeRef> ends = wf::stretch_ends(s);
  CHECK(ends.size() >= 10 && ends.size() <= 20);
  for (; !ends.empty(); ends.pop_back()) {
    CHECK_EQ(wf::make_plan({&ends.back(), 1}, {}).steps.size(), size_t(1));
    wf::force({&ends.back(), 1});
  }
  CHECK_EQ(wf::make_plan({&s, 1}, {}).steps.size(), size_t(1));
}

TEST(a_recurrence_of_two_terms_is_computed_in_stretches) {
  const wf::Closure f = graph::fn("(fn ((x i32) (y i32)) (add (mul x 3:i32) y))");
  const NodeRef ones = graph::source(vector<int32_t>{1, 1});
  vector<NodeRef> last{ones, ones};
  uint32_t x = 1, y = 1;
  for (int64_t k = 0; k < 1000; k++) {
    const NodeRef both[] = {last[0], last[1]};
    last = {wf::map(f, both), last[0]};
    y = std::exchange(x, 3 * x + y);
  }
  vector<vector<NodeRef>> parts = wf::stretches(wf::make_graph({&last[0], 1}, {}));
  CHECK(parts.size() >= 10 && parts.size() <= 40);
  for (vector<NodeRef>& part : parts) {
    CHECK(part.size() <= 2);
    CHECK(wf::make_graph(part, {}).vertices.size() <= wf::largest_kept_graph);
    CHECK(wf::stretches(wf::make_graph(part, {})).empty());
    wf::force(part);
  }
  CHECK(wf::make_graph({&last[0], 1}, {}).vertices.size() <= wf::largest_kept_graph);
  CHECK_EQ(uint32_t(graph::elements<int32_t>(last[0])[0]), x);
}

TEST(a_recurrence_is_forced_in_time_proportional_to_its_steps) {
  const wf::Closure f = graph::fn("(fn ((x i32) (y i32)) (add (mul x 3:i32) y))");
  check_growth("steps", 1000, [&](int n) {
    vector<NodeRef> last{three(), three()};
    for (int64_t k = 0; k < n; k++) {
      const NodeRef both[] = {last[0], last[1]};
      last = {wf::map(f, both), last[0]};
    }
    wf::force({&last[0], 1});
  });
}

TEST(sums_that_are_demanded_together_are_not_cut_into_stretches) {
  Nodes sums;
  const NodeRef s = three();
  for (int64_t k = 0; k < 500; k++)
    sums.push_back(graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32",
                                 graph::map("(fn ((x i32)) (mul x " + std::to_string(k) + ":i32))", {s})));
  CHECK(wf::stretches(wf::make_graph(sums, {})).empty());
}

TEST(elements_that_may_fail_are_not_the_ends_of_stretches) {
  const auto chain = [](const std::function<NodeRef(const NodeRef&, const NodeRef&)>& next) {
    vector<NodeRef> last{three(), three()};
    for (int64_t k = 0; k < 200; k++) last = {next(last[0], last[1]), last[0]};
    return wf::stretches(wf::make_graph({&last[0], 1}, {}));
  };
  CHECK(!chain([](const NodeRef& a, const NodeRef& b) { return graph::map("(fn ((x i32) (y i32)) (add x y))", {a, b}); }).empty());
  CHECK(chain([](const NodeRef& a, const NodeRef& b) {
          return graph::tabulate("(fn ((i i64)) (add (at $0 i) (at $1 (add i -1:i64))))", 3, {a, b});
        }).empty());
}

TEST(a_sequence_that_a_map_ignores_is_not_computed_for_it) {
  const wf::Closure f = graph::fn("(fn ((x i32)) (add x 1:i32))");
  NodeRef ignored = three();
  for (int64_t k = 0; k < 1000; k++) ignored = wf::map(f, {&ignored, 1});
  CHECK(wf::stretch_ends(graph::map("(fn ((x i32)) 7:i32)", {ignored})).empty());
}
