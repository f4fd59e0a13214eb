// The oracle itself, against values computed by hand.
#include "check.h"
#include "oracle/graph.h"
#include "oracle/oracle.h"

using graph::column;
using oracle::Oracle;
using oracle::ValueRef;
using std::vector;

namespace {
ValueRef value(const wf::NodeRef& node) { return Oracle().value(node); }
const auto i32s = [](const wf::NodeRef& node) { return column<int32_t>(*value(node)); };
}  // namespace

TEST(tabulate_and_map) {
  auto squares = graph::tabulate("(fn ((i i64)) (cast i32 (mul i i)))", 5);
  CHECK_EQ(i32s(squares), (vector<int32_t>{0, 1, 4, 9, 16}));
  CHECK_EQ(i32s(graph::map("(fn ((x i32)) (sub 0:i32 x))", {squares})), (vector<int32_t>{0, -1, -4, -9, -16}));
}

TEST(several_columns) {
  auto s = graph::source(vector<int32_t>{5, 6, 7});
  auto both = graph::map("(fn ((x i32)) (tuple (cast f64 x) (gt x 5:i32)))", {s});
  CHECK_EQ(column<double>(*value(both), 0), (vector<double>{5, 6, 7}));
  CHECK_EQ(column<bool>(*value(both), 1), (vector<bool>{false, true, true}));
  vector<int32_t> second{1};
  CHECK_EQ(column<bool>(*value(wf::columns(both, second))), (vector<bool>{false, true, true}));
}

TEST(reduce_and_scan) {
  const char* add = "(fn ((a i32) (b i32)) (add a b))";
  auto s = graph::source(vector<int32_t>{3, 1, 4, 1, 5});
  CHECK_EQ(i32s(graph::reduce(add, "0:i32", s)), (vector<int32_t>{14}));
  CHECK_EQ(i32s(graph::reduce(add, "0:i32", graph::source(vector<int32_t>{}))), (vector<int32_t>{0}));
  CHECK_EQ(i32s(graph::scan(add, "0:i32", s, false).prefixes), (vector<int32_t>{0, 3, 4, 8, 9}));
  CHECK_EQ(i32s(graph::scan(add, "0:i32", s, true).prefixes), (vector<int32_t>{3, 4, 8, 9, 14}));
  CHECK_EQ(i32s(graph::scan(add, "0:i32", s, true).total), (vector<int32_t>{14}));
}

TEST(filter_and_its_length) {
  auto s = graph::source(vector<int32_t>{3, 1, 4, 1, 5});
  auto large = graph::filter("(fn ((x i32)) (gt x 2:i32))", s);
  CHECK_EQ(i32s(large), (vector<int32_t>{3, 4, 5}));
  CHECK_EQ(i32s(graph::map("(fn ((x i32)) (add x x))", {large})), (vector<int32_t>{6, 8, 10}));
  CHECK_EQ(column<int64_t>(*value(wf::length(large))), (vector<int64_t>{3}));
}

TEST(views) {
  auto s = graph::source(vector<int32_t>{3, 1, 4, 1, 5});
  CHECK_EQ(i32s(wf::rev(s)), (vector<int32_t>{5, 1, 4, 1, 3}));
  CHECK_EQ(i32s(wf::subseq(wf::rev(s), 1, 3)), (vector<int32_t>{1, 4, 1}));
  vector<wf::NodeRef> parts{wf::subseq(s, 0, 2), s};
  CHECK_EQ(i32s(wf::append(parts)), (vector<int32_t>{3, 1, 3, 1, 4, 1, 5}));
  CHECK_EQ(i32s(wf::nth(s, 2)), (vector<int32_t>{4}));
}

TEST(captured_sequences_and_loops) {
  auto s = graph::source(vector<int32_t>{3, 1, 4, 1, 5});
  CHECK_EQ(i32s(graph::tabulate("(fn ((i i64)) (add (at $0 i) (at $0 (sub (sub (length $0) 1:i64) i))))", 5, {s})),
           (vector<int32_t>{8, 2, 8, 2, 8}));
  auto powers = graph::map(
      "(fn ((x i32)) (let (((k p) (loop ((k 0:i32) (p 1:i32)) (lt k x)"
      " (tuple (add k 1:i32) (mul p 2:i32))))) p))",
      {s});
  CHECK_EQ(i32s(powers), (vector<int32_t>{8, 2, 16, 2, 32}));
}

TEST(an_index_outside_is_a_fault_of_that_element) {
  auto s = graph::source(vector<int32_t>{3, 1, 4});
  auto beyond = graph::tabulate("(fn ((i i64)) (at $0 (add i 1:i64)))", 4, {s});
  const auto faults = value(beyond)->faults[0];
  CHECK_EQ(faults.size(), 2);
  CHECK_EQ(faults.begin()->first, 2);
  CHECK_EQ(faults.begin()->second.index, 3);
  CHECK_EQ(faults.begin()->second.length, 3);
  auto guarded = graph::tabulate("(fn ((i i64)) (where (lt i 2:i64) (at $0 (add i 1:i64)) 0:i32))", 4, {s});
  CHECK_EQ(i32s(guarded), (vector<int32_t>{1, 4, 0, 0}));
  CHECK_EQ(value(guarded)->faults[0].size(), 0);
}

TEST(a_fault_belongs_to_a_column) {
  auto s = graph::source(vector<int32_t>{3, 1, 4});
  auto both = graph::tabulate("(fn ((i i64)) (tuple (at $0 i) (cast i32 i)))", 5, {s});
  CHECK_EQ(value(both)->faults[0].size(), 2);
  CHECK_EQ(value(both)->faults[1].size(), 0);
  const auto second = value(wf::columns(both, vector<int32_t>{1}));
  CHECK(!second->has_fault());
  CHECK(second->may_fail);
  CHECK(!value(wf::nth(s, 1))->may_fail);
}

TEST(a_filter_whose_condition_has_a_fault_has_no_length) {
  auto s = graph::source(vector<int32_t>{3, 1, 4});
  auto kept = graph::filter("(fn ((x i32)) (gt (at $0 (cast i64 x)) 0:i32))", s, {s});
  CHECK_EQ(value(kept)->length_fault->index, 3);
  CHECK(value(graph::map("(fn ((x i32)) 1:i32)", {kept}))->length_fault);
  CHECK_EQ(value(wf::length(kept))->faults[0].size(), 1);
  CHECK_EQ(value(graph::reduce("(fn ((a i32) (b i32)) (add a b))", "0:i32", kept))->faults[0].size(), 1);
}

TEST(a_loop_has_the_faults_of_the_names_that_its_steps_use) {
  auto s = graph::source(vector<int32_t>{3, 1, 4});
  const auto faults = [&](int steps, const std::string& next) {
    const std::string loop = "(loop ((k 0:i32) (r 0:i32)) (lt k " + std::to_string(steps) + ":i32) (tuple (add k 1:i32) " + next + "))";
    return value(graph::tabulate("(fn ((i i64)) (let ((x (at $0 i)) ((k r) " + loop + ")) r))", 4, {s}))->faults[0].size();
  };
  CHECK_EQ(faults(1, "(add r x)"), 1);
  CHECK_EQ(faults(0, "(add r x)"), 0);
  CHECK_EQ(faults(1, "(where (lt k 1:i32) r x)"), 0);
}

TEST(a_remembered_value_replaces_the_computed_one) {
  auto s = graph::source(vector<int32_t>{3, 1, 4});
  auto t = graph::map("(fn ((x i32)) (add x 1:i32))", {s});
  Oracle oracle;
  auto other = std::make_shared<oracle::Value>(*oracle.value(t));
  other->columns[0][0] = 70;
  oracle.remember(t, other);
  CHECK_EQ(column<int32_t>(*oracle.value(graph::map("(fn ((x i32)) (add x 1:i32))", {t}))), (vector<int32_t>{71, 3, 6}));
  oracle.forget(t);
  CHECK_EQ(column<int32_t>(*oracle.value(t)), (vector<int32_t>{4, 2, 5}));
}
