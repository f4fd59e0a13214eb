// Indices out of range of captured sequences: the force fails and names the first one, but only if the element is chosen.
#include "check.h"
#include "oracle/graph.h"

using graph::elements;
using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

const char* const add = "(fn ((a i32) (b i32)) (add a b))";
const char* const at_i = "(fn ((i i64)) (at $0 i))";

// The error message of forcing s; empty if there is none.
string error(const NodeRef& s) {
  try {
    wf::force({&s, 1});
  } catch (const wf::RangeError& e) {
    return e.what();
  }
  return "";
}

bool names(const string& message, const string& part) { return message.find(part) != string::npos; }

NodeRef three() { return graph::source(vector<int32_t>{5, 6, 7}); }
// 5, 6, 7, then only errors.
NodeRef beyond(int64_t n) { return graph::tabulate(at_i, n, {three()}); }
NodeRef sum(const NodeRef& s) { return graph::reduce(add, "0:i32", s); }

}  // namespace

TEST(the_first_index_outside_is_named) {
  for (int64_t n : {4, 64, 65, 1000, 5000, 100000, 1000000}) {
    const string message = error(beyond(n));
    CHECK(names(message, "index 3 ") || names(message, "index 3,"));
    CHECK(names(message, "length 3"));
  }
}

TEST(the_first_is_so_by_the_order_of_the_result) {
  const NodeRef s = graph::source(vector<int32_t>(100000, 1));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub 150000:i64 i)))", 150001, {s})), "150000"));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (sub 70000:i64 i)))", 100000, {s})), "-1"));
  CHECK(names(error(graph::tabulate("(fn ((i i64)) (at $0 (where (gt i 80000:i64) (mul i -2:i64) i)))", 100000, {s})), "-160002"));
}

TEST(every_sink_reports_it) {
  CHECK(names(error(sum(beyond(5000))), "3"));
  CHECK(names(error(graph::scan(add, "0:i32", beyond(5000), true).prefixes), "3"));
  CHECK(names(error(graph::scan(add, "0:i32", beyond(5000), false).total), "3"));
  CHECK(names(error(graph::filter("(fn ((x i32)) (gt x 5:i32))", beyond(5000))), "3"));
}

TEST(what_is_not_chosen_is_no_error) {
  CHECK_EQ(elements<int32_t>(graph::tabulate("(fn ((i i64)) (where (lt i 3:i64) (at $0 i) 0:i32))", 5, {three()})),
           (vector<int32_t>{5, 6, 7, 0, 0}));
  const char* nested = "(fn ((i i64)) (where (ge i 1:i64) (where (lt i 3:i64) (at $0 i) 1:i32) (at $0 (sub i -1:i64))))";
  CHECK_EQ(elements<int32_t>(graph::tabulate(nested, 5, {three()})), (vector<int32_t>{6, 6, 7, 1, 1}));
}

TEST(what_is_filtered_out_is_not_chosen) {
  for (int64_t n : {10, 5000}) {
    const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", n));
    const NodeRef s = graph::map("(fn ((i i64)) (at $0 i))", {low}, {three()});
    CHECK_EQ(elements<int32_t>(sum(s)), vector<int32_t>{18});
    CHECK_EQ(elements<int32_t>(graph::scan(add, "0:i32", s, true).prefixes), (vector<int32_t>{5, 11, 18}));
    CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{5, 6, 7}));
  }
}

TEST(what_is_filtered_out_is_not_chosen_in_loops) {
  const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", 100));
  const char* up_to = "(fn ((i i64)) (let (((k sum) (loop ((k 0:i64) (sum 0:i32)) (le k i)"
                      " (tuple (add k 1:i64) (add sum (at $0 k)))))) sum))";
  CHECK_EQ(elements<int32_t>(sum(graph::map(up_to, {low}, {three()}))), vector<int32_t>{34});
}

TEST(a_filter_may_look_up_what_another_filter_let_through) {
  const NodeRef low = graph::filter("(fn ((i i64)) (lt i 3:i64))", graph::tabulate("(fn ((i i64)) i)", 100));
  const NodeRef odd = graph::filter("(fn ((i i64)) (eq (rem (at $0 i) 2:i32) 1:i32))", low, {three()});
  CHECK_EQ(elements<int64_t>(wf::length(odd)), vector<int64_t>{2});
  CHECK_EQ(elements<int64_t>(odd), (vector<int64_t>{0, 2}));
}

TEST(an_element_that_is_not_chosen_may_have_an_error_of_its_own) {
  const NodeRef s = graph::tabulate("(fn ((i i64)) (where (lt i 3:i64) (at $0 i) 0:i32))", 5, {beyond(10)});
  CHECK_EQ(elements<int32_t>(s), (vector<int32_t>{5, 6, 7, 0, 0}));
}

TEST(a_part_that_is_not_chosen_is_not_read) {
  const NodeRef a = graph::tabulate(at_i, 3, {three()}), b = graph::tabulate("(fn ((i i64)) (at $0 (sub 2:i64 i)))", 3, {three()});
  CHECK_EQ(elements<int32_t>(wf::append(Nodes{a, b, a})), (vector<int32_t>{5, 6, 7, 7, 6, 5, 5, 6, 7}));
  CHECK_EQ(elements<int32_t>(sum(wf::append(Nodes{a, b}))), vector<int32_t>{36});
  const char* shifted = "(fn ((i i64)) (where (lt i 2:i64) (at $0 (add i 1:i64)) 0:i32))";
  CHECK_EQ(elements<int32_t>(graph::tabulate(shifted, 4, {a})), (vector<int32_t>{6, 7, 0, 0}));
}

TEST(views_need_only_what_they_show) {
  const NodeRef s = beyond(10);
  CHECK_EQ(elements<int32_t>(wf::subseq(s, 0, 3)), (vector<int32_t>{5, 6, 7}));
  CHECK_EQ(elements<int32_t>(wf::nth(s, 2)), vector<int32_t>{7});
  CHECK(!error(wf::nth(s, 5)).empty());
}

TEST(loops_report_it) {
  const NodeRef s = graph::tabulate(
      "(fn ((i i64)) (let (((k sum) (loop ((k 0:i64) (sum 0:i32)) (lt k i) (tuple (add k 1:i64) (add sum (at $0 k)))))) sum))",
      10, {three()});
  CHECK(names(error(s), "3"));
  CHECK_EQ(elements<int32_t>(wf::subseq(s, 0, 4)), (vector<int32_t>{0, 5, 11, 18}));
}

TEST(after_an_error_everything_is_as_before) {
  const NodeRef bad = beyond(10), good = graph::map("(fn ((x i32)) (mul x 2:i32))", {three()});
  for (int k = 0; k < 3; k++) {
    CHECK_THROWS(wf::RangeError, wf::force(Nodes{good, bad}));
    CHECK(!bad->is_manifest());
  }
  CHECK_EQ(elements<int32_t>(good), (vector<int32_t>{10, 12, 14}));
  CHECK(!error(bad).empty());
}
