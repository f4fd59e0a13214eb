// The bytes that explain states: each element that a step reads once, and each one that it writes.
#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/linear/linear.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

NodeRef stored(const vector<int64_t>& extents) {
  int64_t n = 1;
  for (int64_t extent : extents) n *= extent;
  vector<float> elements;
  for (int64_t i = 0; i < n; i++) elements.push_back(float(i % 17 + 1));
  return wf::reshape(graph::source(elements), extents);
}
NodeRef positions(int64_t n, int64_t limit) {
  vector<int64_t> all;
  for (int64_t i = 0; i < n; i++) all.push_back(i * 7919 % limit);
  return graph::source(all);
}

// "4000 B read, 0 B written", for each step.
vector<string> moves(const Nodes& nodes) {
  const string text = wf::explain(nodes, wf::ExplainFormat::Text), head = "  moves   ";
  vector<string> all;
  for (size_t at = text.find(head); at != string::npos; at = text.find(head, at + 1))
    all.push_back(text.substr(at + head.size(), text.find('\n', at) - at - head.size()));
  return all;
}
string one(const NodeRef& node) {
  const vector<string> all = moves({node});
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " steps: " + (all.empty() ? "" : all[0]);
}

NodeRef sum(const NodeRef& a, const NodeRef& b) { return graph::map("(fn ((x f32) (y f32)) (add x y))", {a, b}); }
NodeRef forced(const NodeRef& node) {
  wf::force({&node, 1});
  return node;
}

constexpr int64_t rows = 20, columns = 30, all = rows * columns;
const vector<int64_t> shape{rows, columns};

}  // namespace

TEST(rows_and_columns_of_broadcasts_are_read_once) {
  const NodeRef a = stored(shape), row = stored({columns}), column = stored({rows, 1});
  CHECK_EQ(one(sum(a, wf::broadcast(row, shape))), "2520 B read, 2400 B written");
  CHECK_EQ(one(sum(a, wf::broadcast(column, shape))), "2480 B read, 2400 B written");
  CHECK_EQ(one(sum(wf::broadcast(column, shape), wf::broadcast(row, shape))), "200 B read, 2400 B written");
  CHECK_EQ(one(sum(a, a)), "2400 B read, 2400 B written");
}

TEST(views_read_the_elements_that_they_have) {
  const NodeRef a = stored(shape);
  const int64_t starts[] = {2, 1}, counts[] = {5, 10}, steps[] = {3, 2}, order[] = {columns, rows};
  const int32_t axes[] = {1, 0};
  CHECK_EQ(one(sum(wf::slice(a, starts, counts, steps), stored({5, 10}))), "400 B read, 200 B written");
  CHECK_EQ(one(sum(wf::permute(a, axes), stored({order[0], order[1]}))), "4800 B read, 2400 B written");
  const NodeRef both[] = {a, stored({4, columns})};
  CHECK_EQ(one(sum(wf::join({both[0], both[1]}, 0), stored({rows + 4, columns}))), "5760 B read, 2880 B written");
}

TEST(windows_that_overlap_read_each_element_once) {
  const NodeRef image = stored(shape);
  CHECK_EQ(one(wf::convolve(image, stored({3, 3}))), "2436 B read, 2016 B written");
  CHECK_EQ(one(wf::convolve(image, stored({7, 7}))), "2596 B read, 1344 B written");
  CHECK_EQ(one(wf::max_pool(image, 2, 3)), "2400 B read, 400 B written");
  const int64_t window_shape[] = {all - 2, 3}, strides[] = {1, 1};
  CHECK_EQ(one(sum(wf::view(wf::reshape(image, vector<int64_t>{-1}), 0, window_shape, strides), stored({all - 2, 3}))),
           "9576 B read, 7176 B written");
}

TEST(gathers_read_no_more_than_there_is) {
  const char* const at = "(fn ((i i64)) (at $0 i))";
  CHECK_EQ(one(graph::map(at, {positions(1000, 50)}, {stored({50})})), "8200 B read, 4000 B written");
  CHECK_EQ(one(graph::map(at, {positions(50, 1000)}, {stored({1000})})), "600 B read, 200 B written");
}

TEST(reductions_and_scans) {
  const NodeRef a = stored(shape);
  const wf::Closure add = graph::fn("(fn ((a f32) (b f32)) (add a b))");
  const vector<wf::Bits64> zero{wf::to_bits(0.f)};
  for (int32_t axis : {0, 1}) {
    const int32_t axes[] = {axis};
    CHECK_EQ(one(wf::reduce_axes(add, zero, a, axes, false)), axis == 0 ? "2400 B read, 120 B written" : "2400 B read, 80 B written");
  }
  const NodeRef flat = wf::reshape(a, vector<int64_t>{-1});
  CHECK_EQ(one(graph::reduce("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", flat)), "2400 B read, 0 B written");
  CHECK_EQ(one(graph::scan("(fn ((a f32) (b f32)) (add a b))", "0.0:f32", flat, true).prefixes), "2400 B read, 2400 B written");
}

TEST(calls_read_all_of_their_inputs) {
  const NodeRef a = stored({20, 30}), b = stored({30, 10}), square = stored({20, 20});
  CHECK_EQ(one(wf::matmul(a, b)), "3600 B read, 800 B written");
  CHECK_EQ(one(wf::matmul(stored({5, 20, 30}), b)), "13.2 kB read, 4000 B written");
  CHECK_EQ(one(wf::solve("lower", square, stored({20, 3}))), "1080 B read, 240 B written");
  CHECK_EQ(moves({wf::factor("cholesky", square)[0]})[0], "840 B read, 1600 B written");
  const vector<string> general = moves({wf::solve("general", square, stored({20, 3}))});
  CHECK_EQ(general, vector<string>({"1600 B read, 1680 B written", "1920 B read, 240 B written"}));
  CHECK_EQ(one(wf::sort(stored({100}), 1, false)), "400 B read, 400 B written");
  CHECK_EQ(one(wf::merge(stored({100}), stored({30}), 1, false)), "520 B read, 520 B written");
}

TEST(views_of_one_buffer_are_read_once) {
  const NodeRef s = stored({1000});
  const NodeRef first = forced(wf::subseq(s, 0, 900)), last = forced(wf::subseq(s, 100, 900));
  CHECK_EQ(one(sum(first, last)), "4000 B read, 3600 B written");
  CHECK_EQ(one(sum(forced(wf::subseq(s, 0, 100)), forced(wf::subseq(s, 900, 100)))), "800 B read, 400 B written");
}
