// Loops and folds in kernels apart from scans and filters: the plans, and the values.
#include "check.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"
#include "plan/explained.h"

using graph::Nodes;
using std::string;
using wf::NodeRef;

namespace {

constexpr int64_t rows = 100007;

// The first difference between the oracle's value and the engine's; empty if there is none.
string wrong(const NodeRef& node) {
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(node);
  return oracle::difference(*expected, graph::forced(node));
}

NodeRef numbers() {
  NodeRef s = graph::tabulate("(fn ((i i64)) (sub (rem (mul i 7919:i64) 101:i64) 50:i64))", rows);
  wf::force({&s, 1});
  return s;
}

const string add = "(fn ((a i64) (b i64)) (add a b))";
const string positive = "(fn ((x i64)) (gt x 0:i64))";
// A fold of 20 steps, of 2 steps, and a loop of 20 steps.
const string fold = "(fn ((x i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 20:i64)) (mul (sub x j) j)))";
const string short_fold = "(fn ((x i64)) (fold ((a i64) (b i64)) (add a b) 0:i64 ((j 2:i64)) (mul x j)))";
const string loop = "(fn ((x i64)) (let (((k y) (loop ((k 0:i64) (y x)) (lt k 20:i64) (tuple (add k 1:i64) (sub (mul y 3:i64) k))))) y))";
const string pair_of_largest = "(fn ((a i64) (i i64) (b i64) (j i64)) (let ((left (ge a b))) (tuple (where left a b) (where left i j))))";

NodeRef sums(const string& f) { return graph::map(f, {numbers()}); }
NodeRef scanned(const NodeRef& s) { return graph::scan(add, "0:i64", s, true).prefixes; }
NodeRef sum(const NodeRef& s) { return graph::reduce(add, "0:i64", s); }

}  // namespace

TEST(a_scan_loads_the_results_of_folds_and_loops) {
  for (const string& f : {fold, loop}) {
    CHECK_EQ(kernels({scanned(sums(f))}), "store(1); i < 100007 | scan(add), store(1); i < 100007");
    CHECK_EQ(wrong(scanned(sums(f))), "");
    const NodeRef through = graph::map("(fn ((x i64)) (add x 1:i64))", {sums(f)});
    CHECK_EQ(kernels({scanned(through)}), "store(1); i < 100007 | scan(add), store(1); i < 100007");
    CHECK_EQ(wrong(scanned(through)), "");
  }
  CHECK_EQ(kernels({scanned(sums(short_fold))}), "scan(add), store(1); i < 100007");
}

TEST(a_scan_loads_a_transposed_view) {
  const auto scanned_view = [](int64_t height, int64_t width) {
    const int64_t n = height * width;
    NodeRef s = graph::tabulate("(fn ((i i64)) (rem (mul i 7919:i64) 101:i64))", n);
    wf::force({&s, 1});
    const NodeRef view = wf::permute(wf::reshape(s, std::vector<int64_t>{height, width}), std::vector<int32_t>{1, 0});
    const NodeRef flat = wf::reshape(view, std::vector<int64_t>{n});
    return scanned(graph::map("(fn ((x i64)) (add x 1:i64))", {flat}));
  };
  CHECK_EQ(kernels({scanned_view(300, 400)}), "store(1); i < 120000 | scan(add), store(1); i < 120000");
  CHECK_EQ(wrong(scanned_view(300, 400)), "");
  CHECK_EQ(kernels({scanned_view(30, 40)}), "scan(add), store(1); i < 1200");       // stays in caches
  CHECK_EQ(kernels({scanned_view(100000, 4)}), "scan(add), store(1); i < 400000");  // neighbours share cache lines
  CHECK_EQ(kernels({scanned_view(4, 100000)}), "scan(add), store(1); i < 400000");  // four runs
}

TEST(explain_states_the_reason) {
  CHECK(wf::explain(Nodes{scanned(sums(fold))}, wf::ExplainFormat::Text).find("keeps   1 apart from a scan or filter\n") != string::npos);
}

TEST(a_filter_and_a_reduction_in_order_load_the_results_of_folds) {
  const NodeRef kept = graph::filter(positive, sums(fold));
  CHECK_EQ(kernels({kept}), "store(1); i < 100007 | filter(1); i < 100007");
  CHECK_EQ(wrong(kept), "");
  // A mask compacts nothing, and a sum has no order.
  CHECK_EQ(kernels({sum(graph::filter(positive, sums(fold)))}), "reduce(add) masked, finish(1); i < 100007");
  CHECK_EQ(kernels({sum(sums(fold))}), "reduce(add), finish(1); i < 100007");
  // A loop is computed once, by one thread, in any of these kernels.
  CHECK_EQ(kernels({graph::filter(positive, sums(loop))}), "filter(1); i < 100007");
  const NodeRef indexed = graph::map("(fn ((x i64) (i i64)) (tuple x i))", {sums(fold), graph::tabulate("(fn ((i i64)) i)", rows)});
  const NodeRef largest = graph::reduce(pair_of_largest, "(tuple -9223372036854775808:i64 -1:i64)", indexed);
  CHECK_EQ(kernels({largest}), "store(1); i < 100007 | reduce(fn), finish(2); i < 100007");
  CHECK_EQ(wrong(largest), "");
}

TEST(a_fold_loads_the_prefixes_that_it_reads) {
  const NodeRef after = graph::map(fold, {scanned(numbers())});
  CHECK_EQ(kernels({after}), "scan(add), store(1); i < 100007 | store(1); i < 100007");
  CHECK_EQ(wrong(after), "");
  CHECK_EQ(wrong(scanned(graph::map(fold, {scanned(sums(fold))}))), "");
  CHECK_EQ(kernels({graph::map(loop, {scanned(numbers())})}), "scan(add), store(1); i < 100007");
}

// Otherwise the work is done for the elements that the filter drops, too.
TEST(costly_work_on_a_filters_result_is_done_for_the_kept_elements) {
  for (const string& f : {fold, loop, string("(fn ((x i64)) (cast i64 (exp (sin (log (cos (sqrt (exp (cast f64 x)))))))))")}) {
    const auto kept = [&] { return graph::map(f, {graph::filter("(fn ((x i64)) (gt x 45:i64))", numbers())}); };
    CHECK(kernels({kept()}).starts_with("filter(1); i < 100007 | store(1); i < length of sequence "));
    CHECK_EQ(wrong(kept()), "");
    CHECK(kernels({sum(kept())}).starts_with("filter(1); i < 100007 | reduce(add), finish(1); i < length of sequence "));
    CHECK_EQ(wrong(sum(kept())), "");
    CHECK_EQ(wrong(scanned(kept())), "");
    CHECK_EQ(wrong(graph::filter(positive, kept())), "");
    CHECK_EQ(wrong(graph::map(f, {graph::filter(positive, kept())})), "");
  }
  const NodeRef cheap = graph::map("(fn ((x i64)) (mul x x))", {graph::filter(positive, numbers())});
  CHECK_EQ(kernels({sum(cheap)}), "reduce(add) masked, finish(1); i < 100007");
}

TEST(what_is_demanded_together_shares_no_kernel_in_order) {
  const NodeRef s = numbers();
  const Nodes both{graph::map(fold, {s}), scanned(s)};
  CHECK_EQ(kernels(both), "store(1); i < 100007 | scan(add), store(1); i < 100007");
  const Nodes three{sum(graph::map(fold, {s})), graph::filter(positive, s), sum(s)};
  CHECK_EQ(kernels(three), "reduce(add), finish(1); i < 100007 | reduce(add), filter(1), finish(1); i < 100007");
  for (const Nodes& nodes : {both, three}) {
    wf::force(nodes);
    for (const NodeRef& node : nodes) CHECK_EQ(wrong(node), "");
  }
  // A scalar of both is computed after one loop.
  const NodeRef apart =
      graph::map("(fn ((x i64) (y i64)) (add x y))", {sum(graph::map(fold, {s})), graph::scan(add, "0:i64", s, false).total});
  CHECK_EQ(wrong(apart), "");
}
