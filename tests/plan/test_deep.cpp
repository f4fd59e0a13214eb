// Graphs of a million nodes, deep and wide: no code recurses over them, and no kernel grows without bound.
#include "check.h"
#include "oracle/graph.h"

using graph::elements;
using graph::Nodes;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int million = 1000000;

NodeRef incremented(NodeRef s, int times) {
  const wf::Closure f = graph::fn("(fn ((x i32)) (add x 1:i32))");
  for (int k = 0; k < times; k++) s = wf::map(f, {&s, 1});
  return s;
}

}  // namespace

TEST(a_million_chained_maps_are_forced) {
  const NodeRef s = incremented(graph::source(vector<int32_t>{1, 2, 3}), million);
  CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{million + 1, million + 2, million + 3}));
}

TEST(a_million_chained_maps_are_dropped) { incremented(graph::source(vector<int32_t>{1, 2, 3}), million); }

TEST(a_million_chained_operations_on_scalars_are_forced) {
  const NodeRef sum = graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", graph::source(vector<int32_t>{1, 2, 3}));
  CHECK_EQ(elements<int32_t>(incremented(sum, million)), (vector<int32_t>{million + 6}));
}

TEST(a_chain_in_which_each_link_reads_the_last_twice_is_not_computed_exponentially) {
  NodeRef s = graph::source(vector<int32_t>{1, 1, 1, 1});
  for (int k = 0; k < 200; k++) s = graph::tabulate("(fn ((i i64)) (add (at $0 i) (at $0 (rem (add i 1:i64) 4:i64))))", 4, {s});
  CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{0, 0, 0, 0}));  // 2^200
}

TEST(a_chain_of_scans_is_forced) {
  NodeRef s = graph::source(vector<int32_t>{1, 0, 0});
  for (int k = 0; k < 1000; k++) s = graph::scan("(fn ((a i32) (b i32)) (add a b))", "0:i32", s, true).prefixes;
  CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{1, 1000, 500500}));
}

TEST(many_sequences_are_appended) {
  Nodes parts;
  vector<int32_t> right;
  for (int k = 0; k < 3000; k++) {
    parts.push_back(graph::source(vector<int32_t>{k, -k}));
    right.push_back(k), right.push_back(-k);
  }
  CHECK_EQ(elements<int32_t>(wf::append(parts)), right);
}

TEST(a_sequence_is_appended_to_itself_again_and_again) {
  NodeRef s = graph::map("(fn ((x i32)) (add x 1:i32))", {graph::source(vector<int32_t>{1, 2, 3})});
  for (int k = 0; k < 12; k++) s = wf::append(Nodes{s, s});
  const auto all = elements<int32_t>(s);
  CHECK_EQ(all.size(), 3 << 12);
  for (size_t i = 0; i < all.size(); i++) CHECK_EQ(all[i], int32_t(i % 3 + 2));
}

TEST(one_by_one_a_sequence_grows) {
  NodeRef s = graph::source(vector<int32_t>{0});
  for (int k = 1; k < 2000; k++) s = wf::append(Nodes{s, graph::source(vector<int32_t>{k})});
  const auto all = elements<int32_t>(s);
  CHECK_EQ(all.size(), 2000);
  CHECK_EQ(all[1999], 1999);
}

TEST(many_results_are_demanded_together) {
  const NodeRef s = graph::source(vector<int32_t>{1, 2, 3, 4});
  Nodes sums;
  for (int k = 0; k < 2000; k++) {
    const std::string f = "(fn ((x i32)) (mul x " + std::to_string(k) + ":i32))";
    sums.push_back(graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", graph::map(f, {s})));
  }
  wf::force(sums);
  for (int k = 0; k < 2000; k++) CHECK_EQ(elements<int32_t>(sums[k])[0], 10 * k);
}

// A fold has up to three programs, each of which has those of the folds inside. Only as many are compiled as there are different ones.
TEST(folds_are_nested_as_deeply_as_the_parser_allows) {
  if (graph::context()->name != "cpu") SKIP("the programs of a fold are those of the CPU engine");
  NodeRef captured = graph::tabulate("(fn ((i i64)) (mul i i))", 1000);
  wf::force({&captured, 1});
  for (int depth : {2, 20, 64}) {
    std::string text = "(fn ((x i64)) ", end;
    for (int k = 0; k < depth; k++) {
      const std::string position = "j" + std::to_string(k), before = k == 0 ? "x" : "j" + std::to_string(k - 1);
      text += "(fold ((a i64) (b i64)) (add a b) 0:i64 ((" + position + " (add 1:i64 (mul 0:i64 x)))) ";
      text += "(add (at $0 (add (mul 3:i64 " + position + ") " + before + ")) ";
      end += "))";
    }
    text += "x" + end + ")";
    vector<int64_t> expected;
    for (int64_t x = 0; x < 70; x++) expected.push_back(x * x + x);
    CHECK_EQ(elements<int64_t>(graph::tabulate(text, 70, {captured})), expected);
  }
}
