// More than 2^31 elements, computed and never stored: lengths, indices and counts are 64 bits wide everywhere.
#include "check.h"
#include "oracle/graph.h"

using graph::elements;
using graph::Nodes;
using std::vector;
using wf::NodeRef;

namespace {

constexpr int64_t n = (int64_t(1) << 31) + 1001;
NodeRef indices() { return graph::tabulate("(fn ((i i64)) i)", n); }

}  // namespace

TEST(a_reduction_and_a_count_of_more_than_two_to_the_31) {
  const NodeRef most = graph::reduce("(fn ((a i64) (b i64)) (max a b))", "-1:i64", indices());
  const NodeRef kept = wf::length(graph::filter("(fn ((i i64)) (ne (and i 1:i64) 0:i64))", indices()));
  const auto scanned = graph::scan("(fn ((a u8) (b u8)) (add a b))", "0:u8", graph::tabulate("(fn ((i i64)) 1:u8)", n), true);
  wf::force(Nodes{most, kept, scanned.total});
  CHECK_EQ(elements<int64_t>(most), vector<int64_t>{n - 1});
  CHECK_EQ(elements<int64_t>(kept), vector<int64_t>{n / 2});
  CHECK_EQ(elements<uint8_t>(scanned.total), vector<uint8_t>{uint8_t(n)});
}

TEST(a_view_of_more_than_two_to_the_31) {
  const NodeRef back = wf::rev(indices());
  CHECK_EQ(elements<int64_t>(wf::nth(back, n - 3)), vector<int64_t>{2});
  CHECK_EQ(elements<int64_t>(wf::subseq(wf::append(Nodes{back, back}), n - 1, 3)), (vector<int64_t>{0, n - 1, n - 2}));
}

TEST(an_index_beyond_two_to_the_31_is_named) {
  const NodeRef s = graph::tabulate("(fn ((i i64)) (at $0 (where (lt i 2147483700:i64) 0:i64 i)))", n, {graph::source(vector<uint8_t>{1})});
  try {
    wf::force(Nodes{graph::reduce("(fn ((a u8) (b u8)) (add a b))", "0:u8", s)});
    CHECK(false);
  } catch (const wf::RangeError& error) { CHECK(std::string(error.what()).find("2147483700") != std::string::npos); }
}
